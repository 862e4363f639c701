import { DAY, type Instant } from "../../lib/instant.ts";
import type { Alert } from "./alert.ts";
import type { AuthorListing } from "./author-list.ts";
import type { Incident, IncidentEntry } from "./incident.ts";
import type { Mention } from "./mention.ts";
import type { ShownWorkflow, WorkStatus } from "./mention-workflow.ts";
import type { NotificationKind, NotificationState } from "./notification.ts";
import type { PollKind } from "./poll.ts";
import type { ServerQuirk } from "./server-quirk.ts";
import type { Severity } from "./severity.ts";

/** A mention with its query and project. */
export interface ShownMention {
  readonly mention: Mention;
  readonly projectId: string;
  readonly queryName: string;
  readonly eventAt: Instant;
  /** What people decided about it. Null: nothing; absent: the list does not show it. */
  readonly workflow?: ShownWorkflow | null;
  /** The lists on which its author is. Absent: the list does not show it. */
  readonly lists?: readonly AuthorListing[];
}

/** An alert in a list. */
export interface ListedAlert extends Alert {
  /** The newest mention that met its rule; null for an alert on counts, or where none is stored any more. */
  readonly newestMention?: Mention | null;
}

/** A story that several mentions share. */
export interface ShownStory {
  readonly mentions: number;
  readonly first: Mention;
  /** The mention that may have reached most people. */
  readonly widest: Mention;
}

/** A story of a period, as it spread. A mention counts once for each query that found it. */
export interface SpreadStory extends ShownStory {
  readonly story: string;
  /** Mentions in the period before. */
  readonly before: number;
  readonly negative: number;
  readonly authors: number;
  readonly lastAt: Instant;
  /** The sites that published it, in the order in which they did; the first ones only. */
  readonly sites: readonly { readonly domain: string; readonly at: Instant; readonly mentions: number }[];
  /** Mentions by step, those steps that have any: `[step, mentions]`. */
  readonly steps: readonly (readonly [step: number, mentions: number])[];
  /** Of the whole period: how many stories there are. */
  readonly stories: number;
}

/** Selects mentions; an empty text or null does not restrict. */
export interface MentionFilter {
  readonly projectId: string | null;
  readonly queryId: string | null;
  /** Several queries, instead of one. */
  readonly queryIds?: readonly string[];
  readonly sentiment: string | null;
  /** Part of the title or text, in any case. */
  readonly contains: string | null;
  /** Parts of the title or text, in any case: each of them. */
  readonly words?: readonly string[];
  /**
   * A first, rough filter for a query: the title or text has one of each list, in lower case; texts that are not plain
   * ASCII pass.
   */
  readonly required?: readonly (readonly string[])[];
  /** Handle or name, without regard to capitals. */
  readonly author?: string | null;
  /** A site, with what is below it: `news.example` finds `www.news.example`. */
  readonly domain?: string | null;
  readonly language?: string | null;
  readonly pageType?: string | null;
  /** Name of a country. */
  readonly country?: string | null;
  /** Name of a category. */
  readonly category?: string | null;
  /** Those of [from, to), by their own time; null or absent: of any time. */
  readonly from?: Instant | null;
  readonly to?: Instant | null;
  /** Those that tell this story. */
  readonly story?: string | null;
  /** Those that met the rule of this alert. */
  readonly alertId?: string | null;
  /** A name, without regard to capitals; `NOBODY`: those that nobody has. */
  readonly assignee?: string | null;
  readonly status?: WorkFilter | null;
  /** A tag of the source or of this installation, without regard to capitals. */
  readonly tag?: string | null;
  /** Those whose author is on this list of people, without regard to capitals. */
  readonly list?: string | null;
}

/** A longer time is read by arrival: the newest of each query could be very many. */
const SHORT_TIME = 8 * DAY;

/** Whether the newest arrivals come first; else the newest published. A position in the list is a moment of that order. */
export function isByArrival({ queryId, queryIds = [], from = null, to = null }: MentionFilter): boolean {
  return (
    queryId === null && queryIds.length === 0 && (from === null || to === null || to - from > SHORT_TIME)
  );
}

/** `to-do`: open, or in progress. */
export type WorkFilter = WorkStatus | "to-do";

/** No user has a name with a bracket. */
export const NOBODY = "(nobody)";

/** The position of a listing: it continues after this mention, in its own order. */
export interface MentionPosition {
  readonly moment: Instant;
  readonly queryId: string;
  readonly resourceId: string;
}

export interface MentionListing {
  readonly mentions: readonly ShownMention[];
  /** Null: there are no older ones. */
  readonly next: MentionPosition | null;
  /** The listing reached its limit of rows before it was full; `next` continues there. */
  readonly stoppedEarly: boolean;
  /** Mentions that were read for it. */
  readonly scanned: number;
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

/** Of more that fired in a period, only the newest are read. */
export const MOST_ANSWERED_ALERTS = 5_000;

/** An alert that fired, and when a person first acted on it; null: nobody has. */
export interface AnsweredAlert {
  readonly alertId: string;
  readonly rule: string;
  readonly queryName: string;
  readonly severity: Severity;
  readonly firedAt: Instant;
  readonly answeredAt: Instant | null;
  /** What people said of it; null: nothing. */
  readonly relevant: boolean | null;
  /** Sent, to all receivers together. */
  readonly messages: number;
}

export type AlertStates = "open" | "resolved" | "all";

export interface AlertPosition {
  readonly openedAt: Instant;
  readonly id: string;
}

export interface AlertListing {
  readonly alerts: readonly ListedAlert[];
  readonly next: AlertPosition | null;
}

export interface ShownNotification {
  readonly id: string;
  readonly receiver: string;
  readonly kind: NotificationKind;
  readonly alertId: string | null;
  /** The alert's rule; null for digests and tests. */
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

/** The last decision about an alert for a receiver, and when the next one is due. */
export interface ShownReceiver {
  readonly receiver: string;
  /** A named outcome: `FirstNotification`, `HeldBySilence`, … */
  readonly last: string;
  /** What caused it: `silence by ann: release day`; null if it was decided before causes were stored. */
  readonly by: string | null;
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

/** The state of one poll of a query, and what it read since a given moment. */
export interface ShownPoll {
  readonly projectId: string;
  readonly projectName: string;
  readonly queryId: string;
  readonly queryName: string;
  readonly active: boolean;
  readonly poll: PollKind;
  readonly polledAt: Instant | null;
  /** As planned; it may be in the past. */
  readonly nextPollAt: Instant;
  readonly completeUntil: Instant | null;
  /** Mentions that entered the query before this moment never alert. */
  readonly watchFrom: Instant | null;
  /** Windows of the query are closed up to here. */
  readonly tickedUntil: Instant;
  /** Failures in a row, since the last committed page. */
  readonly failures: number;
  readonly lastError: string | null;
  readonly polls: number;
  readonly seen: number;
  readonly stored: number;
  readonly rejected: number;
  /** Mentions missing now compared with the server's totals; 0 if every gap is closed. */
  readonly gap: number;
  /** Start of the gap, and when it is polled again; null if there is none. */
  readonly gapFrom: Instant | null;
  readonly gapNoticedAt: Instant | null;
  readonly gapNextAt: Instant | null;
}

/** A mention, page or job that always failed, and why. */
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

/** The current rate budget of an account. */
export interface ShownBudget {
  /** The user and the address of the API. */
  readonly account: string;
  /** Calls in any rolling window of `periodMs`; null: the account has no limit. */
  readonly limit: number | null;
  readonly periodMs: number;
  /** Calls in the window that ends now, including those of others as far as the source reports them. */
  readonly used: number;
  readonly usedByOthers: number;
  /** Milliseconds until a refusal of the source ends; 0 if there is none. */
  readonly closedForMs: number;
  /** Whether one call may ask for several queries at this source. */
  readonly sharing: "untried" | "proven" | "refused";
}

/** A rule that cannot fire on a query yet, because its history is too short for a baseline. */
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
  /** When it will know enough; null if that depends on mentions and not on time. */
  readonly until: Instant | null;
  /** "9 more days", "a first mention that it counts". */
  readonly needs: string;
}

/** An observed quirk of an account's server. */
export interface ShownQuirk extends ServerQuirk {
  readonly account: string;
}

/** A receiver whose messages have to wait. */
export interface ShownWait {
  readonly receiver: string;
  /** Number of waiting messages. */
  readonly waiting: number;
  /**
   * `Refused`: nothing arrives until somebody fixes something. `Paused`: its channel asked to wait, or is down.
   * `TriedAgain`: tries fail and continue. `InLine`: all is well, the rate limit sends one message after the other.
   */
  readonly outcome: "Refused" | "Paused" | "TriedAgain" | "InLine";
  /** How long it may take, in milliseconds of wall time; null if unknown. */
  readonly forMs: number | null;
  /** One sentence without secrets. */
  readonly because: string;
}

/** An incident in a list, with the rule of the alert that began it. */
export interface ListedIncident {
  readonly incident: Incident;
  readonly rule: string;
  /** The first mention of the story that most of its first hours share; null if no three share one. */
  readonly about: Mention | null;
}

/** An incident with its alerts and its timeline, oldest first. */
export interface ShownIncident {
  readonly incident: Incident;
  readonly members: readonly ListedAlert[];
  readonly entries: readonly IncidentEntry[];
}

/** The same with the incidents of other queries that it speaks for, whose alerts are among its own. */
export interface WholeShownIncident extends ShownIncident {
  readonly parts: readonly Incident[];
}

/** What was said in an incident, in numbers: of mentions that have no sentiment, `mentions` has more than the rest. */
export interface IncidentFigures {
  readonly mentions: number;
  readonly negative: number;
  readonly neutral: number;
  readonly positive: number;
  /** Different ones. */
  readonly authors: number;
  readonly sites: number;
  readonly languages: number;
}
