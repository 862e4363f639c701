import { awaitAll } from "../../lib/concurrency.ts";
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
  readonly withButtons: ReadonlySet<string>;
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

/** Reads all facts about the pipeline from the tables, as they are at one moment. */
export async function readPipelineHealth(readings: PipelineReadings): Promise<PipelineHealth> {
  const { now } = readings;
  const read = await readings.stores.snapshot(async (stores) => {
    const inLine = (await stores.channelLimits.moving()).flatMap((channel) => readings.receiversOf(channel));
    return awaitAll({
      failures: stores.failures.open(),
      progress: stores.health.progress(),
      waiting: stores.health.waiting(now, inLine),
      pulses: stores.health.pulses(),
      digests: stores.digests.due(),
      deadJobs: stores.deadLetters.jobs(),
      bounces: stores.bounces.open(),
      uncorrected: stores.corrections.notPossible(),
      heldRules: stores.ruleFloods.held(),
      deadLetters: stores.deadLetters.counts(now - NEWS_MS),
      outages: stores.outages.endedAfter(now - OUTAGE_STANDS_MS),
      open: stores.alerts.openOfQuery(OWN_QUERY.projectId, OWN_QUERY.queryId),
      givenUp: stores.notifications.givenUpLately(now),
      lately: stores.alerts.openBetween(now - OUTAGE_STANDS_MS, now + 1),
      processes: stores.processes.running(),
      request: stores.processes.requested(),
      wall: stores.processes.wall(),
    });
  });
  const { failures, pulses, digests, deadJobs, open, lately, processes, request, ...shown } = read;
  const { rhythms, upForMs, feeds, receivers, addresses, withButtons, jumpedMs } = readings;
  const watched = new Set(shown.progress.map(queryScope));
  const everyMs = new Map(readings.sources.map(({ name, pollEvery }) => [name, pollEvery]));
  return {
    ...{ ...shown, rhythms, upForMs, feeds, receivers, addresses, withButtons, jumpedMs, now },
    // Failures of queries and sources that are no longer watched are left out.
    failures: failures.filter(({ kind, scope }) => {
      if (scope.startsWith("query ")) return watched.has(scope);
      return kind !== "call" || everyMs.has(sourceOfScope(scope));
    }),
    digests: digests.map(({ name, localDate, dueAt }) => {
      const scope = jobScope("build-digest", { name, localDate });
      const failure = failures.find((one) => one.kind === "job" && one.scope === scope);
      const given = deadJobs.find((one) => one.scope === scope);
      const error = given?.reason ?? failure?.message ?? null;
      return { name, localDate, dueAt, error, deadLetters: given !== undefined };
    }),
    lastJobAgoMs: readings.sweepsRun ? (pulses.get("sweep") ?? null) : 0,
    pollEveryMs: { account: everyMs.get("account") ?? 0, feeds: everyMs.get("feeds") ?? 0 },
    queueAlert: queueAlertOf(lately, now),
    silentFeeds: new Set(
      open.filter(({ rule }) => rule === SILENT_FEED).flatMap(({ labels }) => labels["feedId"] ?? []),
    ),
    openLags: new Set(open.filter(({ rule }) => rule === LAG).map(sourceOfProblem)),
    versions: compareVersions(processes, request),
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
