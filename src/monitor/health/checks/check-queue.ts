import { formatDuration } from "../../../lib/duration.ts";
import type { Instant } from "../../../lib/instant.ts";
import { counted } from "../../../lib/numbers.ts";
import { sentence } from "../../../lib/text.ts";
import type { HealthProblem } from "../../model/operator-rules.ts";
import type { DeadLetterCount, WaitingWork } from "../../model/pipeline-facts.ts";
import type { HealthCheck } from "../define-check.ts";
import { upSinceOutage } from "../pipeline-health.ts";

type QueueVerdict =
  | { readonly outcome: "Moves" }
  | {
      readonly outcome: "StandsStill";
      readonly part: "engine" | "deliver" | "poll";
      readonly forMs: number;
      readonly because: string;
    };

/** A sweep comes out of the queue every five seconds, so this wait for its engine is enough. */
const ENGINE_PATIENCE_MS = 60_000;
/** Two of them may be missed, however short a standstill people want to know of. */
const LEAST_PATIENCE_MS = 10_000;

/** A rate budget that is used up at once is free again after its window, usually ten minutes. */
const POLL_FACTOR = 3;

/** Whether due work is not taken. Ages count from the start of this process at the earliest. */
function checkQueue(
  facts: {
    readonly waiting: WaitingWork;
    readonly lastJobAgoMs: number | null;
    readonly upForMs: number;
    readonly pollEveryMs: number;
  },
  standstillMs: number,
  now: Instant,
): QueueVerdict {
  const { waiting, lastJobAgoMs, upForMs } = facts;
  const engineMs = Math.min(lastJobAgoMs ?? upForMs, upForMs);
  if (engineMs > Math.max(LEAST_PATIENCE_MS, Math.min(ENGINE_PATIENCE_MS, standstillMs))) {
    return standsStill(
      "engine",
      engineMs,
      `no new mentions are read and no new alerts are sent: the queue has stood still for ${formatDuration(engineMs)}. Nothing is lost: work goes on by itself when the queue is back. Look at Redis (REDIS_URL), or at PostgreSQL where there is none: does it run, is its disk full, does it accept writes?`,
    );
  }
  const deliverMs = Math.min(waiting.deliveries > 0 ? waiting.oldestDeliveryMs : 0, upForMs);
  if (deliverMs > standstillMs) {
    return standsStill(
      "deliver",
      deliverMs,
      `${counted(waiting.deliveries, "message")} ${waiting.deliveries === 1 ? "is" : "are"} not sent: no process has taken the oldest for ${formatDuration(deliverMs)}. Nothing is lost: they go out when one does. Check that a process with the role deliver runs`,
    );
  }
  const idleMs = Math.min(
    waiting.lastPolledAt === null ? upForMs : Math.max(0, now - waiting.lastPolledAt),
    waiting.oldestPollMs,
    upForMs,
  );
  if (waiting.polls > 0 && idleMs > Math.max(POLL_FACTOR * standstillMs, 2 * facts.pollEveryMs)) {
    return standsStill(
      "poll",
      idleMs,
      `no new mentions are read: ${counted(waiting.polls, "query", "queries")} ${waiting.polls === 1 ? "is" : "are"} due, and no process has read any for ${formatDuration(idleMs)}. Nothing is lost: reading goes on where it stopped. Check that a process with the role poll runs`,
    );
  }
  return { outcome: "Moves" };
}

function standsStill(part: "engine" | "deliver" | "poll", forMs: number, because: string): QueueVerdict {
  return { outcome: "StandsStill", part, forMs, because };
}

type DeadLetterVerdict =
  | { readonly outcome: "Nothing" }
  | { readonly outcome: "StandsAside"; readonly because: string };

/** Whether the operators are notified of dead letters, and in which words. */
function checkDeadLetters({ kind, n, reason }: DeadLetterCount): DeadLetterVerdict {
  if (n === 0) return { outcome: "Nothing" };
  const what = counted(n, ...WHAT[kind]);
  // Jobs are counted until they are done, all others for an hour.
  const when = kind === "job" ? "" : " in the last hour";
  return {
    outcome: "StandsAside",
    because: `${what} failed at every try${when} and ${n === 1 ? "is" : "are"} left out. ${n === 1 ? "The reason" : "The reason of the newest"}: ${sentence(reason)} ${MISSING[kind] ?? ""}Everything else goes on. earshot dead-letters list shows what failed; once the cause is fixed, earshot dead-letters replay tries it again`,
  };
}

const WHAT: Readonly<Record<DeadLetterCount["kind"], readonly [string, string]>> = {
  mention: ["mention", "mentions"],
  page: ["page of mentions", "pages of mentions"],
  job: ["piece of work", "pieces of work"],
};

const MISSING: Readonly<Record<string, string>> = {
  mention: "No rule or digest counts what is left out. ",
  page: "No rule or digest counts what is left out. ",
};

/** Work that is due and that nobody does. Every age is wrong in the moment when a clock jumps. */
export const queueCheck: HealthCheck = (health, settings, found) => {
  if (found.some(({ rule }) => rule === "clock-jumped")) return [];
  const pollEveryMs = Math.max(...Object.values(health.pollEveryMs));
  const upForMs = upSinceOutage(health);
  const verdict = checkQueue({ ...health, upForMs, pollEveryMs }, settings.standstill, health.now);
  if (verdict.outcome === "Moves") return [];
  const { forMs, because } = verdict;
  return [{ rule: "queue-stands-still", labels: {}, since: health.now - forMs, because, values: { forMs } }];
};

/** What failed at every try. */
export const deadLetterCheck: HealthCheck = ({ deadLetters }) =>
  deadLetters.flatMap((one): HealthProblem[] => {
    const verdict = checkDeadLetters(one);
    if (verdict.outcome === "Nothing") return [];
    const { kind, since, n } = one;
    return [
      { rule: "dead-letters", labels: { kind }, since, because: verdict.because, values: { [kind]: n } },
    ];
  });
