import type { Clock } from "../lib/clock.ts";
import type { Instant } from "../lib/instant.ts";
import { fitsQuery } from "../lib/patterns.ts";
import { uuid7 } from "../lib/uuid7.ts";
import type { Alert } from "../model/alert.ts";
import { ALL_PROJECTS, type DigestEdition } from "../model/digest-edition.ts";
import type { OwedNotification } from "../model/notification.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { DigestView } from "../templates/digest-view.ts";
import { composeDigest, type QueryFacts } from "./compose.ts";
import type { DigestConfig } from "./digest-config.ts";
import type { Period } from "./schedule.ts";
import type { StoryFacts } from "./stories.ts";

/** Mentions of one query and sentiment in a period. */
export interface SentimentCount {
  readonly queryId: string;
  readonly sentiment: string | null;
  readonly n: number;
}

/** What a digest is collected from, and where it is written. */
export interface DigestStore {
  readonly queries: { active(): Promise<readonly WatchedQuery[]> };
  readonly walks: { completeUntilOf(queries: readonly WatchedQuery[]): Promise<Instant | null> };
  readonly digests: {
    /** Locks an edition that is not built yet until the transaction ends; null when it is built or being built. */
    lockDue(name: string, localDate: string): Promise<DigestEdition | null>;
    sentiments(period: Period): Promise<readonly SentimentCount[]>;
    /** Receivers who have ended their subscription to a digest. */
    unsubscribed(name: string): Promise<readonly string[]>;
    stories(queries: readonly WatchedQuery[], period: Period): Promise<readonly StoryFacts[]>;
    settle(edition: DigestEdition, state: "built" | "skipped", view: DigestView | null): Promise<void>;
  };
  readonly alerts: { standingBetween(from: Instant, to: Instant): Promise<readonly Alert[]> };
  readonly notifications: { owe(owed: readonly OwedNotification[]): Promise<void> };
}

export interface DigestParts {
  readonly store: DigestStore & { transaction<T>(work: (store: DigestStore) => Promise<T>): Promise<T> };
  readonly digests: readonly DigestConfig[];
  readonly clock: Clock;
  /** How far back the mentions of a query are stored, before it was watched. */
  readonly historyMs: number;
  readonly consoleUrl: () => string | null;
  readonly onOwed: (owed: readonly OwedNotification[]) => Promise<void>;
}

export type BuildOutcome =
  | { readonly outcome: "built"; readonly mentions: number }
  /** Nothing happened, and its readers asked not to be told so. */
  | { readonly outcome: "skipped-quiet" }
  /** Another worker has built it, or is building it. */
  | { readonly outcome: "not-due" }
  /** It was taken out of the configuration after it had been announced. */
  | { readonly outcome: "not-configured" };

/** Collects one edition, writes it down and owes it to its receivers, all in one transaction. */
export async function buildDigest(
  parts: DigestParts,
  job: { readonly name: string; readonly localDate: string },
): Promise<BuildOutcome> {
  const config = parts.digests.find((digest) => digest.name === job.name);
  const built = await parts.store.transaction(async (store) => {
    const edition = await store.digests.lockDue(job.name, job.localDate);
    if (edition === null) return { outcome: { outcome: "not-due" } as const, owed: [] };
    if (config === undefined) {
      await store.digests.settle(edition, "skipped", null);
      return { outcome: { outcome: "not-configured" } as const, owed: [] };
    }
    const view = await collect(store, config, edition, parts);
    if (view.quiet && config.skipQuiet) {
      await store.digests.settle(edition, "skipped", view);
      return { outcome: { outcome: "skipped-quiet" } as const, owed: [] };
    }
    const gone = await store.digests.unsubscribed(config.name);
    const receivers = config.receivers.filter((receiver) => !gone.includes(receiver));
    const owed = owedFor(receivers, edition, parts.clock.now());
    await store.digests.settle(edition, "built", view);
    await store.notifications.owe(owed);
    return { outcome: { outcome: "built", mentions: view.totals.mentions } as const, owed };
  });
  await parts.onOwed(built.owed);
  return built.outcome;
}

async function collect(
  store: DigestStore,
  config: DigestConfig,
  edition: DigestEdition,
  parts: Pick<DigestParts, "historyMs" | "consoleUrl">,
): Promise<DigestView> {
  const { period, before } = edition;
  const active = await store.queries.active();
  const queries = active.filter((query) =>
    fitsQuery(config.queries, { queryId: query.queryId, queryName: query.name }),
  );
  const ids = new Set(queries.map((query) => query.queryId));
  const now = await store.digests.sentiments(period);
  const then = await store.digests.sentiments(before);
  const url = parts.consoleUrl();
  const alerts = await store.alerts.standingBetween(period.from, period.to);
  return composeDigest({
    name: config.name,
    timezone: config.timezone,
    period,
    completeUntil: (await store.walks.completeUntilOf(queries)) ?? period.from,
    projects: queries.map((query) => query.projectName),
    queries: queries.map((query) =>
      queryFacts(query, now, before.from >= query.watchFrom - parts.historyMs ? then : null),
    ),
    stories: await store.digests.stories(queries, period),
    alerts: alerts
      .filter((alert) => ids.has(alert.queryId))
      .map((alert) => ({ alert, consoleUrl: url === null ? null : `${url}/alerts/${alert.id}` })),
    consoleUrl: url,
  });
}

function queryFacts(
  { queryId, name }: WatchedQuery,
  now: readonly SentimentCount[],
  then: readonly SentimentCount[] | null,
): QueryFacts {
  const previous =
    then === null ? null : { mentions: sum(then, queryId), negative: sum(then, queryId, "negative") };
  return {
    queryId,
    query: name,
    mentions: sum(now, queryId),
    negative: sum(now, queryId, "negative"),
    neutral: sum(now, queryId, "neutral"),
    positive: sum(now, queryId, "positive"),
    previous,
  };
}

function sum(counts: readonly SentimentCount[], queryId: string, sentiment?: string): number {
  return counts
    .filter((one) => one.queryId === queryId && (sentiment === undefined || one.sentiment === sentiment))
    .reduce((total, one) => total + one.n, 0);
}

function owedFor(receivers: readonly string[], edition: DigestEdition, now: Instant): OwedNotification[] {
  return receivers.map((receiver) => ({
    id: uuid7(now),
    projectId: ALL_PROJECTS,
    receiver,
    kind: "digest",
    alertId: null,
    digest: { name: edition.name, localDate: edition.localDate },
    createdAt: now,
    reason: "DigestDue",
  }));
}
