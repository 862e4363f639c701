import { ClassifiedError } from "../../lib/retry.ts";

/**
 * What went wrong, in the words that a caller acts upon:
 * - `network`, `timeout`: nothing usable came back. `aborted`: we stopped waiting ourselves.
 * - `login`: the credentials were refused. `unauthorized`: a fresh token was refused as well. `forbidden`, `not-found`,
 *   `rejected` (400, 422 and other 4xx): the same call will fail again.
 * - `rate-limited`: the source says that the budget of the client is spent. `over-budget`: we say so, and asked nothing.
 * - `unavailable`: 5xx.
 * - `malformed`: an answer that is not the JSON that was asked for. `too-large`: more bytes than we take.
 */
export type SourceErrorKind =
  | "network"
  | "timeout"
  | "aborted"
  | "login"
  | "unauthorized"
  | "forbidden"
  | "not-found"
  | "rejected"
  | "rate-limited"
  | "over-budget"
  | "unavailable"
  | "malformed"
  | "too-large";

export interface SourceErrorDetails {
  readonly kind: SourceErrorKind;
  /** The call by its name (`mentions`, `login`, …), never its address: addresses carry parameters. */
  readonly call: string;
  readonly message: string;
  /** HTTP status, null when there was no answer. */
  readonly status?: number | null;
  /** The source's own code or ours for the transport (`ECONNREFUSED`), null when there is none. */
  readonly code?: string | null;
  readonly retryable: boolean;
  /** How long the source wants us to wait; null if it did not say and only back-off is left. */
  readonly retryAfterMs?: number | null;
}

/**
 * The one error of the source client. It has no `cause` on purpose: parser errors of the transport hold the raw bytes
 * of an answer, and a logger would print them.
 */
export class SourceError extends ClassifiedError {
  override readonly name = "SourceError";
  readonly kind: SourceErrorKind;
  readonly call: string;
  readonly status: number | null;
  readonly code: string | null;

  constructor(details: SourceErrorDetails) {
    super(`${details.call}: ${details.message}`, details);
    this.kind = details.kind;
    this.call = details.call;
    this.status = details.status ?? null;
    this.code = details.code ?? null;
  }
}
