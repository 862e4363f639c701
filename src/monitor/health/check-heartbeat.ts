import { formatDuration } from "../../lib/duration.ts";
import { MINUTE } from "../../lib/instant.ts";
import type { HealthProblem, OperatorRuleName } from "../model/operator-rules.ts";
import { sourceOfProject } from "../model/query.ts";
import { lagOf } from "./checks/check-query.ts";
import type { OperatorConfig } from "./operators.ts";
import type { PipelineHealth } from "./pipeline-health.ts";

export type Heartbeat =
  | { readonly outcome: "Beats" }
  | { readonly outcome: "NotPolled"; readonly reason: string }
  | { readonly outcome: "NotJudged"; readonly reason: string }
  | { readonly outcome: "CannotDeliver"; readonly reason: string };

/** Windows are judged within seconds of their closing; a long backlog takes longer. */
const JUDGED_WITHIN_MS = 15 * MINUTE;

/** Whether the whole pipeline works: polling, judging, delivering. Without a watched query nothing works. */
export function checkHeartbeat(
  health: PipelineHealth,
  problems: readonly HealthProblem[],
  settings: OperatorConfig,
): Heartbeat {
  const polled = because(problems, ["source-refuses", "source-rate-limited", "source-lag"]);
  if (polled !== null) return { outcome: "NotPolled", reason: polled };
  if (health.progress.length === 0) return { outcome: "NotPolled", reason: "no query is watched" };
  const unread = health.progress.filter((query) => query.completeUntil === null);
  if (unread.length === health.progress.length)
    return { outcome: "NotPolled", reason: "no query has been read to its end yet" };
  const late = health.progress.find((query) => {
    const everyMs = health.pollEveryMs[sourceOfProject(query.projectId)];
    return lagOf(query, health.now) > Math.max(settings.lag, 3 * everyMs);
  });
  if (late !== undefined) {
    const lag = formatDuration(lagOf(late, health.now));
    const reason =
      late.completeUntil === null
        ? `${late.queryName} has been watched for ${lag}, and was not read to its end yet`
        : `${late.queryName} is read up to ${lag} ago`;
    return { outcome: "NotPolled", reason };
  }
  const unjudged = health.progress.find(
    ({ completeUntil, tickedUntil }) =>
      completeUntil !== null && completeUntil - tickedUntil > JUDGED_WITHIN_MS,
  );
  if (unjudged !== undefined)
    return {
      outcome: "NotJudged",
      reason: `windows of ${unjudged.queryName} have waited for their verdict for ${formatDuration((unjudged.completeUntil ?? 0) - unjudged.tickedUntil)}`,
    };
  const undelivered = because(problems, ["queue-stands-still", "receiver-fails"]);
  return undelivered === null ? { outcome: "Beats" } : { outcome: "CannotDeliver", reason: undelivered };
}

function because(problems: readonly HealthProblem[], rules: readonly OperatorRuleName[]): string | null {
  return problems.find(({ rule }) => rules.includes(rule))?.because ?? null;
}
