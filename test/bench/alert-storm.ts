import { parseArgs } from "node:util";
import { sql } from "kysely";
import { parseConfig } from "../../src/admin/config/config.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { DAY, MINUTE } from "../../src/lib/instant.ts";
import { createNotifyConfig } from "../../src/monitor/health/notify-config.ts";
import { closeWindows } from "../../src/monitor/ingest/close-windows.ts";
import type { SourcePage } from "../../src/monitor/ingest/source-page.ts";
import { BUCKET_MS } from "../../src/monitor/model/judging.ts";
import type { PollParts } from "../../src/monitor/polling/poll-parts.ts";
import { pollQuery } from "../../src/monitor/polling/poll-queries.ts";
import { parseRule } from "../../src/monitor/rules/parse-rule.ts";
import type { Rule } from "../../src/monitor/rules/rule.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { createStores } from "../../src/monitor/store/stores.ts";
import { aMention } from "../mention.ts";
import { createMemoryKnowledge } from "../monitor/ingest/use-polls.ts";
import { sourceOfPages } from "../monitor/polling/source-of-pages.ts";
import { openBenchDatabase } from "./bench-database.ts";
import { postgresMs, postmasterOf } from "./postgres-time.ts";
import { timeStore } from "./time-store.ts";

/**
 * What a mention, a sweep, a message and the end of a window cost while ever more alerts are open and ever more
 * notifications wait: a rule alerts on every second mention, and all of its alerts are in one incident. The first
 * thousand alerts are made as in real life, the others are copies of these.
 */
const { values } = parseArgs({
  options: {
    open: { type: "string", default: "1000,20000,100000" },
    pages: { type: "string", default: "6" },
    deliveries: { type: "string", default: "100" },
    incident: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
  },
});
const SIZES = values.open.split(",").map(Number);
const [PAGES, DELIVERIES] = [Number(values.pages), Number(values.deliveries)];
const PAGE = 500;
const NOON = Date.parse("2026-03-02T12:00:00Z");
const KEY = { projectId: "p", queryId: "q", poll: "added" } as const;

const WORDS = ["late", "broken", "double", "lost", "slow", "wrong"];

const closing = createClosing();
try {
  const database = await openBenchDatabase(closing);
  const postgres = Number(
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db)).rows[0]?.pid,
  );
  const bench = await openBench(database.db, postmasterOf(postgres));
  const first = await bench.measure(SIZES[0] ?? 1_000);
  report(first, first);
  for (const open of SIZES.slice(1)) report(await bench.measure(open), first);
} finally {
  await closing.close();
}

type Db = Parameters<typeof createStores>[0];
type Part = "mention" | "sweep" | "webhook message" | "Slack message" | "window";
interface Cost {
  readonly ownMs: number;
  readonly postgresMs: number;
  readonly statements: number;
}
interface Measurement {
  readonly open: number;
  readonly waiting: number;
  readonly inIncident: number;
  readonly costs: ReadonlyMap<Part, Cost>;
  readonly slowest: readonly (readonly [string, number])[];
}

async function openBench(db: Db, postmaster: number) {
  let statements = 0;
  const counted = db.withPlugin({
    transformQuery: ({ node }) => {
      statements++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const stores = createStores(counted);
  const rules = [
    aRule(
      "flood",
      `severity: info\nwhen: { sentiment: negative }\ngroupBy: author\nover: { after: 2d }\n${values.incident ? "" : "incident: never"}`,
    ),
    aRule("volume", "severity: warning\nvolume: { atLeast: 300, within: 15m }\nover: { after: 2d }"),
  ];
  const config = createNotifyConfig(
    await parseConfig({
      operator: { flood: 1_000_000 },
      source: { baseUrl: "https://l.example", username: "a", password: "b", clientId: "c" },
      receivers: [
        { name: "hook", kind: "webhook", url: "https://hook.example/" },
        { name: "channel", kind: "slack", channel: "#alerts", token: "t" },
      ],
      routes: [
        { receivers: ["hook"], repeatEvery: "never", continue: true },
        { receivers: ["channel"], repeatEvery: "never" },
      ],
      inhibitions: [{ while: { severity: "critical" }, mute: { severity: "warning" }, equal: ["query"] }],
    }),
  );
  const clock = createManualClock(NOON);
  await ensurePartitions(db, NOON);
  const query = { projectId: "p", queryId: "q", name: "Acme", projectName: "Brands", timezone: "UTC" };
  await stores.queries.register([query], NOON - DAY, NOON - DAY);
  await stores.polls.ensure(NOON);
  let made = 0;

  async function read(pages: number, store: PollParts["store"]): Promise<void> {
    clock.set(clock.now() + MINUTE);
    await sql`update earshot.polls set next_at = to_timestamp(${clock.now() / 1_000}::double precision)`.execute(
      db,
    );
    async function* generate(): AsyncGenerator<SourcePage> {
      for (let page = 0; page < pages; page++) {
        const mentions = Array.from({ length: PAGE }, (_, n) => {
          const number = made++;
          return aMention({
            queryId: "q",
            resourceId: `m${number}`,
            addedAt: clock.now() - MINUTE + Math.floor((n * MINUTE) / PAGE),
            sentiment: n % 2 === 0 ? "negative" : "neutral",
            author: `author ${number}`,
            text: `never again Acme, says number ${number} of us about the ${WORDS[number % WORDS.length]} refund`,
          });
        });
        yield {
          mentions,
          rejected: [],
          nextCursor: page + 1 < pages ? String(page) : null,
          total: pages * PAGE,
          pageSize: PAGE,
        };
      }
    }
    const parts: PollParts = {
      store,
      source: sourceOfPages(generate, { quirkLog: createMemoryKnowledge(clock.now), now: clock.now }),
      rulesFor: () => rules,
      notifyConfig: config,
      clock,
      settings: () => ({ overlapMs: 0, settleMs: 0, lookbackMs: DAY, historyFrom: NOON - DAY }),
      everyMs: () => DAY,
      onPending: async () => {},
    };
    const done = await pollQuery(parts, KEY, new AbortController().signal);
    if (done.outcome !== "Complete" || done.added !== pages * PAGE) throw new Error(JSON.stringify(done));
  }

  async function closeWindow(): Promise<void> {
    clock.set(Math.ceil((clock.now() + 1) / BUCKET_MS) * BUCKET_MS + MINUTE);
    await sql`update earshot.polls set complete_until = to_timestamp(${clock.now() / 1_000}::double precision)`.execute(
      db,
    );
    await closeWindows({ store: stores, rulesFor: () => rules, notifyConfig: config, clock }, KEY);
  }

  async function send(
    claim: () => Promise<{ projectId: string; notificationId: string } | null>,
  ): Promise<void> {
    const next = await claim();
    const claimed = next && (await stores.notifications.claim(next.projectId, next.notificationId));
    if (claimed == null) throw new Error("nothing could be claimed");
    await stores.notifications.markSent(claimed, clock.now(), { id: claimed.id });
  }

  async function cost(times: number, work: () => Promise<void>): Promise<Cost> {
    const before = { own: process.cpuUsage(), postgres: postgresMs(postmaster), statements };
    await work();
    const own = process.cpuUsage(before.own);
    return {
      ownMs: (own.user + own.system) / 1_000 / times,
      postgresMs: (postgresMs(postmaster) - before.postgres) / times,
      statements: (statements - before.statements) / times,
    };
  }

  // As it begins in real life: alerts, and then the windows that make an incident of them.
  await read(2, stores);
  await closeWindow();
  await read(2, stores);

  return {
    async measure(open: number): Promise<Measurement> {
      await copyAlerts(db, open);
      const timed = timeStore(stores);
      const costs = new Map<Part, Cost>();
      costs.set("mention", await cost(PAGES * PAGE, () => read(PAGES, timed.timed)));
      const terms = {
        bucketMs: BUCKET_MS,
        liveReceivers: ["channel"],
        unplanned: [],
        mostPolls: 500,
        mostDeliveries: 500,
        mostEdits: 50,
      };
      costs.set(
        "sweep",
        await cost(10, async () => {
          for (let n = 0; n < 10; n++) await stores.dueWork.find({ now: clock.now(), ...terms });
        }),
      );
      costs.set(
        "webhook message",
        await cost(DELIVERIES, async () => {
          for (let n = 0; n < DELIVERIES; n++) await send(() => stores.notifications.nextDue(["hook"]));
        }),
      );
      const pace = { key: "slack:#alerts", everyMs: 0, burst: 100_000 };
      costs.set(
        "Slack message",
        await cost(4, async () => {
          for (let n = 0; n < 4; n++)
            await send(async () => {
              await stores.channelLimits.take(pace);
              await stores.channelLimits.keysOf(pace.key);
              return stores.notifications.nextDue(["channel"]);
            });
        }),
      );
      costs.set("window", await cost(1, closeWindow));
      const { rows } = await sql<{ open: number; waiting: number; inIncident: number }>`
        select (select count(*) from earshot.latest_alerts where open)::int as open,
          (select count(*) from earshot.notifications where state = 'due')::int as waiting,
          (select count(*) from earshot.incident_alerts)::int as "inIncident"`.execute(db);
      const counts = rows[0] ?? { open: 0, waiting: 0, inIncident: 0 };
      return { ...counts, costs, slowest: timed.times().slice(0, 12) };
    },
  };
}

/** Copies of the alerts that are there, with all that belongs to them, until so many are open. */
async function copyAlerts(db: Db, open: number): Promise<void> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from earshot.latest_alerts where open`.execute(db);
  const missing = open - (rows[0]?.n ?? 0);
  if (missing > 0) {
    await sql`drop table if exists copies`.execute(db);
    await sql`
      create table copies as
      select alert_id as old, n, (left(alert_id::text, 14) || substr(gen_random_uuid()::text, 15))::uuid as new
      from (select alert_id, row_number() over (order by alert_id) as place from earshot.latest_alerts where open) l,
        generate_series(0, ${Math.ceil(missing / (rows[0]?.n ?? 1))}::int) as n
      order by n, place limit ${missing}`.execute(db);
    const fresh = (column: string) =>
      `(left(t.${column}::text, 14) || substr(gen_random_uuid()::text, 15))::uuid`;
    const tables: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
      ["alerts", "id", { id: "c.new", fingerprint: "t.fingerprint || c.new" }],
      ["latest_alerts", "alert_id", { fingerprint: "t.fingerprint || c.new" }],
      ["alert_events", "alert_id", {}],
      ["alert_receivers", "alert_id", {}],
      ["alert_messages", "alert_id", {}],
      ["incident_alerts", "alert_id", {}],
      ["notifications", "alert_id", { id: fresh("id"), also: "null" }],
    ];
    for (const [table, id, other] of tables) await copyRows(db, table, id, { [id]: "c.new", ...other });
  }
  await sql`vacuum analyze`.execute(db);
}

async function copyRows(
  db: Db,
  table: string,
  id: string,
  made: Readonly<Record<string, string>>,
): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = 'earshot' and table_name = ${table} and is_identity = 'NO'`.execute(db);
  const columns = rows.map(({ name }) => name);
  const given = columns.map((name) => made[name] ?? `t."${name}"`);
  await sql
    .raw(
      `insert into earshot.${table} (${columns.map((name) => `"${name}"`).join(", ")})
       select ${given.join(", ")} from copies c join earshot.${table} t on t.${id} = c.old`,
    )
    .execute(db);
}

function report({ open, waiting, inIncident, costs, slowest }: Measurement, first: Measurement): void {
  console.log(`${open} open alerts, ${inIncident} in an incident, ${waiting} notifications wait`);
  for (const [part, { ownMs, postgresMs: theirs, statements }] of costs) {
    const then = first.costs.get(part);
    const times = then === undefined ? 1 : (ownMs + theirs) / (then.ownMs + then.postgresMs);
    console.log(
      `  a ${part}: ${ownMs.toFixed(2)} ms of our processor, ${theirs.toFixed(2)} of PostgreSQL's, ${statements.toFixed(3)} statements: ${times.toFixed(2)} times`,
    );
  }
  if (values.profile) for (const [name, ms] of slowest) console.log(`    ${name} ${ms.toFixed(0)} ms`);
}

function aRule(name: string, lines: string): Rule {
  const parsed = parseRule(name, `${name}.yaml`, `description: d\n${lines}\n`);
  if ("rule" in parsed) return parsed.rule;
  throw new Error(JSON.stringify(parsed.faults));
}
