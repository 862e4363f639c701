import { parseArgs } from "node:util";
import { request } from "undici";
import { type BenchServer, fillMentions, startBenchServer } from "./local-api-server.ts";
import { median } from "./median.ts";

/**
 * What a page of 5,000 of the local API costs at the beginning and at the end of paging through a million mentions, and
 * how much memory its process holds meanwhile. Reads over HTTP, as a client does; the reader keeps nothing.
 */

const { values } = parseArgs({
  options: {
    mentions: { type: "string", default: "1000000" },
    "page-size": { type: "string", default: "5000" },
    "order-by": { type: "string", default: "added" },
    pages: { type: "string" },
  },
});
const MENTIONS = Number(values.mentions);
const PAGE_SIZE = Number(values["page-size"]);

const server = await startBenchServer(["One", "Two", "Three"]);
try {
  const startedAt = performance.now();
  const text = "Three days without hot water and the support line still plays the same song. #acme @acme ";
  const post = { title: "Hot water", snippet: text.repeat(3), url: "https://news.example/acme/1" };
  const author = { author: "ann", accountType: "individual", twitterFollowers: 1200, reachEstimate: 90 };
  const kind = {
    domain: "news.example",
    pageType: "twitter",
    sentiment: "negative",
    language: "en",
    impact: 12,
  };
  const place = { country: "Germany", countryCode: "DEU", city: "Berlin" };
  const signs = { insightsHashtag: ["#acme"], insightsMentioned: ["@acme"] };
  await fillMentions(server, {
    ...{ mentions: MENTIONS, days: 120 },
    of: [{ ...post, ...author, ...kind, ...place, ...signs }],
  });
  const size = await server.pool.query(
    "select pg_size_pretty(sum(pg_total_relation_size(inhrelid))) as size from pg_inherits where inhparent = 'local_api.mention'::regclass",
  );
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${MENTIONS} mentions made in ${seconds} s, ${size.rows[0].size} with their indexes`);
  await poll(server);
} finally {
  await server.close();
}

async function poll({ url, queryIds, token }: BenchServer): Promise<void> {
  const parameters = new URLSearchParams();
  for (const [name, value] of [
    ...queryIds.map((id) => ["queryId", String(id)] as const),
    ["startDate", "2026-01-01"],
    ["endDate", "2026-12-31"],
    ["pageSize", String(PAGE_SIZE)],
    ["orderBy", values["order-by"]],
    ["orderDirection", "asc"],
  ] as const)
    parameters.append(name, value);
  const costs: number[] = [];
  const resident: number[] = [];
  let shown = 0;
  let cursor: string | undefined;
  const most = Number(values.pages ?? Math.ceil(MENTIONS / PAGE_SIZE));
  for (let page = 1; page <= most; page++) {
    if (cursor !== undefined) parameters.set("cursor", cursor);
    const startedAt = performance.now();
    const answer = await readPage(`${url}/data/mentions?${parameters}`, token);
    costs.push(performance.now() - startedAt);
    resident.push(process.memoryUsage().rss / 2 ** 20);
    shown += answer.mentions;
    cursor = answer.nextCursor;
    if (page === 1 || page % 50 === 0)
      console.log(`page ${page}: ${costs.at(-1)?.toFixed(0)} ms, ${resident.at(-1)?.toFixed(0)} MB resident`);
  }
  // The first page of all also counts the total and warms the caches, so the early ones stand for the beginning.
  const [early, late] = [median(costs.slice(1, 11)), median(costs.slice(-10))];
  console.log(`order: ${values["order-by"]}; ${shown} mentions on ${costs.length} pages of ${PAGE_SIZE}`);
  console.log(
    `first page ${costs[0]?.toFixed(0)} ms (counts the total), page ${costs.length} ${costs.at(-1)?.toFixed(0)} ms`,
  );
  console.log(
    `median of pages 2 to 11: ${early.toFixed(0)} ms, of the last ten: ${late.toFixed(0)} ms, ratio ${(late / early).toFixed(2)}`,
  );
  console.log(
    `resident: ${resident[0]?.toFixed(0)} MB after the first page, ${Math.max(...resident).toFixed(0)} MB at most, ${resident.at(-1)?.toFixed(0)} MB at the end`,
  );
  const expected = Math.min(MENTIONS, most * PAGE_SIZE);
  if (shown !== expected) throw new Error(`${shown} of ${expected} mentions were shown`);
}

/** Keeps the beginning of nothing and the end of the body, which has the cursor. */
async function readPage(
  url: string,
  token: string,
): Promise<{ mentions: number; nextCursor: string | undefined }> {
  const { statusCode, body } = await request(url, { headers: { authorization: `bearer ${token}` } });
  let mentions = 0;
  let tail = "";
  for await (const chunk of body) {
    const text = Buffer.from(chunk).toString("latin1");
    const seam = tail.slice(-15) + text;
    mentions +=
      seam.split('{"resourceId":"').length - 1 - (tail.slice(-15).includes('{"resourceId":"') ? 1 : 0);
    tail = (tail + text).slice(-3_000);
  }
  if (statusCode !== 200) throw new Error(`status ${statusCode}: ${tail.slice(0, 500)}`);
  return { mentions, nextCursor: /"nextCursor":"([^"]+)"/.exec(tail)?.[1] };
}
