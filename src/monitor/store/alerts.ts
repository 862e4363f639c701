import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Alert } from "../model/alert.ts";
import type { RulePrecision } from "../model/alert-action.ts";
import { Severity } from "../model/severity.ts";
import { createAlertHistoryStore, createMatchStore } from "./alert-history.ts";
import { at, atOrNull, type Db } from "./database.ts";

/** Alerts, their mentions, their notifications and their history. */
export function createAlertStore(db: Db) {
  return {
    ...createMatchStore(db),
    ...createAlertHistoryStore(db),

    /** The open alerts of a query. The caller holds the query's lock, so nobody else changes them meanwhile. */
    async openOfQuery(projectId: string, queryId: string): Promise<Alert[]> {
      const { rows } = await sql<Alert>`
        select ${COLUMNS} from earshot.latest_alerts l
        join earshot.alerts a on a.project_id = l.project_id and a.id = l.alert_id
        where l.project_id = ${projectId} and l.query_id = ${queryId} and l.open
      `.execute(db);
      return rows;
    },

    /**
     * The open alerts of a query that passing time may end: those of the given rules that were last seen before the
     * moment of their rule, and all of other rules. Costs the same however many others are open.
     */
    async openThatMayEnd(
      { projectId, queryId }: { readonly projectId: string; readonly queryId: string },
      rules: readonly { readonly rule: string; readonly before: Instant }[],
    ): Promise<Alert[]> {
      const ofQuery = sql`a.project_id = ${projectId} and a.query_id = ${queryId} and a.state <> 'resolved'`;
      const { rows: open } = await sql<{ rule: string }>`
        with recursive open_rules as (
          (select a.rule from earshot.alerts a where ${ofQuery} order by a.rule limit 1)
          union all
          select next.rule from open_rules o cross join lateral (
            select a.rule from earshot.alerts a where ${ofQuery} and a.rule > o.rule order by a.rule limit 1) next)
        select rule from open_rules
      `.execute(db);
      if (open.length === 0) return [];
      const before = new Map(rules.map((one) => [one.rule, one.before]));
      // Each with its own values in the statement: so PostgreSQL knows which of them are few.
      const ofRules = open.map(({ rule }) => {
        const moment = before.get(rule);
        const seen = moment === undefined ? sql`true` : sql`a.last_seen_at < ${at(moment)}`;
        return sql`select ${COLUMNS} from earshot.alerts a where ${ofQuery} and a.rule = ${rule} and ${seen}`;
      });
      const { rows } = await sql<Alert>`${sql.join(ofRules, sql` union all `)}`.execute(db);
      return rows;
    },

    /** Alerts of a project that are firing and may inhibit others, which are less severe: the most severe first. */
    async inhibitorsOfProject(projectId: string): Promise<Alert[]> {
      // Each with its own value in the statement: so PostgreSQL knows which of them are few.
      const ofSeverities = MAY_INHIBIT.map(
        (severity) => sql`(
          select ${COLUMNS} from earshot.alerts a where a.project_id = ${projectId} and a.severity = ${severity}
            and a.fired_at is not null and a.resolved_at is null
          order by a.opened_at limit 1000)`,
      );
      const { rows } = await sql<Alert>`
        select * from (${sql.join(ofSeverities, sql` union all `)}) as a limit 1000`.execute(db);
      return rows;
    },

    /** The newest alert of each of these fingerprints, open or resolved. */
    async latest(projectId: string, fingerprints: readonly string[]): Promise<Alert[]> {
      if (fingerprints.length === 0) return [];
      const { rows } = await sql<Alert>`
        select ${COLUMNS} from earshot.latest_alerts l
        join earshot.alerts a on a.project_id = l.project_id and a.id = l.alert_id
        where l.project_id = ${projectId} and l.fingerprint = any(${[...fingerprints]}::text[])
      `.execute(db);
      return rows;
    },

    async find(projectId: string, id: string): Promise<Alert | null> {
      const { rows } = await sql<Alert>`
        select ${COLUMNS} from earshot.alerts a where project_id = ${projectId} and id = ${id}::uuid
      `.execute(db);
      return rows[0] ?? null;
    },

    /** These alerts, in no order. Unknown ids are left out. */
    async findMany(projectId: string, ids: readonly string[]): Promise<Alert[]> {
      if (ids.length === 0) return [];
      const { rows } = await sql<Alert>`
        select ${COLUMNS} from earshot.alerts a where project_id = ${projectId} and id = any(${[...ids]}::uuid[])
      `.execute(db);
      return rows;
    },

    /** The names of these alerts, the most common first. */
    async countByRule(
      projectId: string,
      ids: readonly string[],
    ): Promise<{ query: string; ruleName: string; count: number }[]> {
      if (ids.length === 0) return [];
      const { rows } = await sql<{ query: string; ruleName: string; count: number }>`
        select query_name as query, rule as "ruleName", count(*) as count from earshot.alerts
        where project_id = ${projectId} and id = any(${[...ids]}::uuid[]) group by 1, 2 order by 3 desc, 1, 2 limit 5
      `.execute(db);
      return rows;
    },

    /** Writes whole alerts and updates the index of the newest ones. Part of the transaction that decided them. */
    async save(alerts: readonly Alert[]): Promise<void> {
      if (alerts.length === 0) return;
      const whole = sql`
        insert into earshot.alerts (project_id, id, rule, fingerprint, query_id, query_name, severity, state, labels,
          opened_at, fired_at, last_seen_at, resolved_at, notify_count, renotify_reason, mentions, because, window_from,
          window_to, "values", handling, progress)
        select "projectId", id, rule, fingerprint, "queryId", "queryName", severity, state, labels,
          to_timestamp("openedAt" / 1000), to_timestamp("firedAt" / 1000), to_timestamp("lastSeenAt" / 1000),
          to_timestamp("resolvedAt" / 1000), "notifyCount", "renotifyReason", mentions, because,
          to_timestamp("windowFrom" / 1000), to_timestamp("windowTo" / 1000), "values", coalesce(handling, '{}'::jsonb),
          coalesce(progress, '{}'::jsonb)
        from json_to_recordset(${storableJson(alerts)}::json) as a("projectId" text, id uuid, rule text,
          fingerprint text, "queryId" text, "queryName" text, severity text, state text, labels jsonb,
          "openedAt" double precision, "firedAt" double precision, "lastSeenAt" double precision,
          "resolvedAt" double precision, "notifyCount" int, "renotifyReason" text, mentions int, because text,
          "windowFrom" double precision, "windowTo" double precision, "values" jsonb, handling jsonb,
          progress jsonb)
        on conflict (project_id, id) do update set severity = excluded.severity, state = excluded.state,
          fired_at = excluded.fired_at, last_seen_at = excluded.last_seen_at, resolved_at = excluded.resolved_at,
          notify_count = excluded.notify_count, renotify_reason = excluded.renotify_reason,
          mentions = excluded.mentions, because = excluded.because, window_from = excluded.window_from,
          window_to = excluded.window_to, "values" = excluded."values", handling = excluded.handling,
          progress = excluded.progress
      `.execute(db);
      // A table of its own, because a partitioned table cannot keep "one open alert per fingerprint" unique. If several
      // alerts share a fingerprint, the last in the list is the newest.
      const newest = [...new Map(alerts.map((alert) => [alert.fingerprint, alert])).values()];
      const latest = sql`
        insert into earshot.latest_alerts (project_id, fingerprint, query_id, alert_id, open)
        select "projectId", fingerprint, "queryId", id, state <> 'resolved'
        from json_to_recordset(${storableJson(newest)}::json)
          as a("projectId" text, fingerprint text, "queryId" text, id uuid, state text)
        on conflict (project_id, fingerprint) do update set alert_id = excluded.alert_id, open = excluded.open
      `.execute(db);
      await Promise.all([whole, latest]);
    },

    /** Stores what a person did to an existing alert, the newest of its fingerprint or an older one. */
    async amend(alert: Alert): Promise<void> {
      await sql`
        update earshot.alerts set state = ${alert.state}, resolved_at = ${atOrNull(alert.resolvedAt)},
          handling = ${storableJson(alert.handling ?? {})}::jsonb
        where project_id = ${alert.projectId} and id = ${alert.id}::uuid
      `.execute(db);
      await sql`
        update earshot.latest_alerts set open = ${alert.state !== "resolved"}
        where project_id = ${alert.projectId} and fingerprint = ${alert.fingerprint} and alert_id = ${alert.id}::uuid
      `.execute(db);
    },

    /** The ids of all alerts that begin with one of these, which have the same length. */
    async idsBeginning(prefixes: readonly string[]): Promise<string[]> {
      const [first = ""] = prefixes;
      const { rows } = await sql<{ id: string }>`
        select id from earshot.alerts where left(id::text, ${first.length}) = any(${[...prefixes]}::text[])
      `.execute(db);
      return rows.map(({ id }) => id);
    },

    /** By id, or by its first letters; the newest few, if more than one alert starts with them. */
    async findByPrefix(prefix: string): Promise<Alert[]> {
      const { rows } = await sql<Alert>`
        select ${COLUMNS} from earshot.alerts a where a.id::text like ${`${prefix.toLowerCase()}%`} order by a.id desc limit 10
      `.execute(db);
      return rows;
    },

    /** The query, rule and group of the alerts with these fingerprints. */
    async namesOf(fingerprints: readonly string[]): Promise<Map<string, string>> {
      if (fingerprints.length === 0) return new Map();
      const { rows } = await sql<{
        fingerprint: string;
        queryName: string;
        rule: string;
        labels: Alert["labels"];
      }>`
        select l.fingerprint, a.query_name as "queryName", a.rule, a.labels from earshot.latest_alerts l
        join earshot.alerts a on a.project_id = l.project_id and a.id = l.alert_id
        where l.fingerprint = any(${[...fingerprints]}::text[])
      `.execute(db);
      return new Map(rows.map(({ fingerprint, ...alert }) => [fingerprint, nameOf(alert)]));
    },

    /** How often each rule fired since a moment, and the feedback of people. */
    async precision(since: Instant): Promise<RulePrecision[]> {
      const { rows } = await sql<RulePrecision>`
        select rule, count(*) as fired, count(*) filter (where (handling->>'relevant')::boolean) as relevant,
          count(*) filter (where not (handling->>'relevant')::boolean) as "notRelevant"
        from earshot.alerts where fired_at is not null and opened_at >= ${at(since)} group by rule order by rule
      `.execute(db);
      return rows;
    },

    /** Alerts opened in [from, to) in any state, oldest first. */
    async openedBetween(from: Instant, to: Instant): Promise<Alert[]> {
      const { rows } = await sql<Alert>`
        select ${COLUMNS} from earshot.alerts a
        where opened_at >= ${at(from)} and opened_at < ${at(to)} order by opened_at, rule, query_name, fingerprint
      `.execute(db);
      return rows;
    },

    /** Alerts of a rule on a query that were open or pending at some moment of [from, to], oldest first. */
    async ofRule(
      { projectId, queryId }: { readonly projectId: string; readonly queryId: string },
      rule: string,
      from: Instant,
      to: Instant,
    ): Promise<Alert[]> {
      const { rows } = await sql<Alert>`
        select ${COLUMNS} from earshot.alerts a
        where project_id = ${projectId} and query_id = ${queryId} and rule = ${rule}
          and opened_at <= ${at(to)} and (resolved_at is null or resolved_at >= ${at(from)})
        order by opened_at, id limit 100
      `.execute(db);
      return rows;
    },

    /** How many alerts of a rule on a query fired in [from, to). */
    async countOfRule(
      { projectId, queryId }: { readonly projectId: string; readonly queryId: string },
      rule: string,
      from: Instant,
      to: Instant,
    ): Promise<number> {
      const { rows } = await sql<{ alerts: number }>`
        select count(*)::int as alerts from earshot.alerts
        where project_id = ${projectId} and query_id = ${queryId} and rule = ${rule} and fired_at is not null
          and opened_at >= ${at(from)} and opened_at < ${at(to)}
      `.execute(db);
      return rows[0]?.alerts ?? 0;
    },

    /** Alerts that were open at some moment of [from, to), oldest first. */
    async openBetween(from: Instant, to: Instant): Promise<Alert[]> {
      const { rows } = await sql<Alert>`
        select ${COLUMNS} from earshot.alerts a
        where opened_at < ${at(to)} and (resolved_at is null or resolved_at >= ${at(from)}) and state <> 'pending'
        order by opened_at, id
      `.execute(db);
      return rows;
    },
  };
}

/** All but the mildest, the most severe first. */
const MAY_INHIBIT = Severity.options.slice(1).toReversed();

function nameOf({ queryName, rule, labels }: Pick<Alert, "queryName" | "rule" | "labels">): string {
  const group = Object.entries(labels).filter(
    ([name, value]) => name !== "query" && name !== "queryId" && value !== queryName,
  );
  return [queryName, rule, ...group.map(([name, value]) => `${name} ${value}`)].join(", ");
}

const COLUMNS = sql`
  a.id, a.project_id as "projectId", a.rule, a.fingerprint, a.query_id as "queryId", a.query_name as "queryName",
  a.severity, a.state, a.labels, a.opened_at as "openedAt", a.fired_at as "firedAt", a.last_seen_at as "lastSeenAt",
  a.resolved_at as "resolvedAt", a.notify_count as "notifyCount", a.renotify_reason as "renotifyReason", a.mentions, a.because,
  a.window_from as "windowFrom", a.window_to as "windowTo", a."values", a.handling, a.progress`;
