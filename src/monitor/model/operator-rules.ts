import { type Instant, MINUTE } from "../../lib/instant.ts";
import type { SourceName } from "./query.ts";
import type { Severity } from "./severity.ts";

/** A current problem of Earshot itself. Each is one alert. */
export interface HealthProblem {
  readonly rule: OperatorRuleName;
  /** Its subject, if there can be several of a kind: `{receiver: "comms"}`. */
  readonly labels: Readonly<Partial<Record<OperatorLabel, string>>>;
  readonly since: Instant;
  /** What is wrong, in numbers, and then what to do. */
  readonly because: string;
  readonly values: Readonly<Record<string, number>>;
  /** Set if it is more severe than its rule. */
  readonly severity?: Severity;
}

/** Labels that alerts of Earshot about itself can have. */
export const OPERATOR_LABELS = [
  "query",
  "queryId",
  "feed",
  "feedId",
  "receiver",
  "messagesTo",
  "digest",
  "date",
  "engine",
  "kind",
  "source",
  "process",
  "heldRule",
] as const;
type OperatorLabel = (typeof OPERATOR_LABELS)[number];

/** The label of a problem of one source: none of the account, so that both have alerts of their own. */
export function sourceLabel(source: SourceName): { readonly source?: string } {
  return source === "account" ? {} : { source };
}

/** The source that a problem is of, by its labels. */
export function sourceOfProblem({
  labels,
}: {
  readonly labels: Readonly<Partial<Record<string, string>>>;
}): SourceName {
  return labels["source"] === "feeds" ? "feeds" : "account";
}

export type OperatorRuleName =
  | "source-refuses"
  | "source-rate-limited"
  | "source-lag"
  | "query-silent"
  | "feed-silent"
  | "feed-gap"
  | "queue-stands-still"
  | "receiver-fails"
  | "messages-given-up"
  | "messages-uncorrected"
  | "receiver-bounces"
  | "pictures-left-out"
  | "buttons-fail"
  | "digest-not-built"
  | "engine-was-away"
  | "dead-letters"
  | "versions-differ"
  | "rule-floods"
  | "loop-late"
  | "clock-jumped";

interface OperatorRule {
  readonly severity: Severity;
  /** The alert is resolved after so long without the problem: a problem that comes and goes is one alert. */
  readonly overAfterMs: number;
  readonly description: string;
}

/** The alerts about Earshot itself, by rule name. The settings hold how long a problem has to last. */
export const OPERATOR_RULES: Readonly<Record<OperatorRuleName, OperatorRule>> = {
  "source-refuses": {
    severity: "critical",
    overAfterMs: 2 * MINUTE,
    description: "The source refuses our login or our calls, so nothing new is seen. Earshot keeps trying.",
  },
  "source-rate-limited": {
    severity: "warning",
    overAfterMs: 5 * MINUTE,
    description: "The account has been over its rate limit for long, so mentions are seen late.",
  },
  "source-lag": {
    severity: "warning",
    overAfterMs: 2 * MINUTE,
    description: "Queries are not read up to the present, so alerts come late.",
  },
  "query-silent": {
    severity: "warning",
    overAfterMs: 10 * MINUTE,
    description: "A query that is usually busy at this hour brings nothing. It may be broken at the source.",
  },
  "feed-silent": {
    severity: "warning",
    overAfterMs: 5 * MINUTE,
    description: "A public feed is silent for longer than its interval allows, so its mentions are missing.",
  },
  "feed-gap": {
    severity: "warning",
    overAfterMs: 5 * MINUTE,
    description: "A stream was away for longer than its server keeps events, so some are lost.",
  },
  "queue-stands-still": {
    severity: "critical",
    overAfterMs: 2 * MINUTE,
    description:
      "Work is due and no process does it. Nothing is lost: it is kept in the database until one does.",
  },
  "receiver-fails": {
    severity: "critical",
    overAfterMs: 5 * MINUTE,
    description: "A receiver does not get its messages.",
  },
  "messages-given-up": {
    severity: "warning",
    overAfterMs: 5 * MINUTE,
    description: "Messages could not be delivered and are not retried automatically.",
  },
  "messages-uncorrected": {
    severity: "warning",
    overAfterMs: 5 * MINUTE,
    description: "Messages still show something that was deleted, and cannot be corrected from here.",
  },
  "receiver-bounces": {
    severity: "critical",
    overAfterMs: 5 * MINUTE,
    description: "Mails to a receiver were accepted by the mail server and came back later.",
  },
  "pictures-left-out": {
    severity: "info",
    overAfterMs: 2 * MINUTE,
    description: "Messages arrive without their charts. Everything else arrives.",
  },
  "buttons-fail": {
    severity: "warning",
    overAfterMs: 2 * MINUTE,
    description: "Clicks on buttons in messages do not arrive. The messages do.",
  },
  "digest-not-built": {
    severity: "warning",
    overAfterMs: 2 * MINUTE,
    description: "A digest was due and could not be built.",
  },
  "engine-was-away": {
    severity: "warning",
    overAfterMs: MINUTE,
    description: "Something that Earshot needs could not be reached for a while.",
  },
  "dead-letters": {
    severity: "warning",
    overAfterMs: MINUTE,
    description: "Something failed at every try and is left out, so that it blocks nothing else.",
  },
  "rule-floods": {
    severity: "warning",
    overAfterMs: 2 * MINUTE,
    description:
      "A rule would open more alerts than anybody can read, so it is held. Everything else goes on.",
  },
  "loop-late": {
    severity: "warning",
    overAfterMs: 2 * MINUTE,
    description: "The event loop of a process is late, so everything that it does takes longer.",
  },
  "versions-differ": {
    severity: "warning",
    overAfterMs: MINUTE,
    description: "Processes run different versions of the configuration, rules or templates.",
  },
  "clock-jumped": {
    severity: "warning",
    overAfterMs: 10 * MINUTE,
    description:
      "A clock was set forward or back by more than a minute, so moments that were stored are wrong.",
  },
};
