import { DAY, HOUR, type Instant } from "../../lib/instant.ts";
import { formatNumber } from "../../lib/numbers.ts";
import { type Cause, decideCause, type OtherIncident } from "../incidents/cause.ts";
import { type Bucket, countIn, LEAST_STIRRED, PACE_MS, type Pace } from "../incidents/incident-life.ts";
import { type Material, materialOf, sharedWith } from "../incidents/material.ts";
import { type Alert, firedAtOf } from "../model/alert.ts";
import type { Incident, IncidentEntry } from "../model/incident.ts";
import type { StoryMention } from "../model/mention.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { Facts } from "../store/stores.ts";
import { type MentionFacts, MOST_READ } from "./material-reader.ts";

/** What is read and written of incidents: the tables, or a backtest's memory. */
export interface IncidentFacts {
  readonly incidents: Pick<
    Facts["incidents"],
    "ofQuery" | "elsewhere" | "members" | "ofAlerts" | "save" | "join" | "addEntries" | "mentionBuckets"
  >;
  readonly mentions: MentionFacts;
  readonly alerts: Pick<Facts["alerts"], "findMany" | "openOfQuery" | "addEvents">;
  /** Absent in a backtest, which works alone. */
  readonly notifications?: Pick<Facts["notifications"], "lockNotifications">;
}

/** Reads what decides about the incidents of a query, and writes nothing. */
export function createIncidentReader(facts: IncidentFacts, { projectId, queryId }: WatchedQuery) {
  const buckets = (from: Instant, to: Instant): Promise<readonly Bucket[]> =>
    facts.incidents.mentionBuckets(projectId, queryId, from, to);

  return {
    buckets,

    async paceOf({ measure }: Incident, at: Instant): Promise<Pace> {
      const lastHour = await buckets(at - HOUR, at);
      const since = (from: Instant) => countIn(lastHour, from, at)[measure];
      return { hour: since(at - HOUR), quarter: since(at - PACE_MS) };
    },

    /** Whether what is said in the hour before is what a watched incident was about: another crisis is one of its own. */
    async returnsAt(
      { measure, calmSince }: Incident,
      counted: readonly Bucket[],
      at: Instant,
      readMaterial: () => Promise<Material>,
    ): Promise<boolean> {
      if (calmSince === null || countIn(counted, at - HOUR, at)[measure] < LEAST_STIRRED) return true;
      const read = await facts.mentions.inWindow(projectId, queryId, at - HOUR, at, MOST_READ);
      const measured = read.filter(({ mention }) => measure === "total" || mention.sentiment === "negative");
      return sharedWith(measured, await readMaterial()) !== null;
    },

    /**
     * Other queries are read without their locks. That of the project lets one incident begin, join or leave at a time: of
     * two that begin at once one speaks for both, and what becomes a part of another speaks for nobody.
     */
    async causeOf(incident: Incident, mentions: readonly StoryMention[]): Promise<Cause> {
      await facts.notifications?.lockNotifications(projectId);
      const others: OtherIncident[] = [];
      for (const other of await facts.incidents.elsewhere(projectId, queryId)) {
        const { countedFrom, checkedUntil, lastSeenAt } = other;
        const to = Math.max(checkedUntil, lastSeenAt, incident.checkedUntil) + 1;
        const read = await facts.mentions.inWindow(projectId, other.queryId, countedFrom, to, MOST_READ);
        others.push({ incident: other, stories: materialOf(read, []).stories });
      }
      return decideCause({ group: incident.group, at: incident.checkedUntil, mentions }, others);
    },

    /** A new day is compared with the same hour of the day before, if the incident had begun then. */
    async comparedWithYesterday(
      entry: IncidentEntry,
      incident: Incident | undefined,
    ): Promise<IncidentEntry> {
      const to = entry.at - DAY;
      if (entry.kind !== "DayBegan" || incident === undefined || to < incident.openedAt) return entry;
      const before = countIn(await buckets(to - HOUR, to), to - HOUR, to)[incident.measure];
      return {
        ...entry,
        detail: `${entry.detail}, ${formatNumber(before)} in the same hour of the day before`,
      };
    },

    /** Open alerts of the query that belong to no incident, the newest first. */
    async alertsAlone(): Promise<readonly Alert[]> {
      const open = await facts.alerts.openOfQuery(projectId, queryId);
      const fired = open.filter(({ firedAt }) => firedAt !== null);
      const affiliated = await facts.incidents.ofAlerts(
        projectId,
        fired.map(({ id }) => id),
      );
      return fired.filter(({ id }) => !affiliated.has(id)).sort((a, b) => firedAtOf(b) - firedAtOf(a));
    },
  };
}
