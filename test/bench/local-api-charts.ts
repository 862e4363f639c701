import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Pool } from "pg";
import { pino } from "pino";
import { createManualClock, monotonicMs } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { DAY } from "../../src/lib/instant.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { createLocalApi } from "../../src/listening-api/create-local-api.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { ensureMentionMonths } from "../../src/listening-api/store/mention-months.ts";
import { migrateLocalApi } from "../../src/listening-api/store/migrate-local-api.ts";
import { startEmbeddedPostgres } from "../../src/monitor/store/embedded.ts";
import { get, logIn } from "../listening-api/fixture.ts";

/**
 * What charts and insights of the local API cost over many stored mentions of one query, spread over 90 days: each
 * call through the whole server, several times, the middle time printed.
 *
 *     npx tsx test/bench/local-api-charts.ts [--mentions 1000000] [--rounds 3]
 */
const { values } = parseArgs({
  options: { mentions: { type: "string", default: "1000000" }, rounds: { type: "string", default: "3" } },
});
const [mentions, rounds] = [Number(values.mentions), Number(values.rounds)];
const FROM = Date.UTC(2026, 0, 1);
const DAYS = 90;
const USER = { username: "bench", password: "bench" };

const closing = createClosing();
try {
  const pool = await startDatabase();
  const account = await seedAccount(pool, {
    client: { name: "Bench" },
    user: USER,
    project: { name: "Bench", timezone: "Europe/Berlin" },
    queries: [{ name: "Everything" }],
    categories: [{ name: "Topics", children: ["Price", "Safety", "Service"] }],
    at: FROM,
  });
  const queryId = account.queries.get("Everything") ?? 0;
  const categoryIds = account.categories.flatMap((parent) => parent.children.map((child) => child.id));
  await fill(pool, queryId, categoryIds);
  const api = createLocalApi({
    pool,
    clock: createManualClock(FROM + 400 * DAY),
    log: { info() {}, warn() {}, error: (fields) => console.error(fields) },
    signingSecret: "bench",
  });
  closing.add(api.close);
  const token = String((await logIn(api, USER)).body.access_token);
  const bare = await middleOf(async () => {
    await pool.query("select count(author) from local_api.mention");
  });
  console.log(`${mentions} mentions, ${DAYS} days, ${rounds} rounds, middle time`);
  console.log(`${bare.toFixed(0).padStart(7)} ms   1.0  reading every row once, for comparison`);
  for (const call of calls()) {
    const [path = "", ...rest] = call.split("?");
    const parameters = [...new URLSearchParams(rest.join("?"))] as [string, string][];
    let points = 0;
    const time = await middleOf(async () => {
      const asked = [
        ["queryId", queryId],
        ["startDate", "2026-01-01"],
        ["endDate", "2026-04-01"],
        ...parameters,
      ] as const;
      const answer = await get(api, `/projects/${account.projectId}/data/${path}`, asked, token);
      if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      points = pointsOf(answer.body);
    });
    const ratio = (time / bare).toFixed(1);
    console.log(`${time.toFixed(0).padStart(7)} ms ${ratio.padStart(5)}  ${call}, ${points} points`);
  }
} finally {
  await closing.close();
}

function calls(): readonly string[] {
  return [
    "volume/queries/days",
    "volume/days/sentiment",
    "volume/hours/queries",
    "volume/authors/queries",
    "volume/authors/days?dim1Limit=20",
    "authors/days/queries",
    "netSentiment/days/queries",
    "multiAggregate/queries/days?aggregate=volume,reachEstimate,impressions,netSentiment,authors",
    "volume/categories/weeks",
    "volume/dayOfWeek/hourOfDay",
    "mentions/count",
    "hashtags?limit=100",
    "volume/topauthors/queries?limit=1000",
  ];
}

async function middleOf(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = monotonicMs();
    await work();
    times.push(monotonicMs() - startedAt);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

function pointsOf(body: { results?: { values?: unknown[] }[] }): number {
  return (body.results ?? []).reduce((sum, series) => sum + (series.values?.length ?? 1), 0);
}

async function startDatabase(): Promise<Pool> {
  const log = pino({ level: "silent" });
  const root = await mkdtemp(join(tmpdir(), "earshot-charts-"));
  closing.add(() => rm(root, { recursive: true, force: true }));
  await chmod(root, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: join(root, "postgres"), log });
  closing.add(postgres.stop);
  const pool = new Pool({ connectionString: postgres.url, max: 4 });
  pool.on("error", () => {});
  closing.add(() => pool.end());
  await migrateLocalApi(pool);
  return pool;
}

/**
 * Rows made by PostgreSQL itself, which is what takes a bench of a million of them from many minutes to one: 50,000
 * authors of very different diligence, 2,000 hashtags, records as long as a page of them is in life.
 */
async function fill(pool: Pool, queryId: number, categoryIds: readonly number[]): Promise<void> {
  const startedAt = monotonicMs();
  const days = Array.from({ length: DAYS }, (_, day) => FROM + day * DAY);
  await createDatabase(pool)
    .transaction()
    .execute((transaction) => ensureMentionMonths(transaction, days));
  await pool.query(
    `insert into local_api.mention (query_id, resource_id, version, id, date, added, updated, visible_at, shape_id,
       filled_fields, sentiment, page_type, language, author, domain, impressions, reach_estimate, categories,
       insights_hashtag, twitter_followers)
     select $1, lpad(to_hex(i), 32, '0'), 1, i, at, at, at, at, 1, repeat('x', 600),
       (array['positive', 'neutral', 'negative'])[1 + i % 3], (array['twitter', 'news', 'forum'])[1 + i % 3],
       (array['en', 'de', 'fr'])[1 + i % 3], 'author' || floor(50000 * power(random(), 3)),
       (array['twitter.com', 'news.example', 'forum.example'])[1 + i % 3], i % 4000, i % 900,
       case when i % 2 = 0 then array[($2::bigint[])[1 + i % 3]] else '{}' end,
       case when i % 3 = 0 then array['#tag' || floor(2000 * power(random(), 3)), '#all'] end, i % 5000
     from generate_series(1, $3::bigint) as i,
       lateral (select $4::timestamptz + (i - 1) * ($5::double precision / $3::bigint) * interval '1 day' as at) as moment`,
    [queryId, categoryIds, mentions, new Date(FROM), DAYS],
  );
  await pool.query("vacuum analyze local_api.mention");
  console.log(`filled in ${((monotonicMs() - startedAt) / 1_000).toFixed(0)} s`);
}
