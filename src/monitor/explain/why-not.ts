import type { Instant } from "../../lib/instant.ts";

/** What is known of one rule and one mention. */
interface RuleFacts {
  readonly kind: "mention" | "window" | "new";
  /** The queries that the rule is for, as its file names them; null for all. */
  readonly queries: readonly string[] | null;
  readonly appliesTo: boolean;
  /** The first condition of `when` that the mention does not meet, as a sentence; null if it meets all. */
  readonly miss: string | null;
  /** When the mention arrived, and from when on the query is watched. */
  readonly arrivedAt: Instant;
  readonly watchFrom: Instant;
  /** Since when the rule was held when it arrived, because it opened too many alerts; null if it was not. */
  readonly heldSince: Instant | null;
  /** The alert that the mention led to, or was counted into. */
  readonly alert: { readonly id: string; readonly fired: boolean; readonly openedAt: Instant } | null;
  /** How long it must be true before the alert fires. */
  readonly forMs: number;
  readonly window: WindowFacts | null;
  readonly novelty: NoveltyFacts | null;
}

/** The window of a rule on counts, as it was when the mention arrived. */
export type WindowFacts =
  /** The rule is newer than this process knows, or its counts are being made. */
  | { readonly outcome: "NotCounted" }
  /** The window is not closed yet. */
  | { readonly outcome: "NotJudged"; readonly judgedUntil: Instant }
  /** The counts of that time are deleted. */
  | { readonly outcome: "CountsGone" }
  | {
      readonly outcome: "Judged";
      /** The end of the window that came nearest. */
      readonly at: Instant;
      readonly met: boolean;
      readonly because: string;
      /** Which limits it did not reach. */
      readonly missing: readonly { readonly of: string; readonly text: string }[];
      /** What the rule still had to learn then: "9 more days". */
      readonly warmUp: string | null;
    };

/** The values of a mention for a rule on values never seen before. */
export type NoveltyFacts =
  | { readonly outcome: "NoValue"; readonly facet: string }
  | { readonly outcome: "WarmingUp"; readonly needs: string }
  /** It had been seen too long before. */
  | { readonly outcome: "KnownBefore"; readonly facet: string; readonly firstAt: Instant }
  | {
      readonly outcome: "TooFew";
      readonly facet: string;
      readonly authors: number;
      readonly atLeast: number;
      readonly firstAt: Instant;
    }
  | { readonly outcome: "Enough" };

/** Why a rule alerted on a mention or did not. */
interface WhyNot {
  readonly outcome: RuleOutcome;
  /** A sentence without its full stop. It may repeat values of the mention, which are hostile: escape it. */
  readonly text: string;
}

export type RuleOutcome =
  | "Alerted"
  | "OtherQueries"
  | "ConditionNotMet"
  | "BeforeWatch"
  | "RuleHeld"
  | "ChangedSince"
  | "NotCounted"
  | "NotJudgedYet"
  | "CountsGone"
  | "WarmingUp"
  | "CoolingDown"
  | "LimitNotReached"
  | "ForNotReached"
  | "NoNewValue"
  | "ValueKnownBefore"
  | "TooFewAuthors";

/** The first reason that applies decides. `moment` formats a time for the reader. */
export function whyNot(facts: RuleFacts, moment: (at: Instant) => string): WhyNot {
  const { alert, appliesTo, queries, miss, kind } = facts;
  if (alert?.fired === true)
    return say("Alerted", kind === "mention" ? "it led to an alert" : "it was counted into an alert");
  if (!appliesTo)
    return say("OtherQueries", `the rule is only for the queries ${(queries ?? []).join(", ")}`);
  if (miss !== null) return say("ConditionNotMet", miss);
  if (alert !== null) return forNotReached(alert.openedAt, facts, moment);
  if (facts.window !== null) return ofWindow(facts.window, facts, moment);
  if (facts.novelty !== null) return ofNovelty(facts.novelty, facts, moment);
  return beforeWatch(facts, moment) ?? ruleHeld(facts, moment) ?? CHANGED;
}

function ofWindow(window: WindowFacts, facts: RuleFacts, moment: (at: Instant) => string): WhyNot {
  switch (window.outcome) {
    case "NotCounted":
      return say(
        "NotCounted",
        "it is not counted for the rule yet: the rule is new, or was not loaded by the running Earshot",
      );
    case "NotJudged":
      return say(
        "NotJudgedYet",
        `it is counted, and its window is not closed yet; windows are judged up to ${moment(window.judgedUntil)}`,
      );
    case "CountsGone":
      return say(
        "CountsGone",
        "it cannot be known any more: the counts of that time are deleted (retention)",
      );
    case "Judged": {
      const { at, met, because, missing, warmUp } = window;
      const [first, ...others] = missing;
      if (warmUp !== null)
        return say(
          "WarmingUp",
          `the rule was warming up and could not fire: it needed ${warmUp} (${because})`,
        );
      if (met)
        return beforeWatch(facts, moment) ?? (facts.forMs > 0 ? forNotReached(at, facts, moment) : CHANGED);
      if (first?.of === "cooldown") return say("CoolingDown", first.text);
      const more = others.map(({ text }) => `; ${text}`).join("");
      return say(
        "LimitNotReached",
        `${first?.text ?? because}${more} (the nearest window, until ${moment(at)})`,
      );
    }
  }
}

function ofNovelty(novelty: NoveltyFacts, facts: RuleFacts, moment: (at: Instant) => string): WhyNot {
  switch (novelty.outcome) {
    case "NoValue":
      return say("NoNewValue", `it has no ${novelty.facet}`);
    case "WarmingUp":
      return say("WarmingUp", `the rule was warming up and could not fire: it needed ${novelty.needs}`);
    case "KnownBefore":
      return say(
        "ValueKnownBefore",
        `its ${novelty.facet} was not new: first seen ${moment(novelty.firstAt)}`,
      );
    case "TooFew": {
      const { facet, authors, atLeast, firstAt } = novelty;
      const who = facet === "author" ? "mentions" : "authors";
      return say(
        "TooFewAuthors",
        `its ${facet} was new, and had ${authors} of the ${atLeast} ${who} that are needed: ${atLeast - authors} short (first seen ${moment(firstAt)})`,
      );
    }
    case "Enough":
      return beforeWatch(facts, moment) ?? ruleHeld(facts, moment) ?? CHANGED;
  }
}

function beforeWatch({ arrivedAt, watchFrom }: RuleFacts, moment: (at: Instant) => string): WhyNot | null {
  if (arrivedAt >= watchFrom) return null;
  return say(
    "BeforeWatch",
    `it arrived before this query was watched (since ${moment(watchFrom)}): such mentions only teach what is usual`,
  );
}

function ruleHeld({ heldSince }: RuleFacts, moment: (at: Instant) => string): WhyNot | null {
  if (heldSince === null) return null;
  return say(
    "RuleHeld",
    `the rule was held from ${moment(heldSince)}: it opened more alerts than anybody can read`,
  );
}

function forNotReached(since: Instant, { forMs }: RuleFacts, moment: (at: Instant) => string): WhyNot {
  const minutes = Math.round(forMs / 60_000);
  return say(
    "ForNotReached",
    `the rule was true from ${moment(since)}, but not for the ${minutes} min that it has to be (for)`,
  );
}

const CHANGED: WhyNot = {
  outcome: "ChangedSince",
  text: "it meets the rule as it is now, but led to no alert: the rule or the mention has changed since",
};

function say(outcome: RuleOutcome, text: string): WhyNot {
  return { outcome, text };
}
