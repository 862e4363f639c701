import type { Instant } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";

/** What is known of a watched query and a mention that is not stored. */
export interface UnreadFacts {
  readonly now: Instant;
  readonly isWatched: boolean;
  /** What the source says of the mention in this query; null if it was not asked, or could not say. */
  readonly source: SourceFacts | null;
  /** Why the source could not say, as a sentence; null if it could. */
  readonly unknownBecause: string | null;
  /** The mention could not be stored: the reason, from the dead letters. */
  readonly deadLetter: string | null;
  /** It was deleted, and what was deleted does not come back: since when; absent or null if it was not. */
  readonly deleted?: { readonly at: Instant; readonly reason: "source" | "request" } | null;
  /** Up to when all mentions that entered the query are read; null before the first finished poll. */
  readonly completeUntil: Instant | null;
  readonly nextPollAt: Instant | null;
  readonly gap: { readonly from: Instant; readonly missing: number; readonly nextAt: Instant | null } | null;
  /** From when on the query is read; null before the first poll. */
  readonly historyFrom: Instant | null;
  /** Mentions from before this are deleted. */
  readonly keptFrom: Instant;
}

/** The mention in one query, as the source knows it. */
export type SourceFacts =
  | { readonly outcome: "InQuery"; readonly addedAt: Instant | null; readonly publishedAt: Instant | null }
  /** It is in the query, and the source shows it later. */
  | { readonly outcome: "Delayed"; readonly visibleAt: Instant }
  /** `because` says which term, or what else; `part` is the part of the query text, if there is one. */
  | { readonly outcome: "NotInQuery"; readonly because: string; readonly part: string | null }
  /** No query has it: it was never found, or it was taken down. */
  | { readonly outcome: "Unknown" };

/** Why a mention is not stored for a query. */
interface WhyUnread {
  readonly outcome: UnreadOutcome;
  /** A sentence without its full stop. It may repeat parts of the query, and nothing of the mention. */
  readonly text: string;
}

export type UnreadOutcome =
  | "NotInQuery"
  | "NotAtSource"
  | "Deleted"
  | "NotShownYet"
  | "NotYetPolled"
  | "InGap"
  | "BeforeHistory"
  | "BeyondRetention"
  | "NotStorable"
  | "NotWatched"
  | "ReadButMissing"
  | "SourceCannotSay";

/** The first reason that applies decides. `moment` formats a time for the reader. */
export function whyUnread(facts: UnreadFacts, moment: (at: Instant) => string): WhyUnread {
  const { source, deadLetter, isWatched, deleted = null } = facts;
  if (deleted !== null) {
    const who =
      deleted.reason === "source" ? "the source said that it was deleted" : "somebody asked to forget it";
    return say(
      "Deleted",
      `${who} (${moment(deleted.at)}); Earshot keeps nothing of it, and does not store it again`,
    );
  }
  if (deadLetter !== null)
    return say("NotStorable", `the source sent it, and it could not be stored: ${deadLetter}`);
  if (source === null) return cannotSay(facts, moment);
  switch (source.outcome) {
    case "Unknown":
      return say(
        "NotAtSource",
        "the source has no such mention: it never found it, or it was taken down there (withheld by policy)",
      );
    case "NotInQuery":
      return say("NotInQuery", `it is not in the query: ${source.because}`);
    case "Delayed":
      return say(
        "NotShownYet",
        `it is in the query, and the source shows it from ${moment(source.visibleAt)} on`,
      );
    case "InQuery":
      if (!isWatched) return say("NotWatched", "it is in the query, which Earshot does not watch");
      return inQuery(source, facts, moment);
  }
}

function inQuery(
  { addedAt, publishedAt }: Extract<SourceFacts, { outcome: "InQuery" }>,
  facts: UnreadFacts,
  moment: (at: Instant) => string,
): WhyUnread {
  const { completeUntil, gap, historyFrom, keptFrom } = facts;
  const since = addedAt === null ? "" : ` since ${moment(addedAt)}`;
  const oldest = publishedAt ?? addedAt;
  if (oldest !== null && oldest < keptFrom)
    return say(
      "BeyondRetention",
      `it is older than what is kept: Earshot deletes what is older than ${moment(keptFrom)}`,
    );
  if (addedAt !== null && historyFrom !== null && addedAt < historyFrom)
    return say(
      "BeforeHistory",
      `it is in the query${since}, and Earshot reads the query from ${moment(historyFrom)} on (source.history)`,
    );
  if (completeUntil === null || addedAt === null || addedAt >= completeUntil)
    return say("NotYetPolled", `it is in the query${since}, and not read yet: ${pollState(facts, moment)}`);
  if (gap !== null && addedAt >= gap.from) {
    const again = gap.nextAt === null ? "" : `; it is asked again ${moment(gap.nextAt)}`;
    return say(
      "InGap",
      `it is in a gap: the source counts ${counted(gap.missing, "mention")} more than it sent, from ${moment(gap.from)} on${again}`,
    );
  }
  return say(
    "ReadButMissing",
    `it is in the query${since}, and everything up to ${moment(completeUntil)} is read, but it is not stored: the source may have shown it later than it says; earshot coverage shows what is missing`,
  );
}

function cannotSay(facts: UnreadFacts, moment: (at: Instant) => string): WhyUnread {
  const gap =
    facts.gap === null
      ? ""
      : `; ${counted(facts.gap.missing, "mention")} missing since ${moment(facts.gap.from)}`;
  return say(
    "SourceCannotSay",
    `it is not stored. ${facts.unknownBecause ?? "The source was not asked"}. What is known here: ${pollState(facts, moment)}${gap}`,
  );
}

function pollState({ completeUntil, nextPollAt, now }: UnreadFacts, moment: (at: Instant) => string): string {
  const until =
    completeUntil === null ? "nothing is read completely yet" : `all up to ${moment(completeUntil)} is read`;
  if (nextPollAt === null) return until;
  return `${until}, the next poll is ${nextPollAt <= now ? "due now" : `at ${moment(nextPollAt)}`}`;
}

function say(outcome: UnreadOutcome, text: string): WhyUnread {
  return { outcome, text };
}
