import { request } from "undici";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createMemoryTokenStore } from "../../src/monitor/source/session.ts";
import { createSourceClient } from "../../src/monitor/source/source-client.ts";
import { median } from "./median.ts";
import { type PageServer, startPageServer } from "./pages.ts";

/**
 * Mentions a second of (a) a bare loop of undici.request and JSON.parse and (b) the client's `mentions()`, over the
 * same pages. The two take turns, so that a busy moment of the machine hits both; medians of five.
 */
const RUNS = 5;
const server = await startPageServer({ pages: Number(process.argv[2] ?? 8) });
const readers = {
  bare: readBare,
  client: readClient,
};
type Reader = keyof typeof readers;
const names = Object.keys(readers) as Reader[];
const rates: Record<Reader, number[]> = { bare: [], client: [] };

for (let run = 0; run <= RUNS; run++) {
  for (const name of names) {
    const startedAt = monotonicMs();
    const count = await readers[name](server);
    const seconds = (monotonicMs() - startedAt) / 1_000;
    if (count !== server.mentions) throw new Error(`${name} read ${count} of ${server.mentions} mentions`);
    // The first round warms up.
    if (run > 0) rates[name].push(count / seconds);
  }
}
await server.close();

const bare = median(rates.bare);
console.log(`mentions per run          ${server.mentions}`);
console.log(`(a) request + JSON.parse  ${Math.round(bare)} mentions/s`);
console.log(
  `(b) client.mentions()     ${Math.round(median(rates.client))} mentions/s, b/a ${(median(rates.client) / bare).toFixed(2)}`,
);

async function readBare(from: PageServer): Promise<number> {
  let count = 0;
  let cursor: string | null = "0";
  while (cursor !== null) {
    const answer = await request(`${from.baseUrl}/projects/${from.projectId}/data/mentions?cursor=${cursor}`);
    const page = JSON.parse(await answer.body.text()) as { results: unknown[]; nextCursor: string | null };
    count += page.results.length;
    cursor = page.nextCursor;
  }
  return count;
}

async function readClient(from: PageServer): Promise<number> {
  const client = createSourceClient({
    baseUrl: from.baseUrl,
    credentials: { username: "bench", password: "bench", clientId: "bench-api-client" },
    tokens: createMemoryTokenStore(),
  });
  let count = 0;
  const params = {
    projectId: from.projectId,
    queryIds: [from.queryId],
    startDate: Date.UTC(2026, 0, 1),
    endDate: Date.UTC(2027, 0, 1),
    orderBy: "added",
    orderDirection: "asc",
    pageSize: 5_000,
  } as const;
  for await (const page of client.mentions(params)) count += page.mentions.length;
  await client.close();
  return count;
}
