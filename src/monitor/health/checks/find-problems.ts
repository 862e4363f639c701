import { groupBy } from "../../../lib/group-by.ts";
import { MINUTE } from "../../../lib/instant.ts";
import { sentence } from "../../../lib/text.ts";
import { type Problem, sourceLabel } from "../../model/operator-rules.ts";
import { type SourceName, sourceOfProject } from "../../model/query.ts";
import { sourceOfScope } from "../note-failures.ts";
import type { OperatorConfig } from "../operators.ts";
import { checkClock } from "./check-clock.ts";
import { checkDigest } from "./check-digests.ts";
import { checkFeedGap, checkSilentFeeds, MANY_FEEDS } from "./check-feeds.ts";
import { checkLoop } from "./check-loop.ts";
import { checkOutages } from "./check-outage.ts";
import { checkLag, checkSilentQuery } from "./check-query.ts";
import { checkDeadLetters, checkQueue } from "./check-queue.ts";
import { checkBounces, checkReceiver } from "./check-receiver.ts";
import { checkRateLimit, checkRefusal } from "./check-source.ts";
import { checkVersions } from "./check-versions.ts";
import type { PipelineHealth } from "./pipeline-health.ts";

/** How long digests wait for their queries. */
export const DIGEST_PATIENCE_MS = 30 * MINUTE;

/** More silent queries than this at once have one cause, and are one problem. */
const MOST_SILENT = 5;

/** The current problems of Earshot itself: a pure function of the facts, one problem for each cause. */
export function findProblems(health: PipelineHealth, settings: OperatorConfig): readonly Problem[] {
  const clock = clockProblems(health);
  // Every age is wrong in the moment of a jump.
  const queue = clock.length > 0 ? [] : queueProblems(health, settings);
  return [
    ...clock,
    ...problemsOf("account", health, settings),
    ...problemsOf("feeds", health, settings),
    ...feedProblems(health, queue.length > 0),
    ...queue,
    ...receiverProblems(health, settings),
    ...bounceProblems(health),
    ...pictureProblems(health),
    ...digestProblems(health, settings),
    ...outageProblems(health),
    ...deadLetterProblems(health),
    ...versionProblems(health),
    ...loopProblems(health),
  ];
}

/** The problems of one source and its queries; the other one may be well. */
function problemsOf(source: SourceName, all: PipelineHealth, settings: OperatorConfig): Problem[] {
  const isIts = ({ projectId }: { readonly projectId: string }) => sourceOfProject(projectId) === source;
  const health: PipelineHealth = {
    ...all,
    failures: all.failures.filter(({ kind, scope }) => kind === "call" && sourceOfScope(scope) === source),
    progress: all.progress.filter(isIts),
    rhythms: all.rhythms.filter(isIts),
  };
  const problems = sourceProblems(source, health, settings);
  const explained = problems.length > 0;
  return [
    ...problems,
    ...lagProblems(source, health, settings, explained),
    ...silences(source, health, settings, explained),
  ];
}

function sourceProblems(source: SourceName, health: PipelineHealth, settings: OperatorConfig): Problem[] {
  const labels = sourceLabel(source);
  const refusal = checkRefusal(health.failures, source);
  if (refusal.outcome !== "Answers") {
    const { since, because } = refusal;
    return [{ rule: "source-refuses", labels, since, because, values: {} }];
  }
  const limit = checkRateLimit(health.failures, settings.rateLimited, health.now);
  if (limit.outcome !== "LimitedForLong") return [];
  const { since, because } = limit;
  return [{ rule: "source-rate-limited", labels, since, because, values: {} }];
}

function lagProblems(
  source: SourceName,
  health: PipelineHealth,
  settings: OperatorConfig,
  explained: boolean,
): Problem[] {
  const lag = checkLag(
    health.progress,
    {
      limitMs: settings.lag,
      pollEveryMs: health.pollEveryMs[source],
      isOpen: health.openLags.has(source),
      explained,
      upForMs: health.upForMs,
    },
    health.now,
  );
  if (lag.outcome !== "Lags") return [];
  const { since, because, severity, behind, worstMs } = lag;
  return [
    {
      ...{ rule: "source-lag", labels: sourceLabel(source), since, because, severity },
      values: { queries: behind, lagMs: worstMs },
    },
  ];
}

function silences(
  source: SourceName,
  health: PipelineHealth,
  settings: OperatorConfig,
  explained: boolean,
): Problem[] {
  if (explained) return [];
  const silent = health.rhythms.flatMap((rhythm): Problem[] => {
    const verdict = checkSilentQuery(rhythm, settings.silence);
    if (verdict.outcome !== "Silent") return [];
    const { queryName, queryId, silentSince } = rhythm;
    return [
      {
        rule: "query-silent",
        labels: { query: queryName, queryId },
        since: silentSince,
        because: `${queryName}: ${verdict.because}`,
        values: { usual: verdict.usual },
      },
    ];
  });
  if (silent.length <= MOST_SILENT) return silent;
  return [
    {
      rule: "query-silent",
      labels: { query: "many", ...sourceLabel(source) },
      since: Math.min(...silent.map(({ since }) => since)),
      because: `${silent.length} queries that are usually busy at this hour bring no new mention. If people still write, all alerts on them are missing. So many at once point to the source itself: ask its support whether it still collects`,
      values: { queries: silent.length },
    },
  ];
}

function feedProblems(health: PipelineHealth, explained: boolean): Problem[] {
  const { feeds, silentFeeds: open, now } = health;
  const { alone, together } = checkSilentFeeds(feeds, { open, explained, upForMs: upSinceOutage(health) });
  const silent = [
    ...alone.map(({ feed, ...one }) => ({ ...one, labels: { feed: feed.name, feedId: feed.key }, feeds: 1 })),
    ...(together === null ? [] : [{ ...together, labels: { feed: MANY_FEEDS, feedId: MANY_FEEDS } }]),
  ];
  const gaps = feeds.flatMap((feed): Problem[] => {
    const because = checkFeedGap(feed);
    if (because === null || feed.gap === null) return [];
    const { from, to, noticedAgoMs } = feed.gap;
    const labels = { feed: feed.name, feedId: feed.key };
    return [{ rule: "feed-gap", labels, since: now - noticedAgoMs, because, values: { lostMs: to - from } }];
  });
  return [
    ...silent.map(
      ({ labels, forMs, because, feeds }): Problem => ({
        ...{ rule: "feed-silent", labels, since: now - forMs, because },
        values: { feeds, forMs },
      }),
    ),
    ...gaps,
  ];
}

/** While the tables were down, nobody could work: time counts from their return. */
function upSinceOutage({ outages, upForMs, now }: PipelineHealth): number {
  const back = Math.max(...outages.filter(({ engine }) => engine === "database").map(({ to }) => to));
  return Math.min(upForMs, Math.max(0, now - back));
}

function clockProblems(health: PipelineHealth): Problem[] {
  const verdict = checkClock(health, health.now);
  if (verdict.outcome === "Steady") return [];
  const { byMs, because } = verdict;
  return [{ rule: "clock-jumped", labels: {}, since: health.now, because, values: { byMs } }];
}

function queueProblems(health: PipelineHealth, settings: OperatorConfig): Problem[] {
  const pollEveryMs = Math.max(...Object.values(health.pollEveryMs));
  const upForMs = upSinceOutage(health);
  const verdict = checkQueue({ ...health, upForMs, pollEveryMs }, settings.standstill, health.now);
  if (verdict.outcome === "Moves") return [];
  const { forMs, because } = verdict;
  return [{ rule: "queue-stands-still", labels: {}, since: health.now - forMs, because, values: { forMs } }];
}

function receiverProblems(health: PipelineHealth, settings: OperatorConfig): Problem[] {
  return health.receivers.flatMap((receiver): Problem[] => {
    const failure = health.failures.find((one) => one.kind === "receiver" && one.scope === receiver);
    const givenUp = health.givenUp.find((one) => one.receiver === receiver);
    const verdict = checkReceiver(receiver, failure, settings.receiverFails, givenUp);
    if (verdict.outcome === "GaveUp") {
      // The label is not `receiver`: this receiver works, and may get the alert itself.
      const labels = { messagesTo: receiver };
      const { since = health.now, n = 0 } = givenUp ?? {};
      return [
        { rule: "messages-given-up", labels, since, because: verdict.because, values: { messages: n } },
      ];
    }
    if (verdict.outcome === "Works" || verdict.outcome === "TriesAgain") return [];
    const since = failure?.since ?? health.now;
    const values = { failures: failure?.times ?? 0 };
    return [{ rule: "receiver-fails", labels: { receiver }, since, because: verdict.because, values }];
  });
}

function bounceProblems({ bounces, addresses }: PipelineHealth): Problem[] {
  return bounces.flatMap((open): Problem[] => {
    const { receiver, since, times } = open;
    const verdict = checkBounces(open, addresses.get(receiver));
    if (verdict.outcome !== "ComesBack") return [];
    const values = { bounces: times };
    return [{ rule: "receiver-bounces", labels: { receiver }, since, because: verdict.because, values }];
  });
}

/** The label is not `receiver`: this receiver works, and may get the alert itself. */
function pictureProblems(health: PipelineHealth): Problem[] {
  return health.failures
    .filter(({ kind, scope }) => kind === "extra" && health.receivers.includes(scope))
    .map(({ scope, since, message }) => ({
      rule: "pictures-left-out" as const,
      labels: { messagesTo: scope },
      since,
      because: `messages to ${scope} come without charts: ${sentence(message)} Everything else in them arrives`,
      values: {},
    }));
}

function digestProblems(health: PipelineHealth, settings: OperatorConfig): Problem[] {
  const terms = {
    lateMs: settings.digestLate,
    patienceMs: DIGEST_PATIENCE_MS,
    upForMs: health.upForMs,
  };
  return health.digests.flatMap((digest): Problem[] => {
    const verdict = checkDigest(digest, terms, health.now);
    if (verdict.outcome !== "NotBuilt") return [];
    const { name, localDate, dueAt } = digest;
    const labels = { digest: name, date: localDate };
    return [{ rule: "digest-not-built", labels, since: dueAt, because: verdict.because, values: {} }];
  });
}

/** All outages of one engine are one alert. */
function outageProblems({ outages, queueAlert, now }: PipelineHealth): Problem[] {
  return [...groupBy(outages, ({ engine }) => engine)].flatMap(([engine, its]): Problem[] => {
    const verdict = checkOutages(its, queueAlert, now);
    if (verdict.outcome !== "WorthTelling") return [];
    const { from, to } = verdict.outage;
    const { because } = verdict;
    return [
      { rule: "engine-was-away", labels: { engine }, since: from, because, values: { forMs: to - from } },
    ];
  });
}

function deadLetterProblems({ deadLetters }: PipelineHealth): Problem[] {
  return deadLetters.flatMap((one): Problem[] => {
    const verdict = checkDeadLetters(one);
    if (verdict.outcome === "Nothing") return [];
    const { kind, since, n } = one;
    return [
      { rule: "dead-letters", labels: { kind }, since, because: verdict.because, values: { [kind]: n } },
    ];
  });
}

function versionProblems({ versions, wall, now }: PipelineHealth): Problem[] {
  const verdict = checkVersions(versions, wall);
  if (verdict.outcome !== "Differ") return [];
  const { forMs, others, because } = verdict;
  return [
    { rule: "versions-differ", labels: {}, since: now - forMs, because, values: { processes: others } },
  ];
}

/** Each process for itself: what one does badly is no fault of the others. */
function loopProblems({ versions, now }: PipelineHealth): Problem[] {
  return versions.processes.flatMap((one): Problem[] => {
    const verdict = checkLoop(one);
    if (verdict.outcome === "InTime") return [];
    const { loop, because } = verdict;
    const labels = { process: `${one.host} ${one.pid}` };
    const values = { meanMs: Math.round(loop.meanMs), maxMs: Math.round(loop.maxMs) };
    return [{ rule: "loop-late", labels, since: now - MINUTE, because, values }];
  });
}
