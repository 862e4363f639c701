import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { createManualClock, systemClock } from "../../../src/lib/clock.ts";
import { DAY, MINUTE } from "../../../src/lib/instant.ts";
import { createLog } from "../../../src/lib/log.ts";
import { uuid7Floor } from "../../../src/lib/uuid7.ts";
import { DISTINCT_AUTHORS_FOR_MS, VALUES_FOR_MS } from "../../../src/monitor/model/judging.ts";
import { dropPartitionsBefore, ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { pruneTables } from "../../../src/monitor/store/prune-tables.ts";
import { useStores } from "../../use-stores.ts";
import { untilWaiting } from "./waiting.ts";

const NOW = Date.parse("2026-03-15T12:00:00Z");
const RETENTION_MS = 60 * DAY;
const { database, stores } = await useStores();

/** Of tables whose rows are deleted: a row whose time ended at $1, in place of a name 'old' or 'new' at $2. */
const PRUNED: Readonly<Record<string, string>> = {
  digests: `(project_id, name, local_date, period_from, period_to, before_from, before_to, due_at, body)
    values ('*', $2, '2026-01-01', $1, $1, $1, $1, $1, '{"text": "words of a mention"}')`,
  silences: `(id, match, author, comment, created_at, starts_at, ends_at, windows)
    values (gen_random_uuid(), '{}', $2, '', $1, $1, $1, '[]')`,
  held_rules: `(project_id, query_id, rule, held_at, window_from, in_window, held, last_at, resumed_at)
    values ('p', '1', $2, $1, $1, 1, 1, $1, $1)`,
  outages: `(engine, outcome, from_at, to_at, because) values ('queue', 'Away', $1, $1, $2)`,
  inbox: `(id, kind, place, received_at, updated_at, message) values ($2, 'slack', '', $1, $1, '{}')`,
  inbox_files: `(id, name, type, received_at, bytes) values ($2, '', '', $1, '')`,
  rooms: `(id, project_id, incident_id, secret_hash, created_at, until, actor)
    values (gen_random_uuid(), 'p', gen_random_uuid(), sha256($2), $1, $1, '{}')`,
  access_tokens: `(id, secret_hash, name_key, label, scope, created_at, until)
    values (gen_random_uuid(), sha256($2), $2, '', 'read', $1, $1)`,
  one_time_codes: `(secret_hash, purpose, name_key, until) values (sha256($2), 'slack', $2, $1)`,
};

/** Of tables with a limit of their own: the same, and the limit. */
const OWN_LIMITS: Readonly<Record<string, { readonly row: string; readonly keptMs: number }>> = {
  distinct_authors: {
    row: "(project_id, query_id, series, author, span, bucket, mentions) values ('p', '1', '', $2, $1, $1, 1)",
    keptMs: DISTINCT_AUTHORS_FOR_MS,
  },
  seen_values: {
    row: "(project_id, query_id, series, value, first_at, authors) values ('p', '1', '', $2, $1, '[]')",
    keptMs: VALUES_FOR_MS,
  },
};

/** Of all others, where their rows end, or why they are kept. */
const OTHERS: Readonly<Record<string, string>> = {
  series: "with its query's windows",
  stale_counts: "counted within a minute",
  condition_states: "one a rule and query: state of the detector, no words",
  distinct_authors: "by its own limit: hashes",
  seen_values: "by its own limit: hashes",
  story_texts: "the newest texts of a query",
  ...{
    queries: "the list of the source",
    polls: "one a query",
    arrival_rates: "24 a poll",
    tokens: "of the source",
  },
  latest_alerts: "one a fingerprint: a hash",
  ...{
    alert_messages: "by its own limit",
    corrections: "until they are made",
  },
  ...{ group_flushes: "by its own limit", unsubscribed: "a person's wish", interactions: "eight days" },
  ...{ tombstones: "for ever, hashes: nothing of it comes back", forget_requests: "for ever, hashes" },
  ...{
    failures: "one a place",
    pulses: "one a name",
    channel_limits: "one a channel",
    server_quirks: "one a server",
  },
  query_groups: "until the account has them no more",
  ...{
    listed_authors: "a person's wish; a request to forget finds them by name",
    view_mails: "with its view",
  },
  ...{ budgets: "one an account", budget_slots: "one a call of the window", processes: "minutes" },
  ...{ count_checks: "30 days", counted_queries: "one a query", settings: "one a name" },
  ...{
    rule_tests: "one a test",
    rule_edits: "for ever: who changed which rule",
    audit: "for ever: who did what",
  },
  ...{
    users: "until an admin ends them",
    second_factors: "with their user",
    views: "until their user ends them",
  },
  ...{ slack_people: "until they are unlinked", sessions: "30 days after their end" },
  ...{ kysely_migration: "what was migrated", kysely_migration_lock: "one row" },
};

/** The months may be gone, and rows of the test before may have stayed. */
beforeEach(async () => {
  const tables = [...Object.keys(PRUNED), ...Object.keys(OWN_LIMITS), "alert_messages"];
  for (const table of tables) await database.pool.query(`delete from earshot.${table}`);
  await ensurePartitions(database.db, NOW);
});

function parts() {
  const clock = createManualClock(NOW);
  return { ...database, stores, retentionMs: RETENTION_MS, clock, log: createLog({ level: "silent" }) };
}

test("every table ends: by months, by the retention, or for a reason that is named here", async () => {
  const { rows } = await sql<{ name: string; isMonthly: boolean }>`
    select c.relname as name, c.relkind = 'p' as "isMonthly" from pg_class c
    where c.relnamespace = 'earshot'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  `.execute(database.db);
  const named = [...Object.keys(PRUNED), ...Object.keys(OTHERS)];
  const others = rows.filter(({ isMonthly }) => !isMonthly).map(({ name }) => name);
  expect(named.toSorted()).toEqual(others.toSorted());
  const { rows: months } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'earshot'::regnamespace and relname like '%\_2026\_03'
      and relkind = 'r'
  `.execute(database.db);
  const monthly = rows.filter(({ isMonthly }) => isMonthly).map(({ name }) => `${name}_2026_03`);
  expect(months.map(({ name }) => name).toSorted()).toEqual(monthly.toSorted());
});

test.each(Object.entries(PRUNED))(
  "%s: what is older than the retention goes, and nothing else",
  async (table, row) => {
    const add = (at: number, name: string) =>
      database.pool.query(`insert into earshot.${table} ${row}`, [new Date(at), name]);
    await add(NOW - RETENTION_MS - 1, "old");
    await add(NOW - RETENTION_MS, "new");
    await pruneTables(parts());
    const { rows } = await database.pool.query<{ all: string }>(
      `select count(*)::int as n from earshot.${table}`,
    );
    expect(rows).toEqual([{ n: 1 }]);
    await pruneTables({ ...parts(), clock: createManualClock(NOW + 2 * MINUTE) });
    const { rows: later } = await database.pool.query(`select from earshot.${table}`);
    expect(later).toHaveLength(0);
  },
);

test.each(Object.entries(OWN_LIMITS))("%s: what is older than its limit goes", async (table, limit) => {
  for (const [aheadMs, name] of [
    [-MINUTE, "old"],
    [MINUTE, "new"],
  ] as const)
    await database.pool.query(`insert into earshot.${table} ${limit.row}`, [
      new Date(NOW - limit.keptMs + aheadMs),
      name,
    ]);
  await pruneTables(parts());
  const { rows } = await database.pool.query(`select from earshot.${table}`);
  expect(rows).toHaveLength(1);
});

test("the state of a message goes a month after the last look at it, and stays as long as it is watched", async () => {
  const add = (receiver: string, days: number, isWatched = false) =>
    sql`
    insert into earshot.alert_messages (project_id, alert_id, receiver, shown, next_edit_wall, watched)
    values ('p', gen_random_uuid(), ${receiver}, '', now() - ${days} * interval '1 day', ${isWatched})
  `.execute(database.db);
  await add("old", 31);
  await add("new", 29);
  await add("watched", 31, true);
  await pruneTables(parts());
  const { rows } = await database.pool.query("select receiver from earshot.alert_messages order by 1");
  expect(rows).toEqual([{ receiver: "new" }, { receiver: "watched" }]);
});

test("months are dropped when the last of their days is older", async () => {
  const at = (moment: string) => pruneTables({ ...parts(), clock: createManualClock(Date.parse(moment)) });
  const isThere = async () =>
    (await sql`select from pg_class where relname = 'mentions_2026_03'`.execute(database.db)).rows.length;
  await at("2026-05-30T23:59:59Z");
  expect(await isThere()).toBe(1);
  await at("2026-05-31T00:00:00Z");
  expect(await isThere()).toBe(0);
});

test("tables of another program with the same names are left alone, and are no months of ours", async () => {
  const june = Date.parse("2026-06-15T12:00:00Z");
  await database.pool.query(`create schema if not exists beside;
    create table if not exists beside.mentions (day date) partition by range (day);
    create table if not exists beside.mentions_2026_06 partition of beside.mentions
      for values from ('2026-06-01') to ('2026-07-01')`);
  await ensurePartitions(database.db, june);
  const there = async () =>
    (
      await database.pool.query<{ of: string }>(
        "select relnamespace::regnamespace::text as of from pg_class where relname = 'mentions_2026_06' order by 1",
      )
    ).rows.map(({ of }) => of);
  expect(await there()).toEqual(["beside", "earshot"]);
  const dropped = await dropPartitionsBefore(database.db, june + 31 * DAY);
  expect(dropped.filter((name) => name === "mentions_2026_06")).toHaveLength(1);
  expect(await there()).toEqual(["beside"]);
});

/** Where the least value of a type is none. */
const ODD_VALUES: Readonly<Record<string, string>> = {
  ...{ "alerts.state": "'resolved'", "incidents.status": "'over'", "incident_notes.kind": "'comment'" },
  ...{ "mention_steps.kind": "'note'" },
};
const LEAST: Readonly<Record<string, string>> = {
  ...{ text: "''", integer: "0", bigint: "0", smallint: "0", jsonb: "'{}'", json: "'{}'", boolean: "false" },
  ...{
    uuid: "gen_random_uuid()",
    date: "'2026-01-02'",
    "timestamp with time zone": "'2026-01-02T00:00:00Z'",
  },
};

test("what is in no month goes by the same limit: history from before the first, and mentions without a date", async () => {
  // Months from before the installation have no partition.
  const [last, first] = [Date.parse("2025-12-31T23:59:59.999Z"), Date.parse("2026-01-01T00:00:00Z")];
  const { rows: tables } = await database.pool.query<{
    name: string;
    key: string;
    columns: [string, string][];
  }>(`
    select c.relname as name, substring(pg_get_partkeydef(c.oid) from '\\((\\w+)\\)') as key,
      (select json_agg(json_build_array(column_name, data_type)) from information_schema.columns i
        where i.table_schema = 'earshot' and i.table_name = c.relname and is_nullable = 'NO'
          and column_default is null and is_identity = 'NO') as columns
    from pg_class c where c.relnamespace = 'earshot'::regnamespace and c.relkind = 'p'`);
  expect(tables.length).toBeGreaterThan(15);
  const add = async (table: (typeof tables)[number], values: Record<string, string>) => {
    const of = ([column, type]: [string, string]) =>
      values[column] ?? ODD_VALUES[`${table.name}.${column}`] ?? LEAST[type] ?? "null";
    const columns = table.columns.map(([column]) => column).join(", ");
    await database.pool.query(
      `insert into earshot.${table.name} (${columns}) values (${table.columns.map(of).join(", ")})`,
    );
  };
  const keyOf = (table: (typeof tables)[number], at: number) => {
    const type = table.columns.find(([column]) => column === table.key)?.[1];
    return type === "uuid" ? `'${uuid7Floor(at)}'` : `'${new Date(at).toISOString()}'`;
  };
  const mentions = tables.find(({ name }) => name === "mentions");
  if (mentions === undefined) throw new Error("they are partitioned");
  const addMention = (name: string, day: string, eventAt: number, addedAt: number) =>
    add(mentions, {
      ...{
        query_id: "'1'",
        resource_id: `'${name}'`,
        day: `'${day}'`,
        event_at: `'${new Date(eventAt).toISOString()}'`,
      },
      added_at: `'${new Date(addedAt).toISOString()}'`,
    });
  for (const { name } of tables) await database.pool.query(`delete from earshot.${name}`);
  for (const table of tables.filter(({ name }) => name !== "mentions")) {
    for (const [name, at] of [
      ["old", last],
      ["new", first],
    ] as const)
      await add(table, { [table.key]: keyOf(table, at), project_id: `'${name}'` });
  }
  await addMention("old", "2025-12-31", last, last);
  await addMention("late", "2025-12-31", last, first);
  await addMention("new", "2026-01-01", first, first);
  await addMention("undated old", "1970-01-01", last, last);
  await addMention("undated new", "1970-01-01", first, first);
  await addMention("of the first moment", "2026-01-01", first, last);
  // What goes with a mention stays as long as that.
  const of = tables.filter(({ name }) => ["matches", "mention_workflow", "mention_steps"].includes(name));
  for (const table of of)
    for (const [resource, day] of [
      ["late", "2025-12-31"],
      ["undated old", "1970-01-01"],
      ["undated new", "1970-01-01"],
    ])
      await add(table, { project_id: "''", query_id: "'1'", resource_id: `'${resource}'`, day: `'${day}'` });
  // No mention has these: it is another project's, query's or day's.
  for (const table of of)
    for (const other of [{ project_id: "'other'" }, { query_id: "'2'" }, { day: "'2025-12-30'" }]) {
      const late = { project_id: "''", query_id: "'1'", resource_id: "'late'", day: "'2025-12-31'" };
      await add(table, { ...late, ...other });
    }

  await pruneTables(parts());
  const left = async (name: string, column: string) =>
    (
      await database.pool.query<{ one: string }>(`select ${column} as one from earshot.${name} order by 1`)
    ).rows.map(({ one }) => one);
  expect(await left("mentions", "resource_id")).toEqual([
    "late",
    "new",
    "of the first moment",
    "undated new",
  ]);
  for (const { name } of tables)
    if (name !== "mentions")
      expect([name, (await left(name, "project_id")).filter((one) => one !== "")]).toEqual([name, ["new"]]);
  for (const { name } of of)
    expect([name, (await left(name, "resource_id")).filter((one) => one !== "")]).toEqual([
      ...[name, ["late", "undated new"]],
    ]);
});

test("two processes that prune at the same time drop a month together", async () => {
  const late = { ...parts(), clock: createManualClock(Date.parse("2026-07-15T12:00:00Z")) };
  const holder = await database.pool.connect();
  try {
    await holder.query("begin");
    await holder.query("lock table earshot.mentions_2026_04");
    const both = Promise.allSettled([pruneTables(late), pruneTables(late)]);
    await untilWaiting(database.db, 2);
    await holder.query("commit");
    expect((await both).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  } finally {
    holder.release();
  }
});

test("three processes that prune a year of months at the same time take turns, and none fails", async () => {
  for (let month = 0; month < 12; month += 2) await ensurePartitions(database.db, Date.UTC(2029, month, 15));
  const late = { ...parts(), clock: createManualClock(Date.parse("2030-06-15T12:00:00Z")) };
  await Promise.all([pruneTables(late), pruneTables(late), pruneTables(late)]);
  const { rows } = await database.pool.query("select from pg_class where relname ~ '_2029_[0-9]{2}$'");
  expect(rows).toEqual([]);
});

test.each(["rooms", "access_tokens", "one_time_codes"])(
  "%s: the clock of a demo, which runs ahead, ends nothing that people use now",
  async (table) => {
    const tomorrow = systemClock.now() + DAY;
    await database.pool.query(`insert into earshot.${table} ${PRUNED[table]}`, [new Date(tomorrow), "used"]);
    await pruneTables({ ...parts(), clock: createManualClock(tomorrow + RETENTION_MS + DAY) });
    const { rows } = await database.pool.query(`delete from earshot.${table} returning 1`);
    expect(rows).toHaveLength(1);
  },
);
