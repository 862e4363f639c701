import type { Instant } from "../lib/instant.ts";
import type { Alert } from "./alert.ts";
import type { Mention } from "./mention.ts";
import type { NotificationKind, NotificationState } from "./notification.ts";
import type { PollKind } from "./poll.ts";
import type { ServerQuirk } from "./server-quirk.ts";

/** A mention with where it belongs. */
export interface ShownMention {
  readonly mention: Mention;
  readonly projectId: string;
  readonly queryName: string;
  readonly eventAt: Instant;
}

/** A story that several mentions tell. */
export interface ShownStory {
  readonly mentions: number;
  readonly first: Mention;
  /** The one that may have reached most people. */
  readonly widest: Mention;
}

/** Which mentions; an empty text or null does not restrict. */
export interface MentionFilter {
  readonly projectId: string | null;
  readonly queryId: string | null;
  readonly sentiment: string | null;
  /** Part of the title or text, in any case. */
  readonly contains: string | null;
}

/** Where a listing goes on: after this mention, in the order of the listing. */
export interface MentionPosition {
  readonly moment: Instant;
  readonly queryId: string;
  readonly resourceId: string;
}

export interface MentionListing {
  readonly mentions: readonly ShownMention[];
  /** Null: there is nothing further back. */
  readonly next: MentionPosition | null;
  /** The listing looked through its share of rows and stopped before it was full; `next` goes on from there. */
  readonly stoppedEarly: boolean;
}

/** Mentions by hour and sentiment; `queryId` belongs to one project. */
export interface VolumeCount {
  readonly projectId: string;
  readonly queryId: string;
  readonly queryName: string;
  /** Start of the hour. */
  readonly hour: Instant;
  readonly sentiment: string | null;
  readonly n: number;
}

export type AlertStates = "open" | "resolved" | "all";

export interface AlertPosition {
  readonly openedAt: Instant;
  readonly id: string;
}

export interface AlertListing {
  readonly alerts: readonly Alert[];
  readonly next: AlertPosition | null;
}

export interface ShownNotification {
  readonly id: string;
  readonly receiver: string;
  readonly kind: NotificationKind;
  readonly alertId: string | null;
  /** Of the alert; null for digests and tests. */
  readonly rule: string | null;
  readonly queryName: string | null;
  readonly digestName: string | null;
  readonly createdAt: Instant;
  readonly reason: string;
  readonly state: NotificationState;
  readonly attempts: number;
  readonly sentAt: Instant | null;
  readonly lastError: string | null;
}

/** How a receiver stands to an alert: the last decision, and when it is asked for again. */
export interface ShownReceiver {
  readonly receiver: string;
  /** A named outcome: `FirstNotification`, `HeldBySilence`, … */
  readonly last: string;
  readonly notifiedAt: Instant | null;
  readonly nextAt: Instant | null;
}

export interface ShownDelivery {
  readonly notificationId: string;
  readonly attempt: number;
  readonly atWall: Instant;
  readonly outcome: string;
  readonly detail: string;
}

/** How far one walk over one query has come, and what it saw since the moment that was asked for. */
export interface ShownPoll {
  readonly projectId: string;
  readonly projectName: string;
  readonly queryId: string;
  readonly queryName: string;
  readonly active: boolean;
  readonly poll: PollKind;
  readonly polledAt: Instant | null;
  /** As the plan stands; it may have passed by. */
  readonly nextPollAt: Instant;
  readonly completeUntil: Instant | null;
  /** Windows of the query are closed up to here. */
  readonly tickedUntil: Instant;
  /** In a row, since the last page that was committed. */
  readonly failures: number;
  readonly lastError: string | null;
  readonly polls: number;
  readonly seen: number;
  readonly stored: number;
  readonly rejected: number;
  /** Mentions missing now against the server's own totals; 0 when every gap is closed. */
  readonly gap: number;
  /** From where on the gap is gone over again and when; null where there is none. */
  readonly gapFrom: Instant | null;
  readonly gapNoticedAt: Instant | null;
  readonly gapNextAt: Instant | null;
}

/** A mention, page or job that always failed and stands aside, and why. */
export interface ShownDeadLetter {
  readonly id: string;
  readonly kind: "mention" | "page" | "job";
  readonly scope: string | null;
  readonly tries: number;
  readonly replayable: boolean;
  readonly queryId: string;
  readonly queryName: string;
  readonly at: Instant;
  readonly resourceId: string | null;
  readonly reason: string;
}

/** The rate budget of an account, as it stands now. */
export interface ShownBudget {
  /** Who at which address. */
  readonly account: string;
  /** Calls in any rolling window of `periodMs`; null: the account has no limit. */
  readonly limit: number | null;
  readonly periodMs: number;
  /** In the window that ends now, those of others included, as far as the source tells. */
  readonly used: number;
  readonly usedByOthers: number;
  /** Until a refusal of the source is over; 0 when there is none. */
  readonly closedForMs: number;
  /** Whether one call may ask for several queries at this source. */
  readonly sharing: "untried" | "proven" | "refused";
}

/** A rule that cannot fire on a query yet: it has too little history for what it expects. */
export interface ShownWarmUp {
  readonly projectId: string;
  readonly projectName: string;
  readonly queryId: string;
  readonly queryName: string;
  readonly rule: string;
  /** `spike`, `absence`, `trend`, `share`, `new hashtag`. */
  readonly kind: string;
  /** "negative mentions". */
  readonly counts: string;
  /** When it will know enough; null where that hangs on mentions and not on time. */
  readonly until: Instant | null;
  /** "9 more days", "its first mention". */
  readonly needs: string;
}

/** What was found out about the server of an account. */
export interface ShownQuirk extends ServerQuirk {
  readonly account: string;
}

/** A receiver that is not told at once. */
export interface ShownWait {
  readonly receiver: string;
  /** Messages that wait for it. */
  readonly waiting: number;
  /**
   * `Refused`: nothing arrives until somebody mends something. `Paused`: its place asked for time, or is away.
   * `TriedAgain`: tries fail and go on. `InLine`: all is well, and a channel takes one message after the other.
   */
  readonly outcome: "Refused" | "Paused" | "TriedAgain" | "InLine";
  /** How long it may take in milliseconds of wall time, where that is known. */
  readonly forMs: number | null;
  /** One sentence without secrets. */
  readonly because: string;
}
