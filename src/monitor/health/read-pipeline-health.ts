import { HOUR, type Instant } from "../../lib/instant.ts";
import type { Alert } from "../model/alert.ts";
import { jobScope, queryScope, sourceOfScope } from "../model/failure.ts";
import { type OperatorRuleName, sourceOfProblem } from "../model/operator-rules.ts";
import type { FeedHealth, QueryRhythm } from "../model/pipeline-facts.ts";
import { compareVersions } from "../model/process.ts";
import { OWN_QUERY, type SourceName } from "../model/query.ts";
import type { Stores } from "../store/stores.ts";
import { OUTAGE_STANDS_MS } from "./checks/check-outage.ts";
import type { PipelineHealth } from "./pipeline-health.ts";

export interface PipelineReadings {
  readonly stores: Stores;
  readonly receivers: readonly string[];
  readonly addresses: ReadonlyMap<string, string>;
  /** The receivers whose messages share a channel limit. */
  readonly receiversOf: (channel: string) => readonly string[];
  readonly feeds: readonly FeedHealth[];
  /** Milliseconds between two polls of a query of each source. */
  readonly sources: readonly { readonly name: SourceName; readonly pollEvery: number }[];
  readonly upForMs: number;
  /** Whether sweeps run automatically, so that none means a stand-still. */
  readonly sweepsRun: boolean;
  readonly rhythms: readonly QueryRhythm[];
  readonly jumpedMs: number;
  readonly now: Instant;
}

/** Reads all facts about the pipeline from the tables. */
export async function readPipelineHealth(readings: PipelineReadings): Promise<PipelineHealth> {
  const { stores, now } = readings;
  const inLine = (await stores.channelLimits.moving()).flatMap((channel) => readings.receiversOf(channel));
  const [
    failures,
    progress,
    waiting,
    pulses,
    digests,
    deadJobs,
    bounces,
    uncorrected,
    heldRules,
    deadLetters,
    outages,
    open,
    givenUp,
    lately,
    processes,
    request,
    wall,
  ] = await Promise.all([
    stores.failures.open(),
    stores.health.progress(),
    stores.health.waiting(now, inLine),
    stores.health.pulses(),
    stores.digests.due(),
    stores.deadLetters.jobs(),
    stores.bounces.open(),
    stores.corrections.notPossible(),
    stores.ruleFloods.held(),
    stores.deadLetters.counts(now - NEWS_MS),
    stores.outages.endedAfter(now - OUTAGE_STANDS_MS),
    stores.alerts.openOfQuery(OWN_QUERY.projectId, OWN_QUERY.queryId),
    stores.notifications.givenUpLately(now),
    stores.alerts.openBetween(now - OUTAGE_STANDS_MS, now + 1),
    stores.processes.running(),
    stores.processes.requested(),
    stores.processes.wall(),
  ]);
  const watched = new Set(progress.map(queryScope));
  const everyMs = new Map(readings.sources.map(({ name, pollEvery }) => [name, pollEvery]));
  return {
    // Failures of queries and sources that are no longer watched are left out.
    failures: failures.filter(({ kind, scope }) => {
      if (scope.startsWith("query ")) return watched.has(scope);
      return kind !== "call" || everyMs.has(sourceOfScope(scope));
    }),
    progress,
    rhythms: readings.rhythms,
    waiting,
    digests: digests.map(({ name, localDate, dueAt }) => {
      const scope = jobScope("build-digest", { name, localDate });
      const failure = failures.find((one) => one.kind === "job" && one.scope === scope);
      const given = deadJobs.find((one) => one.scope === scope);
      return {
        name,
        localDate,
        dueAt,
        error: given?.reason ?? failure?.message ?? null,
        deadLetters: given !== undefined,
      };
    }),
    outages,
    deadLetters,
    lastJobAgoMs: readings.sweepsRun ? (pulses.get("sweep") ?? null) : 0,
    upForMs: readings.upForMs,
    pollEveryMs: { account: everyMs.get("account") ?? 0, feeds: everyMs.get("feeds") ?? 0 },
    feeds: readings.feeds,
    receivers: readings.receivers,
    addresses: readings.addresses,
    givenUp,
    bounces,
    uncorrected,
    heldRules,
    queueAlert: queueAlertOf(lately, now),
    silentFeeds: new Set(
      open.filter(({ rule }) => rule === SILENT_FEED).flatMap(({ labels }) => labels["feedId"] ?? []),
    ),
    openLags: new Set(open.filter(({ rule }) => rule === LAG).map(sourceOfProblem)),
    versions: compareVersions(processes, request),
    jumpedMs: readings.jumpedMs,
    now,
    wall,
  };
}

function queueAlertOf(alerts: readonly Alert[], now: Instant): PipelineHealth["queueAlert"] {
  const rule: OperatorRuleName = "queue-stands-still";
  const last = alerts.findLast((alert) => alert.projectId === OWN_QUERY.projectId && alert.rule === rule);
  return last === undefined ? null : { from: last.openedAt, to: last.resolvedAt ?? now };
}

const SILENT_FEED: OperatorRuleName = "feed-silent";

/** Dead letters older than this were already reported. */
const NEWS_MS = HOUR;

const LAG: OperatorRuleName = "source-lag";
