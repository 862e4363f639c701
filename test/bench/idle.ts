import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { openBenchDatabaseUrl } from "./bench-database.ts";
import { postgresMs, postmasterOf } from "./postgres-time.ts";
import { startPushMonitor } from "./push-monitor.ts";

/**
 * What Earshot costs while nothing happens: the share of one processor of its process and of PostgreSQL together, and
 * the statements that it sends a second, with one push feed and ever more queries. Beside it, in the same run, the limit:
 * the same PostgreSQL before Earshot starts, and a process that only waits.
 */
const { values } = parseArgs({
  options: {
    queries: { type: "string", default: "1,200,5000" },
    seconds: { type: "string", default: "30" },
    /** Meanwhile queries are polled for the first time, and that is not measured. */
    warm: { type: "string", default: "30" },
    json: { type: "boolean", default: false },
  },
});
const SECONDS = Number(values.seconds);
const WARM_SECONDS = Number(values.warm);

let statements = 0;
const query = pg.Client.prototype.query as (...words: unknown[]) => unknown;
pg.Client.prototype.query = function (this: pg.Client, ...words: unknown[]) {
  statements += 1;
  return Reflect.apply(query, this, words);
} as typeof pg.Client.prototype.query;

interface Cost {
  /** Of one processor, in percent. */
  readonly own: number;
  readonly postgres: number;
  readonly statementsPerSecond: number;
}

const costs: { queries: number; limit: Cost; idle: Cost; unread: number }[] = [];
for (const queries of values.queries.split(",").map(Number)) {
  const closing = createClosing();
  try {
    const databaseUrl = await openBenchDatabaseUrl(closing);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    closing.add(() => client.end());
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const postmaster = postmasterOf(rows[0]?.pid ?? 0);
    const limit = await costOf(postmaster, Math.min(10, SECONDS));
    await startPushMonitor(closing, { databaseUrl, vendorUrl: "http://127.0.0.1:9/", queries });
    await delay(1_000 * WARM_SECONDS);
    const idle = await costOf(postmaster, SECONDS);
    const unread = await client.query<{ n: number }>(
      "select count(*)::int as n from earshot.polls where complete_until is null",
    );
    costs.push({ queries, limit, idle, unread: unread.rows[0]?.n ?? 0 });
    if (!values.json) print(costs.at(-1));
  } finally {
    await closing.close();
  }
}
if (values.json) console.log(JSON.stringify(costs));

async function costOf(postmaster: number, seconds: number): Promise<Cost> {
  const before = { at: monotonicMs(), own: process.cpuUsage(), postgres: postgresMs(postmaster), statements };
  await delay(1_000 * seconds);
  const tookMs = monotonicMs() - before.at;
  const { user, system } = process.cpuUsage(before.own);
  return {
    own: (user + system) / 10 / tookMs,
    postgres: (100 * (postgresMs(postmaster) - before.postgres)) / tookMs,
    statementsPerSecond: (1_000 * (statements - before.statements)) / tookMs,
  };
}

function print(cost: (typeof costs)[number] | undefined): void {
  if (cost === undefined) return;
  const { queries, limit, idle, unread } = cost;
  const percent = (share: number) => `${share.toFixed(1)} %`;
  console.log(
    `${queries} queries: ${percent(idle.own + idle.postgres)} of a processor (${percent(idle.own)} ours, ${percent(idle.postgres)} PostgreSQL's), ` +
      `${idle.statementsPerSecond.toFixed(1)} statements a second; the limit: ${percent(limit.own + limit.postgres)}` +
      (unread > 0 ? `; ${unread} polls were not read yet` : ""),
  );
}
