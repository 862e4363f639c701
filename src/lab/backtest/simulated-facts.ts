import {
  type Alert,
  BUCKET_MS,
  eventAt,
  type Incident,
  type IncidentFacts,
  type Mention,
  type StoryMention,
  storyKey,
} from "#monitor";
import { DAY, floorTo, type Instant } from "../../lib/instant.ts";

/** The tables of mentions, alerts and incidents in memory, as far as incidents need them. */
export interface SimulatedFacts extends IncidentFacts {
  readonly alertsById: ReadonlyMap<string, Alert>;
  /** In the order in which they began. */
  known(): readonly Incident[];
  addMention(mention: Mention, story: string): void;
  saveAlerts(alerts: readonly Alert[]): void;
  addMatch(alertId: string, mention: Mention): void;
  /** Drops what no decision after `now` reads. Alerts and incidents are the result, and stay. */
  forget(now: Instant): void;
}

type Bucket = Awaited<ReturnType<IncidentFacts["incidents"]["mentionBuckets"]>>[number];
type Membership = Awaited<ReturnType<IncidentFacts["incidents"]["members"]>>[number];

/** What a query has stored. */
interface QueryFacts {
  /** By their own time. */
  mentions: StoryMention[];
  readonly buckets: Map<Instant, Bucket>;
}

/** The words of an incident are compared with those of three days before it. */
const BEFORE_MS = 4 * DAY;
/** What is usual before an incident is counted over eight days. */
const BUCKETS_FOR_MS = 10 * DAY;
const MOST_MATCHES = 50;

export function createSimulatedFacts(): SimulatedFacts {
  const alerts = new Map<string, Alert>();
  const matches = new Map<string, StoryMention[]>();
  const queries = new Map<string, QueryFacts>();
  const incidents = new Map<string, Incident>();
  const memberships = new Map<string, Membership>();

  const factsOf = (queryId: string): QueryFacts => {
    const found = queries.get(queryId) ?? { mentions: [], buckets: new Map() };
    queries.set(queryId, found);
    return found;
  };

  return {
    alertsById: alerts,
    known: () => [...incidents.values()],
    addMention: (mention, story) => {
      const { mentions, buckets } = factsOf(mention.queryId);
      mentions.splice(firstAt(mentions, eventAt(mention) + 1), 0, { mention, story });
      count(buckets, mention);
    },
    saveAlerts: (changed) => {
      for (const alert of changed) alerts.set(alert.id, alert);
    },
    addMatch: (alertId, mention) => {
      const known = matches.get(alertId) ?? [];
      matches.set(alertId, [{ mention, story: storyKey(mention) }, ...known].slice(0, MOST_MATCHES));
    },
    forget: (now) => {
      for (const [queryId, facts] of queries) {
        const began = [...incidents.values()]
          .filter((one) => one.queryId === queryId && one.endedAt === null)
          .map(({ countedFrom }) => countedFrom);
        facts.mentions.splice(0, firstAt(facts.mentions, Math.min(now, ...began) - BEFORE_MS));
        for (const at of facts.buckets.keys()) if (at < now - BUCKETS_FOR_MS) facts.buckets.delete(at);
      }
    },
    mentions: {
      inWindow: async (_, queryId, from, to, limit) =>
        between(factsOf(queryId).mentions, from, to).slice(-limit).reverse(),
      ofAlert: async (_, alertId, limit) => (matches.get(alertId) ?? []).slice(0, limit),
    },
    alerts: {
      findMany: async (_, ids) => ids.flatMap((id) => alerts.get(id) ?? []),
      openOfQuery: async (projectId, queryId) =>
        [...alerts.values()].filter(
          (one) => one.projectId === projectId && one.queryId === queryId && one.resolvedAt === null,
        ),
      addEvents: async () => {},
    },
    incidents: {
      ofQuery: async (projectId, queryId, since) =>
        [...incidents.values()].filter(
          (one) => one.projectId === projectId && one.queryId === queryId && (one.endedAt ?? since) >= since,
        ),
      members: async (_, ids) => [...memberships.values()].filter((one) => ids.includes(one.incidentId)),
      ofAlerts: async (_, ids) =>
        new Map(
          ids.flatMap((id) => {
            const incident = incidents.get(memberships.get(id)?.incidentId ?? "");
            return incident === undefined ? [] : [[id, incident] as const];
          }),
        ),
      save: async (changed) => {
        for (const incident of changed) incidents.set(incident.id, incident);
      },
      join: async (joined) => {
        for (const one of joined) memberships.set(one.alertId, one);
      },
      addEntries: async () => {},
      mentionBuckets: async (_, queryId, from, to) => {
        const { mentions, buckets } = factsOf(queryId);
        const isWhole = from % BUCKET_MS === 0 && to % BUCKET_MS === 0;
        if (isWhole) return [...buckets.values()].filter(({ at }) => at >= from && at < to);
        const parts = new Map<Instant, Bucket>();
        for (const { mention } of between(mentions, from, to)) count(parts, mention);
        return [...parts.values()];
      },
    },
  };
}

/** Adds a mention to the count of its five minutes. */
function count(buckets: Map<Instant, Bucket>, mention: Mention): void {
  const at = floorTo(eventAt(mention), BUCKET_MS);
  const { negative, total } = buckets.get(at) ?? { negative: 0, total: 0 };
  const isNegative = mention.sentiment === "negative";
  buckets.set(at, { at, negative: negative + Number(isNegative), total: total + 1 });
}

function between(mentions: readonly StoryMention[], from: Instant, to: Instant): StoryMention[] {
  return mentions.slice(firstAt(mentions, from), firstAt(mentions, to));
}

/** Index of the first mention that is not before `at`. */
function firstAt(mentions: readonly StoryMention[], at: Instant): number {
  let [from, to] = [0, mentions.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const found = mentions[middle];
    if (found !== undefined && eventAt(found.mention) < at) from = middle + 1;
    else to = middle;
  }
  return from;
}
