import type { Instant } from "../lib/instant.ts";
import type { Severity } from "./severity.ts";

/**
 * pending → firing → acknowledged → resolved. What comes back within the `reopenWithin` of its rule is the same alert,
 * firing again; later a new one follows it.
 */
export type AlertState = "pending" | "firing" | "acknowledged" | "resolved";

/** Why people who know of an alert are told again: it doubled since they were told, or a second, larger wave came. */
export type RenotifyReason = "Doubled" | "NewWave";

/** A rule that is true for one fingerprint, for as long as it is true. All moments are domain time. */
export interface Alert {
  readonly id: string;
  readonly projectId: string;
  readonly rule: string;
  /** Identity while it is open: rule + group key. */
  readonly fingerprint: string;
  readonly queryId: string;
  readonly queryName: string;
  readonly severity: Severity;
  readonly state: AlertState;
  /** What the rule groups by, with the values of this alert: `{query: "Delta", author: "someone"}`. Hostile text. */
  readonly labels: Readonly<Record<string, string>>;
  /** When the evidence made the rule true (arrival of the mention; end of the window), not when we noticed. */
  readonly openedAt: Instant;
  readonly firedAt: Instant | null;
  /** The newest evidence. */
  readonly lastSeenAt: Instant;
  readonly resolvedAt: Instant | null;
  /** How often there was a reason to tell people of it: 1 from the beginning, one more whenever it grew much graver. */
  readonly notifyCount: number;
  /** The reason of the newest of them; null while there was only the first. */
  readonly renotifyReason: RenotifyReason | null;
  /** Mentions that belong to it, so far. */
  readonly mentions: number;
  /** One sentence with the numbers that made it fire; no mention text in it. */
  readonly because: string;
  /** The window that it speaks of; equal for alerts on single mentions. */
  readonly windowFrom: Instant;
  readonly windowTo: Instant;
  /** Numbers behind `because`, by name, for templates and charts. */
  readonly values: Readonly<Record<string, number>>;
  /** What people have done about it; absent or empty when nobody has done anything. */
  readonly handling?: AlertHandling;
  /** How it went so far; absent where nothing was noted. */
  readonly progress?: AlertProgress;
}

/** How many there were in a window that ends at `at`: "52 negative mentions in 5 min". */
export interface WindowCount {
  readonly count: number;
  readonly windowMs: number;
  readonly at: Instant;
  /** What is counted: "negative mentions". */
  readonly subject: string;
}

/** How an alert went. All counts are of windows of one length, so that they can be compared. */
export interface AlertProgress {
  /** When people were first notified. */
  readonly first?: WindowCount;
  /** When they were last notified because it had grown. */
  readonly renotified?: WindowCount;
  readonly peak?: WindowCount;
  /** What it had to reach for its severity: "at least 200 in 30 min"; absent for what it has from the start. */
  readonly step?: string;
}

/** People are named as they named themselves. */
export interface AlertHandling {
  /** Since when it calls for somebody: it fired, grew graver or came back then. Steps of escalation count from here. */
  readonly callingSince?: Instant | undefined;
  readonly acknowledgedBy?: string | undefined;
  readonly assignee?: string | undefined;
  /** Who ended it by hand, while its rule may still be true. */
  readonly closedBy?: string | undefined;
  /** Why it ended without its rule having become untrue: its query or its rule is no longer there. */
  readonly endedBecause?: string | undefined;
  /** False: somebody said that it should not have been told. From this the precision of its rule is counted. */
  readonly relevant?: boolean | undefined;
}
