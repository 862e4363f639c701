import type { Instant } from "../lib/instant.ts";

/** `extra`: an optional part of a receiver's messages (a chart). */
export type FailureKind = "call" | "receiver" | "job" | "extra";

/** Something that has failed since `since` and still fails. Deleted by its next success. */
export interface Failure {
  readonly kind: FailureKind;
  /** The polls of a query (`project/query`), a call's name, a receiver's name, a job's key. */
  readonly scope: string;
  /** The kind of fault, named by the part that met it: `unauthorized`, `rate-limited`, `refused` … */
  readonly reason: string;
  /** One sentence without secrets, with what to do if somebody can do something. */
  readonly message: string;
  /** A retry does not help. */
  readonly final: boolean;
  /** Domain time of the first failure in a row with this reason. */
  readonly since: Instant;
  /** Wall time since then, and since the last failure, in milliseconds. */
  readonly forMs: number;
  readonly lastAgoMs: number;
  /** Failures in a row. */
  readonly times: number;
  readonly checkFailed: boolean;
}

/** The stored part of one failure. */
export type NotedFailure = Pick<Failure, "kind" | "scope" | "reason" | "message" | "final">;
