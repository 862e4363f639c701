import type { Instant } from "../lib/instant.ts";

/** `extra`: what a receiver's messages bring beside their text (a picture), and can do without. */
export type FailureKind = "call" | "receiver" | "job" | "extra";

/** Something that fails at this moment, and has since `since`. Gone with its next success. */
export interface Failure {
  readonly kind: FailureKind;
  /** A query's walks (`project/query`), a call's name, a receiver's name, a job's key. */
  readonly scope: string;
  /** The kind of fault in the words of the part that met it: `unauthorized`, `rate-limited`, `refused` … */
  readonly reason: string;
  /** One sentence without secrets, with what to do where somebody can do something. */
  readonly message: string;
  /** Trying again as it is does not help. */
  readonly final: boolean;
  /** Domain time of the first failure of this reason in a row. */
  readonly since: Instant;
  /** Wall time since then, and since the last failure, in milliseconds. */
  readonly forMs: number;
  readonly lastAgoMs: number;
  /** In a row. */
  readonly times: number;
  readonly checkFailed: boolean;
}

/** What is noted of one failure. */
export type NotedFailure = Pick<Failure, "kind" | "scope" | "reason" | "message" | "final">;
