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
 * What a page of 5,000 of a walk with `search` costs, at its beginning and at page 50, over mentions of which five in
 * six are found; and the memory of the process meanwhile. Reads over HTTP, as a client does.
 */

const { values } = parseArgs({
  options: {
    mentions: { type: "string", default: "300000" },
    "page-size": { type: "string", default: "5000" },
    pages: { type: "string", default: "60" },
    search: { type: "string", multiple: true },
  },
});
const MENTIONS = Number(values.mentions);
const PAGE_SIZE = Number(values["page-size"]);
const SEARCHES = values.search ?? [
  "(alpha OR beta OR gamma OR delta) NOT tea",
  "battery",
  '"hot water" OR "cold water"',
];
const FIRST = Date.UTC(2026, 0, 1);
const STEP_MS = Math.floor((30 * DAY) / MENTIONS);
/** Each stands for a sixth of the mentions. */
const TEXTS = [
  "alpha three days without hot water and the support line still plays the same song #acme",
  "beta my battery died after two days, what a shame for such an expensive phone",
  "gamma is fine, the delivery came on time and the box was not even open",
  "delta cold water again in the morning, nobody answers the phone",
  "alpha and beta together are cheaper than gamma, who would have thought so",
  "a cup of tea with delta on the terrace, life is good",
];

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
  const user = { username: "bench", password: "bench" };
  const account = await seedAccount(pool, {
    client: { name: "Bench" },
    user,
    project: { name: "Bench" },
    queries: [{ name: "One" }],
    at: FIRST,
  });
  const queryId = account.queries.get("One") ?? 0;
  await fill(queryId);
  const log = { info() {}, warn() {}, error: console.error };
  const clock = createManualClock(FIRST + 60 * DAY);
  const api = createLocalApi({ pool, clock, log, signingSecret: "bench" });
  const baseUrl = await api.listen({ host: "127.0.0.1", port: 0 });
  const token = await logIn(baseUrl, user);
  for (const search of [undefined, ...SEARCHES])
    await poll(`${baseUrl}/projects/${account.projectId}/data/mentions`, { queryId, token, search });
  await api.close();
} finally {
  await pool.end();
  await server.stop();
  await rm(root, { recursive: true, force: true });
}

/** One mention of each text is stored as every mention is; the others are made of these by PostgreSQL. */
async function fill(queryId: number): Promise<void> {
  const db = createDatabase(pool);
  const at = new Date(FIRST).toISOString().replace("Z", "+0000");
  await insertMentions(
    db,
    TEXTS.map((text, n) => ({
      version: 1,
      record: mentionRecord({
        ...{ resourceId: `${n}`.repeat(32), queryId, queryName: "One", date: at, added: at, updated: at },
        ...{ snippet: text, url: "https://news.example/acme/1", domain: "news.example", author: "ann" },
        ...{ pageType: "twitter", sentiment: "negative", language: "en", impact: 12 },
      }),
      ...{ date: FIRST, added: FIRST, updated: FIRST, visibleAt: FIRST, supersededAt: null, fullText: text },
    })),
  );
  const months = [0, 1].map((month) => Date.UTC(2026, month, 15));
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
    resource_id: "md5(made.n::text)",
    said: "replace(given.said, given.resource_id, md5(made.n::text))",
  };
  const columns = rows.map((row: { name: string }) => row.name);
  await pool.query(`
    insert into local_api.mention (${columns.join(", ")})
    select ${columns.map((name: string) => made[name] ?? `given.${name}`).join(", ")}
    from generate_series(${TEXTS.length}, ${MENTIONS - 1}) as n,
      lateral (select n, to_timestamp(${FIRST / 1_000}) + n * interval '${STEP_MS} milliseconds' as at) as made
      join local_api.mention given on given.resource_id = repeat((made.n % ${TEXTS.length})::text, 32)`);
  await pool.query("vacuum analyze local_api.mention");
}

interface Asked {
  readonly queryId: number;
  readonly token: string;
  readonly search: string | undefined;
}

async function poll(url: string, { queryId, token, search }: Asked): Promise<void> {
  const parameters = new URLSearchParams({
    queryId: String(queryId),
    startDate: "2026-01-01",
    endDate: "2026-12-31",
    pageSize: String(PAGE_SIZE),
    ...(search === undefined ? {} : { search }),
  });
  const costs: number[] = [];
  let [shown, total, most] = [0, 0, 0];
  const before = process.memoryUsage().rss;
  for (let page = 1; page <= Number(values.pages); page++) {
    const startedAt = performance.now();
    const { statusCode, body } = await request(`${url}?${parameters}`, {
      headers: { authorization: `bearer ${token}` },
    });
    const text = await body.text();
    costs.push(performance.now() - startedAt);
    if (statusCode !== 200) throw new Error(`status ${statusCode}: ${text.slice(0, 300)}`);
    const mentions = text.split('{"resourceId":"').length - 1;
    shown += mentions;
    total = Number(/"resultsTotal":(\d+)/.exec(text.slice(-3_000))?.[1]);
    most = Math.max(most, process.memoryUsage().rss);
    const cursor = /"nextCursor":"([^"]+)"/.exec(text.slice(-3_000))?.[1];
    if (cursor === undefined || mentions < PAGE_SIZE) break;
    parameters.set("cursor", cursor);
  }
  const [second, fiftieth] = [costs[1] ?? Number.NaN, costs[49] ?? Number.NaN];
  console.log(
    `${search ?? "without search"}: ${total} found, ${shown} shown on ${costs.length} pages; first ${ms(costs[0])}, ` +
      `page 2 ${ms(second)}, page 50 ${ms(fiftieth)} (${(fiftieth / second).toFixed(2)} times), ` +
      `median of 2 to 11 ${ms(median(costs.slice(1, 11)))}, of the last ten full ones ${ms(median(costs.slice(-11, -1)))}; ` +
      `memory ${mb(before)} before, ${mb(most)} at most`,
  );
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

function ms(value: number | undefined): string {
  return `${value === undefined || Number.isNaN(value) ? "-" : value.toFixed(0)} ms`;
}

function mb(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MB`;
}
