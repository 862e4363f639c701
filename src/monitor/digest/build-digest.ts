import type { Clock } from "../../lib/clock.ts";
import { DAY, type Instant } from "../../lib/instant.ts";
import { fitsQuery } from "../../lib/patterns.ts";
import { uuid7 } from "../../lib/uuid7.ts";
import { asOne, queryNamesOf } from "../incidents/cause.ts";
import { countIncident, spanOf } from "../incidents/incident-counts.ts";
import type { Bucket } from "../incidents/incident-life.ts";
import { calmFrom } from "../incidents/incident-life.ts";
import type { Alert } from "../model/alert.ts";
import { ALL_PROJECTS, type DigestEdition, type SentAlert } from "../model/digest.ts";
import type { Membership, WholeIncident } from "../model/incident.ts";
import type { PendingNotification } from "../model/notification.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { ViewMail } from "../model/view-mail.ts";
import type { DigestView } from "../templates/digest-view.ts";
import { summarizeIncident } from "../templates/incident-view.ts";
import { collectView, type ViewStore } from "./collect-view.ts";
import { composeDigest, type DigestFacts, type QueryFacts } from "./compose.ts";
import type { FetchInsights, Insights } from "./insights.ts";
import type { PlannedDigest } from "./planned-digest.ts";
import { type Period, periodsBefore } from "./schedule.ts";
import { summarizeUnneeded } from "./unneeded.ts";
import { planViews } from "./view-digests.ts";
import { type VolumeCount, volumeStep } from "./volume.ts";

/** Mentions of one query and sentiment in a period. */
interface SentimentCount {
  readonly queryId: string;
  readonly sentiment: string | null;
  readonly n: number;
}

/** The stores that a digest reads from and writes to. */
interface DigestStore extends ViewStore {
  readonly digests: ViewStore["digests"] & {
    /** Locks an edition that is not built yet until the transaction ends; null if it is built or being built. */
    lockDue(name: string, localDate: string): Promise<DigestEdition | null>;
    sentiments(period: Period): Promise<readonly SentimentCount[]>;
    firstMentions(queries: readonly WatchedQuery[]): Promise<ReadonlyMap<string, Instant>>;
    volume(
      queries: readonly WatchedQuery[],
      period: Period,
      by: { readonly step: "hour" | "day"; readonly timezone: string },
    ): Promise<readonly VolumeCount[]>;
    /** Receivers who have ended their subscription to a digest. */
    unsubscribed(name: string): Promise<readonly string[]>;
    insights(queries: readonly WatchedQuery[], period: Period): Promise<Insights>;
    /** The alerts of which messages were sent in the period. */
    sentAlerts(queries: readonly WatchedQuery[], period: Period): Promise<readonly SentAlert[]>;
    /** An edition that is not built yet; waits while another transaction has it. */
    findDue(name: string, localDate: string): Promise<DigestEdition | null>;
    settle(edition: DigestEdition, state: "built" | "skipped", view: DigestView | null): Promise<void>;
  };
  readonly forgotten: { namesAsked(names: readonly string[], since: Instant): Promise<ReadonlySet<string>> };
  readonly alerts: { openBetween(from: Instant, to: Instant): Promise<readonly Alert[]> };
  readonly incidents: {
    openBetween(from: Instant, to: Instant): Promise<readonly WholeIncident[]>;
    members(projectId: string, incidentIds: readonly string[]): Promise<readonly Membership[]>;
    mentionBuckets(
      projectId: string,
      queryId: string,
      from: Instant,
      to: Instant,
    ): Promise<readonly Bucket[]>;
  };
  readonly notifications: { addPending(pending: readonly PendingNotification[]): Promise<void> };
}

export interface DigestParts {
  readonly store: DigestStore & {
    /** A transaction that sees one state of the tables: the numbers of a digest add up. */
    snapshot<T>(work: (store: DigestStore) => Promise<T>): Promise<T>;
    readonly views: { mails(): Promise<readonly ViewMail[]> };
    readonly mentionCounts: { countStale(): Promise<void> };
  };
  readonly digests: readonly PlannedDigest[];
  /** Called before the digest is built, because it is slow; absent if there is no source. */
  readonly fetchInsights?: FetchInsights;
  readonly clock: Clock;
  /** How far back the mentions of a query are stored, before it was watched. */
  readonly historyMs: (projectId: string) => number;
  readonly consoleUrl: () => string | null;
  /** The title of a rule, which may have been removed since. */
  readonly titleOf: (rule: string) => string;
  readonly onPending: (pending: readonly PendingNotification[]) => Promise<void>;
}

type BuildOutcome =
  | { readonly outcome: "Built"; readonly mentions: number }
  /** Nothing happened, and the digest is configured to send nothing then. */
  | { readonly outcome: "SkippedQuiet" }
  /** Another worker has built it, or is building it. */
  | { readonly outcome: "NotDue" }
  /** It was removed from the configuration after it had been announced. */
  | { readonly outcome: "NotConfigured" };

/** Collects one edition, stores it and creates its pending notifications, all in one transaction. */
export async function buildDigest(
  parts: DigestParts,
  job: { readonly name: string; readonly localDate: string },
): Promise<BuildOutcome> {
  const due = await parts.store.digests.findDue(job.name, job.localDate);
  if (due === null) return { outcome: "NotDue" };
  const config = await plannedDigest(parts, job.name);
  const asked = config === undefined || config.view ? null : await askInsights(parts, config, due);
  // Views read counts that are made within a minute.
  if (config?.view !== undefined) await parts.store.mentionCounts.countStale();
  const built = await parts.store.snapshot(async (store) => {
    const edition = await store.digests.lockDue(job.name, job.localDate);
    if (edition === null) return { outcome: { outcome: "NotDue" } as const, pending: [] };
    if (config === undefined) {
      await store.digests.settle(edition, "skipped", null);
      return { outcome: { outcome: "NotConfigured" } as const, pending: [] };
    }
    const view =
      config.view === undefined
        ? await collect(store, config, edition, { ...parts, asked })
        : await collectView(store, { ...config, view: config.view }, edition, parts.consoleUrl());
    if (view === null || (view.quiet && config.skipQuiet)) {
      await store.digests.settle(edition, "skipped", view);
      return { outcome: { outcome: "SkippedQuiet" } as const, pending: [] };
    }
    const gone = await store.digests.unsubscribed(config.name);
    const receivers = config.receivers.filter((receiver) => !gone.includes(receiver));
    const pending = pendingFor(receivers, edition, parts.clock.now());
    await store.digests.settle(edition, "built", view);
    await store.notifications.addPending(pending);
    return { outcome: { outcome: "Built", mentions: view.totals.mentions } as const, pending };
  });
  await parts.onPending(built.pending);
  return built.outcome;
}

/** Of the configuration, or a view that somebody wants. */
async function plannedDigest(
  { store, digests }: DigestParts,
  name: string,
): Promise<PlannedDigest | undefined> {
  const configured = digests.find((digest) => digest.name === name);
  return configured ?? planViews(await store.views.mails()).find((one) => one.name === name);
}

async function queriesOf(store: DigestStore, config: PlannedDigest): Promise<readonly WatchedQuery[]> {
  const active = await store.queries.active();
  return active.filter(({ queryId, name }) => fitsQuery(config.queries, { queryId, queryName: name }));
}

/** What the source was asked before the edition was locked, because it is slow. */
interface AskedInsights {
  readonly queries: readonly WatchedQuery[];
  readonly insights: Insights | null;
}

async function askInsights(
  { store, fetchInsights }: DigestParts,
  config: PlannedDigest,
  { period }: DigestEdition,
): Promise<AskedInsights> {
  const queries = await queriesOf(store, config);
  return { queries, insights: (await fetchInsights?.(queries, period)) ?? null };
}

/**
 * What the source counted, without authors whom somebody asked to forget: the source may not know of it. Where it
 * has nothing, or was asked about other queries than there are now, the stored mentions are counted.
 */
async function insightsOf(
  store: DigestStore,
  queries: readonly WatchedQuery[],
  period: Period,
  asked: AskedInsights | null,
): Promise<Insights> {
  const ids = (of: readonly WatchedQuery[]) => JSON.stringify(of.map(({ queryId }) => queryId).sort());
  if (asked === null || asked.insights === null || ids(asked.queries) !== ids(queries))
    return store.digests.insights(queries, period);
  const { authors, hashtags } = asked.insights;
  const names = authors.map(({ name }) => name);
  const gone = await store.forgotten.namesAsked(names, period.from);
  return { hashtags, authors: authors.filter(({ name }) => !gone.has(name)) };
}

/** The number of periods for the usual count: a week of days, a month of weeks, a quarter of months. */
const EARLIER = { day: 7, week: 4, month: 3 };

async function collect(
  store: DigestStore,
  config: PlannedDigest,
  edition: DigestEdition,
  parts: Pick<DigestParts, "historyMs" | "consoleUrl" | "titleOf"> & { readonly asked: AskedInsights | null },
): Promise<DigestView> {
  const { period, before } = edition;
  const queries = await queriesOf(store, config);
  const firsts = await store.digests.firstMentions(queries);
  // The days before its first mention are not quiet days of a query: nothing was collected then.
  const knownFrom = ({ watchFrom, projectId, queryId }: WatchedQuery) =>
    Math.max(watchFrom - parts.historyMs(projectId), firsts.get(queryId) ?? watchFrom);
  const ids = new Set(queries.map((query) => query.queryId));
  const now = await store.digests.sentiments(period);
  const then = await store.digests.sentiments(before);
  const earlier = await earlierOf(store, config, period);
  const url = parts.consoleUrl();
  const alerts = await store.alerts.openBetween(period.from, period.to);
  return composeDigest({
    name: config.title,
    timezone: config.timezone,
    language: config.language,
    period,
    completeUntil: (await store.polls.completeUntilOf(queries)) ?? period.from,
    projects: queries.map((query) => query.projectName),
    queries: queries.map((query) =>
      queryFacts(query, now, {
        last: before.from >= knownFrom(query) ? then : null,
        earlier: earlier.filter((one) => one.from >= knownFrom(query)),
      }),
    ),
    insights: await insightsOf(store, queries, period, parts.asked),
    stories: await store.digests.stories(queries, period),
    volume: await store.digests.volume(queries, period, {
      step: volumeStep(period),
      timezone: config.timezone,
    }),
    alerts: alerts
      .filter((alert) => ids.has(alert.queryId))
      .map((alert) => ({
        alert,
        title: parts.titleOf(alert.rule),
        consoleUrl: url === null ? null : `${url}/alerts/${alert.id}`,
      })),
    incidents: await incidentsOf(store, { ...parts, ids, alerts, period, timezone: config.timezone }),
    unneeded:
      period.to - period.from < WEEK_OR_MORE_MS
        ? null
        : summarizeUnneeded(await store.digests.sentAlerts(queries, period), parts.titleOf),
    consoleUrl: url,
  });
}

/** A week with a change of the clocks is an hour shorter. */
const WEEK_OR_MORE_MS = 6 * DAY;

/** One row each, of brands that share the cause, too; those that the digest is not about are left out. Of one alert it is shown as that alert. */
async function incidentsOf(
  store: DigestStore,
  {
    ids,
    alerts,
    period,
    timezone,
    titleOf,
    consoleUrl,
  }: Pick<DigestParts, "titleOf" | "consoleUrl"> & {
    readonly ids: ReadonlySet<string>;
    readonly alerts: readonly Alert[];
    readonly period: Period;
    readonly timezone: string;
  },
): Promise<DigestFacts["incidents"]> {
  const url = consoleUrl();
  const open = (await store.incidents.openBetween(period.from, period.to)).flatMap((whole) => {
    const [incident, ...parts] = [whole.incident, ...whole.parts].filter(({ queryId }) => ids.has(queryId));
    const seen = incident === undefined ? null : { incident, parts };
    return seen === null || asOne(seen).alerts < 2 ? [] : [seen];
  });
  const rows = open.map(async (whole) => {
    const own = [whole.incident, ...whole.parts];
    const incident = asOne(whole);
    const { projectId, leaderId, endedAt, status } = incident;
    const members = await store.incidents.members(
      projectId,
      own.map(({ id }) => id),
    );
    const alertIds = members.map(({ alertId }) => alertId);
    const memberAlerts = alerts.filter(({ id }) => alertIds.includes(id));
    const counted = await Promise.all(
      own.map(async (one) => {
        const span = spanOf(one);
        const buckets = await store.incidents.mentionBuckets(projectId, one.queryId, span.from, span.to);
        return { incident: one, counts: countIncident(one, buckets, span) };
      }),
    );
    const [first, ...parts] = counted;
    const row = {
      query: queryNamesOf(whole),
      title: titleOf(memberAlerts.find(({ id }) => id === leaderId)?.rule ?? ""),
      severity: incident.severity,
      status,
      openedAt: incident.openedAt,
      endedAt: endedAt === null ? null : (calmFrom(incident) ?? endedAt),
      alerts: incident.alerts,
      summary: first === undefined ? "" : summarizeIncident({ ...first, parts }, timezone),
      consoleUrl: url === null ? null : `${url}/alerts/${leaderId}`,
    };
    return { row, alertIds };
  });
  return Promise.all(rows);
}

interface CountedPeriod {
  readonly from: Instant;
  readonly counts: readonly SentimentCount[];
}

/** The periods before, with the length of this one, which may be several periods after an outage. */
async function earlierOf(
  store: DigestStore,
  config: PlannedDigest,
  period: Period,
): Promise<readonly CountedPeriod[]> {
  const count = config.cron === undefined ? EARLIER[config.every ?? "day"] : EARLIER.day;
  const lengthOf = ({ from, to }: Period) => to - from;
  const alike = periodsBefore(config, period.from, count).filter(
    (one) => Math.abs(lengthOf(one) - lengthOf(period)) < lengthOf(period) / 4,
  );
  const counted: CountedPeriod[] = [];
  for (const one of alike) counted.push({ from: one.from, counts: await store.digests.sentiments(one) });
  return counted;
}

function queryFacts(
  { queryId, name }: WatchedQuery,
  now: readonly SentimentCount[],
  past: { readonly last: readonly SentimentCount[] | null; readonly earlier: readonly CountedPeriod[] },
): QueryFacts {
  const { last, earlier } = past;
  const previous =
    last === null ? null : { mentions: sum(last, queryId), negative: sum(last, queryId, "negative") };
  return {
    queryId,
    query: name,
    mentions: sum(now, queryId),
    negative: sum(now, queryId, "negative"),
    neutral: sum(now, queryId, "neutral"),
    positive: sum(now, queryId, "positive"),
    previous,
    earlier: earlier.map(({ counts }) => ({
      mentions: sum(counts, queryId),
      negative: sum(counts, queryId, "negative"),
    })),
  };
}

function sum(counts: readonly SentimentCount[], queryId: string, sentiment?: string): number {
  return counts
    .filter((one) => one.queryId === queryId && (sentiment === undefined || one.sentiment === sentiment))
    .reduce((total, one) => total + one.n, 0);
}

function pendingFor(
  receivers: readonly string[],
  edition: DigestEdition,
  now: Instant,
): PendingNotification[] {
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
