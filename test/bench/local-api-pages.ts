import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Pool } from "pg";
import { pino } from "pino";
import { request } from "undici";
import { createManualClock } from "../../src/lib/clock.ts";
import { DAY } from "../../src/lib/instant.ts";
import { createLocalApi } from "../../src/local-api/create-local-api.ts";
import { mentionRecord } from "../../src/local-api/records/mention-record.ts";
import { seedAccount } from "../../src/local-api/seed-account.ts";
import { createDatabase } from "../../src/local-api/store/database.ts";
import { insertMentions } from "../../src/local-api/store/insert-mentions.ts";
import { ensureMentionMonths } from "../../src/local-api/store/mention-months.ts";
import { migrateLocalApi } from "../../src/local-api/store/migrate-local-api.ts";
import { startEmbeddedPostgres } from "../../src/store/embedded.ts";
import { median } from "./median.ts";

/**
 * What a page of 5,000 of the local API costs at the beginning and at the end of a walk over a million mentions, and
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
const FIRST = Date.UTC(2026, 0, 1);
/** Four months. */
const STEP_MS = Math.floor((120 * DAY) / MENTIONS);

const root = await mkdtemp(join(tmpdir(), "earshot-bench-"));
await chmod(root, 0o755);
const server = await startEmbeddedPostgres({
  dataDir: join(root, "postgres"),
  log: pino({ level: "warn" }, pino.destination(2)),
});
const pool = new Pool({ connectionString: server.url, max: 8 });
pool.on("error", () => {});
try {
  await migrateLocalApi(pool);
  await run();
} finally {
  await pool.end();
  await server.stop();
  await rm(root, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const user = { username: "bench", password: "bench" };
  const account = await seedAccount(pool, {
    client: { name: "Bench", tags: { "ratelimit.limit": "1000000", "ratelimit.period": "10" } },
    user,
    project: { name: "Bench" },
    queries: [{ name: "One" }, { name: "Two" }, { name: "Three" }],
    at: FIRST,
  });
  const queryIds = [...account.queries.values()];
  await fill(queryIds);
  const clock = createManualClock(FIRST + 200 * DAY);
  const log = { info() {}, warn() {}, error: console.error };
  const api = createLocalApi({ pool, clock, log, signingSecret: "bench" });
  const baseUrl = await api.listen({ host: "127.0.0.1", port: 0 });
  const token = await logIn(baseUrl, user);
  await poll(`${baseUrl}/projects/${account.projectId}/data/mentions`, queryIds, token);
  await api.close();
}

/** One mention is stored as every mention is; the others are made of it by PostgreSQL. */
async function fill(queryIds: readonly number[]): Promise<void> {
  const startedAt = performance.now();
  const db = createDatabase(pool);
  const [queryId = 0] = queryIds;
  const at = new Date(FIRST).toISOString().replace("Z", "+0000");
  const text =
    "Three days without hot water and the support line still plays the same song. #acme @acme ".repeat(3);
  await insertMentions(db, [
    {
      version: 1,
      record: mentionRecord({
        ...{ resourceId: "f".repeat(32), queryId, queryName: "One", date: at, added: at, updated: at },
        ...{ title: "Hot water", snippet: text, url: "https://news.example/acme/1", domain: "news.example" },
        ...{ author: "ann", pageType: "twitter", sentiment: "negative", language: "en", impact: 12 },
        ...{
          country: "Germany",
          countryCode: "DEU",
          city: "Berlin",
          twitterFollowers: 1200,
          reachEstimate: 90,
        },
        ...{ insightsHashtag: ["#acme"], insightsMentioned: ["@acme"], accountType: "individual" },
      }),
      ...{ date: FIRST, added: FIRST, updated: FIRST, visibleAt: FIRST, supersededAt: null, fullText: text },
    },
  ]);
  const months = Array.from({ length: 5 }, (_, month) => Date.UTC(2026, month, 15));
  await db.transaction().execute((transaction) => ensureMentionMonths(transaction, months));
  const { rows } = await pool.query(`
    select column_name as name from information_schema.columns
    where table_schema = 'local_api' and table_name = 'mention' order by ordinal_position`);
  const made: Readonly<Record<string, string>> = {
    date: "made.at",
    added: "made.at",
    updated: "made.at",
    visible_at: "made.at",
    id: "made.n",
    query_id: `(array[${queryIds.join(",")}])[1 + made.n % ${queryIds.length}]`,
    resource_id: "md5(made.n::text)",
    impact: "made.n % 101",
    title: "md5(made.n::text)",
    said: `replace(given.said, '${"f".repeat(32)}', md5(made.n::text))`,
  };
  const columns = rows.map((row: { name: string }) => row.name);
  await pool.query(`
    insert into local_api.mention (${columns.join(", ")})
    select ${columns.map((name: string) => made[name] ?? `given.${name}`).join(", ")}
    from local_api.mention given,
      (select n, to_timestamp(${FIRST / 1_000}) + n * interval '${STEP_MS} milliseconds' as at
       from generate_series(1, ${MENTIONS - 1}) as n) as made`);
  await pool.query("vacuum analyze local_api.mention");
  const size = await pool.query(
    "select pg_size_pretty(sum(pg_total_relation_size(inhrelid))) as size from pg_inherits where inhparent = 'local_api.mention'::regclass",
  );
  console.log(
    `${MENTIONS} mentions made in ${seconds(startedAt)} s, ${size.rows[0].size} with their indexes`,
  );
}

async function poll(url: string, queryIds: readonly number[], token: string): Promise<void> {
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
    const answer = await readPage(`${url}?${parameters}`, token);
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

/** Keeps the beginning of nothing and the end of the body, where the cursor stands. */
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

async function logIn(baseUrl: string, user: { username: string; password: string }): Promise<string> {
  const { body } = await request(
    `${baseUrl}/oauth/token?grant_type=api-password&client_id=earshot-api-client&username=${user.username}`,
    {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `password=${user.password}`,
    },
  );
  return ((await body.json()) as { access_token: string }).access_token;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(0);
}
