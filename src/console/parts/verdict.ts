import {
  clockAheadMs,
  type Outage,
  type ProcessVersions,
  type ShownBudget,
  type ShownDeadLetter,
  type ShownHeartbeat,
  type ShownPoll,
  type ShownQuirk,
  type ShownWait,
  type ShownWarmUp,
} from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { type Instant, MINUTE } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";

/** How complete the stored data is, and what the line reports of itself. */
export interface Coverage {
  readonly now: Instant;
  readonly polls: readonly ShownPoll[];
  readonly deadLetters: readonly ShownDeadLetter[];
  readonly heartbeat: ShownHeartbeat | null;
  readonly budgets: readonly ShownBudget[];
  readonly outages: readonly Outage[];
  readonly quirks: readonly ShownQuirk[];
  readonly warmingUp: readonly ShownWarmUp[];
  readonly waits: readonly ShownWait[];
  readonly configuration: ProcessVersions;
}

/** Whether mentions arrive and messages go out, in words of people who do not run Earshot. */
interface Verdict {
  readonly outcome: "Well" | "Troubled" | "NotKnown";
  readonly headline: string;
  /** What is wrong, in sentences; the texts of servers are in them. */
  readonly troubles: readonly string[];
}

/** With so many troubles of one kind only the first are named. */
const MOST_NAMED = 5;

/** The word for it, and each trouble in a sentence. */
export function judgeHealth(
  { now, polls, deadLetters, heartbeat, waits }: Coverage,
  silentFeeds: readonly string[],
): Verdict {
  const added = polls.filter(({ poll }) => poll === "added");
  const failing = added.filter(({ failures }) => failures > 0);
  const ahead = added.filter((poll) => aheadOf(poll, now) !== null);
  const gaps = added.filter(({ gap }) => gap > 0);
  const stopped = waits.filter(({ outcome }) => outcome === "Refused" || outcome === "TriedAgain");
  const troubles = [
    ...some(failing, ({ queryName, failures, lastError, completeUntil }) => {
      const times = failures === 1 ? "once" : `${failures} times in a row`;
      const since =
        completeUntil === null ? "Nothing of it was read yet" : `Read up to ${ago(completeUntil, now)}`;
      return `${queryName} cannot be read: asking failed ${times}${lastError === null ? "" : ` (${lastError})`}. ${since}.`;
    }),
    ...some(
      ahead,
      (poll) =>
        `A clock was ahead by ${formatDuration(aheadOf(poll, now) ?? 0)} when ${poll.queryName} was read.`,
    ),
    ...some(
      gaps,
      ({ queryName, gap }) =>
        `${counted(gap, "mention")} of ${queryName} ${gap === 1 ? "is missing; it is" : "are missing; they are"} asked for again.`,
    ),
    ...some(silentFeeds, (name) => `The feed ${name} brings nothing at the moment.`),
    ...(deadLetters.length === 0
      ? []
      : ["Some of what came could not be stored. The list at the end of this page says what, and why."]),
    ...some(stopped, ({ receiver }) => `Messages to ${receiver} do not get through.`),
    ...(heartbeat === null || heartbeat.outcome === "Beats" ? [] : [reasonOf(heartbeat)]),
  ];
  if (troubles.length > 0) return { outcome: "Troubled", headline: "Not everything works", troubles };
  if (added.length === 0) return { outcome: "NotKnown", headline: "No query is watched yet", troubles };
  if (added.some(({ polledAt }) => polledAt === null))
    return {
      outcome: "NotKnown",
      headline: "It has just begun: not every query was asked for yet",
      troubles,
    };
  return { outcome: "Well", headline: "Everything is read, and messages go out", troubles };
}

function some<Of>(all: readonly Of[], sentence: (one: Of) => string): readonly string[] {
  const named = all.slice(0, MOST_NAMED).map(sentence);
  return all.length > named.length ? [...named, `And ${all.length - named.length} more like it.`] : named;
}

function aheadOf({ polledAt, completeUntil, tickedUntil }: ShownPoll, now: Instant): number | null {
  return clockAheadMs([polledAt, completeUntil, tickedUntil], now);
}

function reasonOf({ reason }: ShownHeartbeat): string {
  return `Earshot's own check fails${reason === undefined ? "" : `: ${reason}`}.`;
}

/** `3 minutes ago`, as roughly as people need it. */
export function ago(at: Instant, now: Instant): string {
  const ms = Math.max(0, now - at);
  if (ms < MINUTE) return "a moment ago";
  // Two units of a duration, such as 2h 5m, are more than anybody reads.
  return `${formatDuration(ms).split(" ")[0]} ago`;
}
