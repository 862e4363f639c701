import type { Instant } from "../lib/instant.ts";
import type { Severity } from "../model/severity.ts";

/** A current problem of Earshot itself. Each is one alert. */
export interface Problem {
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
  "receiver",
  "messagesTo",
  "digest",
  "date",
  "engine",
  "kind",
] as const;
export type OperatorLabel = (typeof OPERATOR_LABELS)[number];

export type OperatorRuleName =
  | "source-refuses"
  | "source-rate-limited"
  | "source-lag"
  | "query-silent"
  | "queue-stands-still"
  | "receiver-fails"
  | "messages-given-up"
  | "receiver-bounces"
  | "pictures-left-out"
  | "digest-not-built"
  | "engine-was-away"
  | "dead-letters";
