import { parseArgs } from "node:util";
import { request } from "undici";
import { SEARCHES } from "./local-api-searches.ts";
import { type BenchServer, fillMentions, startBenchServer } from "./local-api-server.ts";
import { median } from "./median.ts";

/**
 * What a page of 5,000 costs while a client pages through a `search`, at its beginning and at page 50, over mentions of which five in
 * six are found; and the memory of the process meanwhile. Several passes, medians. Reads over HTTP, as a client does.
 */

const { values } = parseArgs({
  options: {
    mentions: { type: "string", default: "300000" },
    "page-size": { type: "string", default: "5000" },
    pages: { type: "string", default: "60" },
    rounds: { type: "string", default: "3" },
    search: { type: "string", multiple: true },
  },
});
const PAGE_SIZE = Number(values["page-size"]);
/** Each is the text of a sixth of the mentions. */
const TEXTS = [
  "Alpha three days without hot water and the support line still plays the same song #acme",
  "beta my battery died after two days, what a shame for such an expensive phone",
  "gamma is fine, the delivery came on time and the box was not even open",
  "delta cold water again in the morning, nobody answers the phone",
  "alpha and beta together are cheaper than gamma, who would have thought so",
  "a cup of tea with delta on the terrace, life is good",
];

const server = await startBenchServer(["One"]);
try {
  const page = { url: "https://news.example/acme/1", domain: "news.example", author: "ann" };
  const kind = { pageType: "twitter", sentiment: "negative", language: "en", impact: 12 };
  const of = TEXTS.map((snippet) => ({ snippet, ...page, ...kind }));
  await fillMentions(server, { mentions: Number(values.mentions), days: 30, of });
  for (const search of [undefined, ...(values.search ?? SEARCHES)]) await measure(server, search);
} finally {
  await server.close();
}

async function measure(of: BenchServer, search: string | undefined): Promise<void> {
  const before = process.memoryUsage().rss;
  const passes: Pass[] = [];
  for (let round = 0; round < Number(values.rounds); round++) passes.push(await readPages(of, search));
  const [first] = passes;
  const at = (page: number) => median(passes.map(({ costs }) => costs[page - 1] ?? Number.NaN));
  const last = Math.min(50, (first?.costs.length ?? 1) - 1);
  const most = Math.max(...passes.map((one) => one.mostMemory));
  console.log(
    `${search ?? "without search"}: ${first?.total} found, ${first?.shown} shown on ${first?.costs.length} pages; ` +
      `first time asked ${ms(first?.costs[0])}, page 1 ${ms(at(1))}, page 2 ${ms(at(2))}, page ${last} ${ms(at(last))} ` +
      `(${(at(last) / at(2)).toFixed(2)} times), dearest ${ms(Math.max(...passes.map(({ costs }) => Math.max(...costs.slice(1)))))}; ` +
      `memory ${mb(before)} before, ${mb(most)} at most`,
  );
}

interface Pass {
  readonly costs: readonly number[];
  readonly shown: number;
  readonly total: number;
  readonly mostMemory: number;
}

async function readPages({ url, token, queryIds }: BenchServer, search: string | undefined): Promise<Pass> {
  const parameters = new URLSearchParams({
    queryId: String(queryIds[0]),
    startDate: "2026-01-01",
    endDate: "2026-12-31",
    pageSize: String(PAGE_SIZE),
    ...(search === undefined ? {} : { search }),
  });
  const costs: number[] = [];
  let [shown, total, mostMemory] = [0, 0, 0];
  for (let page = 1; page <= Number(values.pages); page++) {
    const startedAt = performance.now();
    const { statusCode, body } = await request(`${url}/data/mentions?${parameters}`, {
      headers: { authorization: `bearer ${token}` },
    });
    const text = await body.text();
    costs.push(performance.now() - startedAt);
    if (statusCode !== 200) throw new Error(`status ${statusCode}: ${text.slice(0, 300)}`);
    const mentions = text.split('{"resourceId":"').length - 1;
    shown += mentions;
    total = Number(/"resultsTotal":(\d+)/.exec(text.slice(-3_000))?.[1]);
    mostMemory = Math.max(mostMemory, process.memoryUsage().rss);
    const cursor = /"nextCursor":"([^"]+)"/.exec(text.slice(-3_000))?.[1];
    if (cursor === undefined || mentions < PAGE_SIZE) break;
    parameters.set("cursor", cursor);
  }
  return { costs, shown, total, mostMemory };
}

function ms(value: number | undefined): string {
  return `${value === undefined || Number.isNaN(value) ? "-" : value.toFixed(0)} ms`;
}

function mb(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MB`;
}
