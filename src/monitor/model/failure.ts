import type { Instant } from "../../lib/instant.ts";
import { FEEDS_PREFIX, type SourceName } from "./query.ts";

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

/** The scope of the polls of one query. */
export function queryScope(query: { readonly projectId: string; readonly queryId: string }): string {
  return `${QUERY}${query.projectId}/${query.queryId}`;
}

/** The scope of a call of this source; the polls of a query say by themselves whose they are. */
export function scopeOfSource(source: SourceName, scope: string): string {
  return source === "feeds" && !scope.startsWith(QUERY) ? FEEDS + scope : scope;
}

/** The source whose calls fail under this scope. */
export function sourceOfScope(scope: string): SourceName {
  return scope.startsWith(FEEDS) || scope.startsWith(QUERY + FEEDS_PREFIX) ? "feeds" : "account";
}

const QUERY = "query ";
/** Before the other scopes of our own Listening API. */
const FEEDS = "feeds: ";

/** Jobs that the tables request again until they are done, so one that always fails must be stopped. */
export type RetriedJob = "close-windows" | "reconsider-alerts" | "build-digest";

export function jobScope(job: RetriedJob, payload: Readonly<Record<string, string>>): string {
  const keys = Object.keys(payload).sort();
  return [job, ...keys.map((key) => payload[key])].join(" ");
}

/** A time in which something that Earshot depends on was down. It is only stored after its end. */
export interface Outage {
  /** `earshot`: no process of Earshot was running. */
  readonly engine: "database" | "queue" | "earshot";
  /** `emptied`: the queue came back without its jobs. */
  readonly outcome: "Away" | "Emptied";
  readonly from: Instant;
  readonly to: Instant;
  /** The engine's error message; null if there was none. */
  readonly because: string | null;
}

/** bounced: returned for good; expired: not accepted in time; delayed: another server still tries. */
export type BounceOutcome = "bounced" | "expired" | "delayed";

/** A receiver whose mails bounced, since its last delivered mail. */
export interface OpenBounces {
  readonly receiver: string;
  /** The address of those mails. */
  readonly to: string;
  /** Number of mails. */
  readonly times: number;
  /** When the first of them was sent. */
  readonly since: Instant;
  /** The server's text about the newest. */
  readonly detail: string;
}

export type DeadLetterKind = "mention" | "page" | "job";

/** A mention, page or job that always failed and is kept apart, so that it blocks nothing else. */
export interface DeadLetter {
  readonly id: string;
  readonly projectId: string;
  readonly queryId: string;
  readonly queryName: string | null;
  readonly kind: DeadLetterKind;
  readonly at: Instant;
  readonly resourceId: string | null;
  readonly scope: string | null;
  readonly reason: string;
  readonly tries: number;
  /** Whether `body` has all that a replay needs. */
  readonly replayable: boolean;
  readonly replayWanted: boolean;
}

export interface NewDeadLetter {
  readonly projectId: string;
  readonly queryId: string;
  readonly kind: DeadLetterKind;
  readonly resourceId?: string | null;
  readonly scope?: string;
  readonly reason: string;
  readonly tries: number;
  /** The input of a replay. */
  readonly body: unknown;
}
