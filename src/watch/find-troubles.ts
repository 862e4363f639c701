import { MINUTE } from "../lib/instant.ts";
import { judgeAside } from "./judge-aside.ts";
import { judgeBounces } from "./judge-bounces.ts";
import { judgeDigest } from "./judge-digests.ts";
import { judgeLag } from "./judge-lag.ts";
import { judgeOutage } from "./judge-outage.ts";
import { judgeQueue } from "./judge-queue.ts";
import { judgeRateLimit } from "./judge-rate-limit.ts";
import { judgeReceiver } from "./judge-receiver.ts";
import { judgeRefusal } from "./judge-refusal.ts";
import { judgeSilence } from "./judge-silence.ts";
import type { LineState } from "./line-state.ts";
import type { OperatorConfig } from "./operator-config.ts";
import type { Trouble } from "./trouble.ts";

/** How long digests wait for their queries. */
export const DIGEST_PATIENCE_MS = 30 * MINUTE;

/** More silent queries than this at once have one cause, and are one trouble. */
const MOST_SILENT = 5;

/** What is wrong with Earshot at this moment: a pure function of the facts, one trouble for each cause. */
export function findTroubles(line: LineState, settings: OperatorConfig): readonly Trouble[] {
  const source = sourceTroubles(line, settings);
  return [
    ...source,
    ...lagTroubles(line, settings, source.length > 0),
    ...silences(line, settings, source.length > 0),
    ...queueTroubles(line, settings),
    ...receiverTroubles(line, settings),
    ...bounceTroubles(line),
    ...pictureTroubles(line),
    ...digestTroubles(line, settings),
    ...outageTroubles(line, settings),
    ...asideTroubles(line),
  ];
}

function sourceTroubles(line: LineState, settings: OperatorConfig): Trouble[] {
  const refusal = judgeRefusal(line.failures);
  if (refusal.outcome !== "Answers") {
    const { since, because } = refusal;
    return [{ rule: "source-refuses", labels: {}, since, because, values: {} }];
  }
  const limit = judgeRateLimit(line.failures, settings.rateLimited, line.now);
  if (limit.outcome !== "LimitedForLong") return [];
  const { since, because } = limit;
  return [{ rule: "source-rate-limited", labels: {}, since, because, values: {} }];
}

function lagTroubles(line: LineState, settings: OperatorConfig, explained: boolean): Trouble[] {
  const lag = judgeLag(
    line.progress,
    {
      limitMs: settings.lag,
      pollEveryMs: line.pollEveryMs,
      stands: line.standing.has("source-lag"),
      explained,
      upForMs: line.upForMs,
    },
    line.now,
  );
  if (lag.outcome !== "Lags") return [];
  const { since, because, severity, behind, worstMs } = lag;
  return [
    { rule: "source-lag", labels: {}, since, because, severity, values: { queries: behind, lagMs: worstMs } },
  ];
}

function silences(line: LineState, settings: OperatorConfig, explained: boolean): Trouble[] {
  if (explained) return [];
  const silent = line.rhythms.flatMap((rhythm): Trouble[] => {
    const verdict = judgeSilence(rhythm, settings.silence);
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
      labels: { query: "many" },
      since: Math.min(...silent.map(({ since }) => since)),
      because: `${silent.length} queries that are usually busy at this hour bring nothing new. The source may have stopped to index`,
      values: { queries: silent.length },
    },
  ];
}

function queueTroubles(line: LineState, settings: OperatorConfig): Trouble[] {
  const verdict = judgeQueue(line, settings.standstill, line.now);
  if (verdict.outcome === "Moves") return [];
  const { forMs, because } = verdict;
  return [{ rule: "queue-stands-still", labels: {}, since: line.now - forMs, because, values: { forMs } }];
}

function receiverTroubles(line: LineState, settings: OperatorConfig): Trouble[] {
  return line.receivers.flatMap((receiver): Trouble[] => {
    const failure = line.failures.find((one) => one.kind === "receiver" && one.scope === receiver);
    const verdict = judgeReceiver(receiver, failure, settings.receiverFails);
    if (verdict.outcome === "Works" || verdict.outcome === "TriesAgain") return [];
    const since = failure?.since ?? line.now;
    const values = { failures: failure?.times ?? 0 };
    return [{ rule: "receiver-fails", labels: { receiver }, since, because: verdict.because, values }];
  });
}

function bounceTroubles({ bounces, addresses }: LineState): Trouble[] {
  return bounces.flatMap((standing): Trouble[] => {
    const { receiver, since, times } = standing;
    const verdict = judgeBounces(standing, addresses.get(receiver));
    if (verdict.outcome !== "ComesBack") return [];
    const values = { bounces: times };
    return [{ rule: "receiver-bounces", labels: { receiver }, since, because: verdict.because, values }];
  });
}

/** The label is not `receiver`: this one works, and may be told so itself. */
function pictureTroubles(line: LineState): Trouble[] {
  return line.failures
    .filter(({ kind, scope }) => kind === "extra" && line.receivers.includes(scope))
    .map(({ scope, since, message }) => ({
      rule: "pictures-left-out" as const,
      labels: { messagesTo: scope },
      since,
      because: `messages to ${scope} bring no charts: ${message}`,
      values: {},
    }));
}

function digestTroubles(line: LineState, settings: OperatorConfig): Trouble[] {
  const terms = {
    lateMs: settings.digestLate,
    patienceMs: DIGEST_PATIENCE_MS,
    upForMs: line.upForMs,
  };
  return line.digests.flatMap((digest): Trouble[] => {
    const verdict = judgeDigest(digest, terms, line.now);
    if (verdict.outcome !== "NotBuilt") return [];
    const { name, localDate, dueAt } = digest;
    const labels = { digest: name, date: localDate };
    return [{ rule: "digest-not-built", labels, since: dueAt, because: verdict.because, values: {} }];
  });
}

function outageTroubles({ outages, now }: LineState, settings: OperatorConfig): Trouble[] {
  // One that comes back is one alert, with its newest turn.
  const newest = new Map(
    outages.toSorted((a, b) => a.to - b.to).map((outage) => [`${outage.engine} ${outage.outcome}`, outage]),
  );
  return [...newest.values()].flatMap((outage): Trouble[] => {
    const verdict = judgeOutage(outage, settings.standstill, now);
    if (verdict.outcome !== "WorthTelling") return [];
    const { engine, outcome, from, to } = outage;
    const values = { forMs: to - from };
    return [
      {
        rule: "engine-was-away",
        labels: { engine, outcome },
        since: from,
        because: verdict.because,
        values,
      },
    ];
  });
}

function asideTroubles({ aside }: LineState): Trouble[] {
  return aside.flatMap((one): Trouble[] => {
    const verdict = judgeAside(one);
    if (verdict.outcome === "Nothing") return [];
    const { kind, since, n } = one;
    return [{ rule: "set-aside", labels: { kind }, since, because: verdict.because, values: { [kind]: n } }];
  });
}
