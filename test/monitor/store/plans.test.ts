import { CompiledQuery, Kysely, PostgresDialect, sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import type { Notification } from "../../../src/monitor/model/notification.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { createStores, type Facts } from "../../../src/monitor/store/stores.ts";
import { aMention } from "../../mention.ts";
import { useStores } from "../../use-stores.ts";

/**
 * What the line asks most often must be planned in the same way however much is kept: by indexes, and without the months
 * that it does not ask for. The tables hold a few rows of each month of a year; PostgreSQL is told that these are a
 * million, ten and a hundred million, and plans.
 */
const NOW = Date.parse("2026-03-15T12:00:00Z");
const MONTHS = 12;
const ROWS_A_MONTH = 120;
const KEPT = [1_000_000, 10_000_000, 100_000_000];

/** Rows of each table for one mention. */
const SHARES: Readonly<Record<string, number>> = {
  mentions: 1,
  matches: 0.02,
  counts: 0.2,
  coverage: 0.01,
  alerts: 0.005,
  alert_events: 0.02,
  alert_receivers: 0.01,
  notifications: 0.01,
  deliveries: 0.01,
  incident_alerts: 0.002,
};

const MENTION = aMention({ queryId: "q", resourceId: "m1", addedAt: NOW, publishedAt: NOW });
const ALERT = idOf(NOW, 1);
const KEY = { projectId: "p", queryId: "q", poll: "added" } as const;
const TERMS = { bucketMs: 5 * MINUTE, unplanned: [], mostPolls: 500, mostDeliveries: 500, mostEdits: 50 };
const NOTIFICATION: Notification = {
  ...{
    id: ALERT,
    projectId: "p",
    receiver: "hook",
    kind: "fired",
    alertId: ALERT,
    digest: null,
    createdAt: NOW,
  },
  ...{
    reason: "Fired",
    state: "due",
    attempts: 1,
    attemptsBefore: 0,
    lastError: null,
    vendorRef: null,
    also: [],
  },
} as const;

/** The statements of a page, a message, a tick and a sweep; true: it asks for few months, and reads only those. */
const HOTTEST: Readonly<
  Record<string, readonly [isOfFewMonths: boolean, (facts: Facts) => Promise<unknown>]>
> = {
  "store a page": [
    false,
    ({ mentions }) =>
      mentions.storePage("p", mentions.rowsOf([{ mention: MENTION, eventAt: NOW, story: "s" }]), NOW),
  ],
  "add counts": [
    false,
    ({ counts }) => counts.add("p", "q", [{ series: "s", arrived: NOW, bucket: NOW, n: 1 }]),
  ],
  "what was refused": [false, ({ forgotten }) => forgotten.refusals("p", "q")],
  "who is among the forgotten": [false, ({ forgotten }) => forgotten.among("p", "q", ["m1", "m2"])],
  "what has matched": [false, ({ alerts }) => alerts.alreadyMatched("p", [{ rule: "r", mention: MENTION }])],
  "add matches": [
    false,
    ({ alerts }) =>
      alerts.addMatches("p", [{ rule: "r", mention: MENTION, alertId: ALERT, at: NOW, because: "b" }]),
  ],
  "the newest alerts of a page": [false, ({ alerts }) => alerts.latest("p", ["f1", "f2"])],
  "an alert": [true, ({ alerts }) => alerts.find("p", ALERT)],
  "the alerts that a tick may end": [
    false,
    ({ alerts }) => alerts.openThatMayEnd({ projectId: "p", queryId: "q" }, [{ rule: "r", before: NOW }]),
  ],
  "the alerts that may inhibit": [false, ({ alerts }) => alerts.inhibitorsOfProject("p")],
  "how many alerts a rule opens": [
    false,
    ({ ruleFloods }) => ruleFloods.ofRules({ projectId: "p", queryId: "q" }, ["r"], NOW, NOW + 10 * MINUTE),
  ],
  "the history of an alert": [
    true,
    ({ alerts }) => alerts.addEvents("p", [{ alertId: ALERT, at: NOW, what: "Fired", detail: "" }]),
  ],
  "incidents of a query": [false, ({ incidents }) => incidents.ofQuery("p", "q", NOW - DAY)],
  "incidents of alerts": [false, ({ incidents }) => incidents.ofAlerts("p", [ALERT])],
  "the pace of an incident": [false, ({ incidents }) => incidents.mentionBuckets("p", "q", NOW - HOUR, NOW)],
  "mentions of a window": [false, ({ mentions }) => mentions.inWindow("p", "q", NOW - HOUR, NOW, 500)],
  "mentions of an alert": [false, ({ mentions }) => mentions.ofAlert("p", ALERT, 50)],
  "counts of a window": [true, ({ counts }) => counts.arrivals("p", "q", NOW - HOUR, NOW)],
  "what receivers know": [false, ({ notifications }) => notifications.entries("p", [ALERT])],
  "a new notification": [false, ({ notifications }) => notifications.addPending([NOTIFICATION])],
  "decisions that are due": [false, ({ notifications }) => notifications.alertsToReconsider("p", "q", NOW)],
  "the next message": [false, ({ notifications }) => notifications.nextDue(["hook", "channel"])],
  "the claim of a message": [false, ({ notifications }) => notifications.claim("p", ALERT)],
  "the message before it": [false, ({ notifications }) => notifications.firstRef("p", ALERT, "hook")],
  "a message was sent": [false, ({ notifications }) => notifications.markSent(NOTIFICATION, NOW, {})],
  "the end of a poll": [
    true,
    ({ coverage }) =>
      coverage.record({
        ...{ ...KEY, startedAt: NOW, fromAt: NOW - HOUR, untilAt: NOW, claimed: 1, seen: 1, stored: 1 },
        ...{ rejected: 0, gap: 0 },
      }),
  ],
  "what the sweep finds": [
    false,
    ({ dueWork }) => dueWork.find({ ...TERMS, now: NOW, liveReceivers: ["channel"] }),
  ],
};

/** No transaction by keys asks for these: PostgreSQL may have another plan for other values. */
const PLANNED_ANEW = ["decisions that are due", "what the sweep finds"];

const { database } = await useStores();
/** Of each question, the plan of each size. */
const plans = new Map<string, PlanStep[][]>();
/** What is large as PostgreSQL believes: tables, and indexes of all their rows. */
let large = new Set<string>();

beforeAll(async () => {
  for (let month = 0; month < MONTHS; month++) await ensurePartitions(database.db, NOW - month * 30 * DAY);
  await fill();
  for (const kept of KEPT) {
    await pretend(kept);
    for (const [name, [, ask]] of Object.entries(HOTTEST))
      plans.set(name, [
        ...(plans.get(name) ?? []),
        await plansOf(ask, { isPlannedOnce: !PLANNED_ANEW.includes(name) }),
      ]);
  }
}, 120_000);

test.each(Object.keys(HOTTEST))("%s", (name) => {
  const all = plans.get(name) ?? [];
  expect(all.length).toBe(KEPT.length);
  expect(all.flatMap((plan) => plan.filter(({ whole }) => whole).map(({ text }) => text))).toEqual([]);
  const months = new Set(all.flat().flatMap(({ text }) => /_(\d{4}_\d\d)/.exec(text)?.[1] ?? []));
  if (HOTTEST[name]?.[0] === true) expect(months.size, "months that are read").toBeLessThanOrEqual(1);
});

test("a planted fault is found: an index is gone", async () => {
  const name = "how many alerts a rule opens";
  const plan = await plansOf(HOTTEST[name]?.[1] ?? (async () => {}), {
    change: sql`drop index earshot.alerts_by_opening`,
  });
  expect(plan.filter(({ whole }) => whole)).not.toEqual([]);
});

/** Ids as alerts and notifications have them: they begin with their moment. */
function idOf(moment: Instant, n: number): string {
  const time = moment.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

/** The same number of rows in each month of each table, as old months have them: nearly all is settled. */
async function fill(): Promise<void> {
  const rows = MONTHS * ROWS_A_MONTH;
  const apartMs = (MONTHS * 30 * DAY) / rows;
  const filled = [
    sql`
    create temporary table made as
    select n, to_timestamp(ms / 1000) as at, 'f' || n as fingerprint, case when n % 10 = 0 then 'q' else 'q' || n % 10 end as query,
      (substr(hex, 1, 8) || '-' || substr(hex, 9) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id
    from generate_series(1, ${rows}::int) as n, lateral (select ${NOW}::bigint - n * ${apartMs}::bigint as ms) t,
      lateral (select lpad(to_hex(ms), 12, '0') as hex) h`,
    sql`insert into earshot.mentions (project_id, query_id, resource_id, day, event_at, added_at, updated_at, seen_at, sentiment, story, body)
      select 'p', query, 'm' || n, (at at time zone 'UTC')::date, at, at, at, at, 'negative', 's' || n % 400, '{}' from made`,
    sql`insert into earshot.matches (project_id, query_id, resource_id, day, rule, alert_id, at, because)
      select 'p', query, 'm' || n, (at at time zone 'UTC')::date, 'r', id, at, '' from made`,
    sql`insert into earshot.counts (project_id, query_id, series, arrived, bucket, n) select 'p', query, 's' || n % 5, at, at, 1 from made`,
    sql`insert into earshot.coverage (project_id, query_id, poll, started_at, from_at, until_at, seen, stored, rejected, gap)
      select 'p', query, 'added', at, at, at, 1, 1, 0, 0 from made`,
    sql`insert into earshot.alerts (project_id, id, rule, fingerprint, query_id, query_name, severity, state, labels, opened_at, fired_at,
        last_seen_at, resolved_at, mentions, because, window_from, window_to, "values")
      select 'p', id, 'r' || n % 7, fingerprint, query, query, (array['info', 'info', 'warning', 'critical'])[1 + n % 4],
        case when n < 5 then 'firing' else 'resolved' end, '{}', at, at, at, case when n < 5 then null else at end, 1, '', at, at, '{}'
      from made`,
    sql`insert into earshot.latest_alerts (project_id, fingerprint, query_id, alert_id, open) select 'p', fingerprint, query, id, n < 5 from made`,
    sql`insert into earshot.alert_events (project_id, alert_id, at, what, detail) select 'p', id, at, 'Fired', '' from made`,
    sql`insert into earshot.alert_receivers (project_id, alert_id, receiver, entry, next_at)
      select 'p', id, 'hook', '{}', case when n < 5 then at end from made`,
    sql`insert into earshot.notifications (project_id, id, receiver, kind, alert_id, created_at, reason, state)
      select 'p', id, case when n % 2 = 0 then 'hook' else 'channel' end, 'fired', id, at, 'Fired', case when n < 5 then 'due' else 'sent' end
      from made`,
    sql`insert into earshot.deliveries (project_id, notification_id, attempt, outcome, detail) select 'p', id, 1, 'sent', '' from made`,
    sql`insert into earshot.incident_alerts (project_id, alert_id, incident_id, joined_at, because)
      select 'p', id, id, at, '' from made`,
  ];
  await database.db.connection().execute(async (connection) => {
    for (const statement of filled) await statement.execute(connection);
  });
  await sql`vacuum analyze`.execute(database.db);
}

/** Tells PostgreSQL that its tables have the rows of so many mentions, evenly over the months. What is in them stays. */
async function pretend(kept: number): Promise<void> {
  const names = Object.keys(SHARES);
  const { rows } = await sql<{ name: string; of: string; pages: number }>`
    select c.relname as name, coalesce(t.relname, c.relname) as of,
      (pg_relation_size(c.oid) / current_setting('block_size')::int)::int as pages
    from pg_class c left join pg_index i on i.indexrelid = c.oid left join pg_class t on t.oid = i.indrelid
    -- What is open or waits does not grow with what is kept.
    where i.indpred is null and pg_relation_size(c.oid) > 0 and c.relnamespace = 'earshot'::regnamespace and c.relkind in ('r', 'i')
      and coalesce(t.relname, c.relname) ~ ${`^(${names.join("|")})_[0-9]{4}_[0-9]{2}$`}`.execute(
    database.db,
  );
  expect(rows.length).toBeGreaterThan(2 * names.length * MONTHS);
  large = new Set();
  for (const { name, of, pages } of rows) {
    const count = (kept * (SHARES[of.replace(/_\d{4}_\d\d$/, "")] ?? 0)) / MONTHS;
    await sql`select pg_restore_relation_stats('schemaname', 'earshot', 'relname', ${name}::text, 'relpages', ${pages}::int,
      'reltuples', ${count}::real)`.execute(database.db);
    if (count > 10_000) large.add(name);
    // Old alerts wait for no decision.
    if (name === of && name.startsWith("alert_receivers"))
      await sql`select pg_restore_attribute_stats('schemaname', 'earshot', 'relname', ${name}::text, 'attname', 'next_at',
        'inherited', false, 'null_frac', ${1 - 4 / count}::real)`.execute(database.db);
  }
}

/** Asks once for the statements, and has each explained. Nothing of it stays. */
async function plansOf(
  ask: (facts: Facts) => Promise<unknown>,
  { change = sql`select`, isPlannedOnce = false } = {},
): Promise<PlanStep[]> {
  const asked: CompiledQuery[] = [];
  const spied = new Kysely<never>({
    dialect: new PostgresDialect({ pool: database.pool }),
    log: ({ query }) => {
      asked.push(query);
    },
  });
  return spied.connection().execute(async (connection) => {
    await sql`begin`.execute(connection);
    await change.execute(connection);
    const known = asked.length;
    await sql`savepoint before`.execute(connection);
    await ask(createStores(connection));
    const statements = asked.slice(known + 1);
    await sql`rollback to savepoint before`.execute(connection);
    const nodes: PlanStep[] = [];
    for (const { sql: text, parameters } of statements) {
      const planned = async (query: CompiledQuery): Promise<PlanNode> => {
        const { rows } = await connection.executeQuery<{
          "QUERY PLAN": readonly [{ readonly Plan: PlanNode }];
        }>(query);
        const [row] = rows;
        if (row === undefined) throw new Error(`no plan of ${text}`);
        return row["QUERY PLAN"][0].Plan;
      };
      const own = await planned(CompiledQuery.raw(`explain (format json) ${text}`, [...parameters]));
      nodes.push(...nodesOf(own));
      // Of a statement that it has seen often, PostgreSQL keeps one plan for all parameters if that costs no more.
      const kept = await planned(CompiledQuery.raw(`explain (generic_plan, format json) ${text}`));
      if (isPlannedOnce || kept["Total Cost"] <= own["Total Cost"] + PLANNING_COST)
        nodes.push(...nodesOf(kept).filter(({ whole }) => whole));
    }
    await sql`rollback`.execute(connection);
    return nodes;
  });
}

/** More than PostgreSQL adds to a plan for making it anew. */
const PLANNING_COST = 100;

interface PlanNode {
  readonly "Total Cost": number;
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly PlanNode[];
}

interface PlanStep {
  readonly text: string;
  /** It reads all of something large. */
  readonly whole: boolean;
}

/** The steps of a plan that read a table or an index. */
function nodesOf(plan: PlanNode): PlanStep[] {
  const {
    "Node Type": type,
    "Relation Name": table,
    "Index Name": index,
    "Index Cond": condition,
    Plans = [],
  } = plan;
  const read = index ?? table;
  const whole =
    read !== undefined &&
    large.has(read) &&
    condition === undefined &&
    type !== "Bitmap Heap Scan" &&
    /Scan/.test(type);
  const own = /Scan/.test(type) && read !== undefined ? [{ text: `${type} ${read}`, whole }] : [];
  return [...own, ...Plans.flatMap(nodesOf)];
}
