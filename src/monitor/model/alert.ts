import { z } from "zod";
import type { Instant } from "../../lib/instant.ts";
import type { Severity } from "./severity.ts";

/**
 * pending → firing → acknowledged → resolved. If it comes back within the `reopenWithin` of its rule, it is the same
 * alert, firing again; later, a new one opens.
 */
export type AlertState = "pending" | "firing" | "acknowledged" | "resolved";

/** Why people are notified of an alert again: it doubled since the last notification, or a second, larger wave came. */
export type RenotifyReason = "Doubled" | "NewWave" | IncidentReason;

/** Of an incident: a new day of it began, or a new kind of fact arrived. */
type IncidentReason = "DayBegan" | "NewFact";

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
  /** The values of the rule's group labels: `{query: "Delta", author: "someone"}`. Hostile text. */
  readonly labels: Readonly<Record<string, string>>;
  /** When the evidence made the rule true (arrival of the mention; end of the window), not when Earshot noticed. */
  readonly openedAt: Instant;
  readonly firedAt: Instant | null;
  /** The newest evidence. */
  readonly lastSeenAt: Instant;
  readonly resolvedAt: Instant | null;
  /** How often there was a reason to notify: 1 from the beginning, plus one for each renotification. */
  readonly notifyCount: number;
  /** The reason of the latest renotification; null if there was none. */
  readonly renotifyReason: RenotifyReason | null;
  /** Its mentions so far. */
  readonly mentions: number;
  /** One sentence with the numbers that made it fire; no mention text in it. */
  readonly because: string;
  /** The window of `because`; equal for alerts on single mentions. */
  readonly windowFrom: Instant;
  readonly windowTo: Instant;
  /** Numbers behind `because`, by name, for templates and charts. */
  readonly values: Readonly<Record<string, number>>;
  /** What people have done about it; absent or empty if nobody did anything. */
  readonly handling?: AlertHandling;
  /** How it developed; absent if nothing was stored. */
  readonly progress?: AlertProgress;
}

/** The count of a window that ends at `at`: "52 negative mentions in 5 min". */
export interface WindowCount {
  readonly count: number;
  readonly windowMs: number;
  readonly at: Instant;
  /** What is counted: "negative mentions". */
  readonly subject: string;
}

/** How an alert developed. All counts are of windows of one length, so that they can be compared. */
interface AlertProgress {
  /** Its mentions are counted from here: the beginning of its first window. */
  readonly countedFrom?: Instant;
  /** When the alert fired. */
  readonly first?: WindowCount;
  /** When they were last notified because it had grown. */
  readonly renotified?: WindowCount;
  readonly peak?: WindowCount;
  /** When a window was last judged. */
  readonly now?: WindowCount;
  /** The threshold of its severity: "at least 200 in 30 min"; absent if it has that severity from the start. */
  readonly step?: string;
}

/** Names of people as they chose them. */
export interface AlertHandling {
  /**
   * Since when it needs attention: it fired, became more severe, reopened or came in another wave then, or grew although
   * somebody had taken it. Escalation steps count from here.
   */
  readonly callingSince?: Instant | undefined;
  readonly acknowledgedBy?: string | undefined;
  readonly assignee?: string | undefined;
  /** Who resolved it by hand, while its rule may still be true. */
  readonly closedBy?: string | undefined;
  /** Why it ended although its rule was still true: its query or its rule is gone. */
  readonly endedBecause?: string | undefined;
  /** False: somebody marked it not relevant. The precision of its rule is computed from this. */
  readonly relevant?: boolean | undefined;
  /** What somebody last corrected of its mention from a message. */
  readonly corrected?: CorrectedMention | undefined;
}

interface CorrectedMention {
  readonly resourceId: string;
  readonly what: "sentiment" | "category";
  /** "neutral", "Delivery: Late", "not Delivery: Late". */
  readonly to: string;
  /** Of a category. */
  readonly category?: { readonly id: number; readonly isIn: boolean };
  readonly by: string;
  readonly at: Instant;
}

/**
 * The explanation of an alert at the time of a notification, stored with it. Shares are of 1; names and words are as
 * people wrote them, hostile. Unknown values are null; the lists only hold remarkable entries.
 */
export const Explanation = z.object({
  /** The alert's `notifyCount` at that time: a higher one needs a new explanation. */
  notifyCount: z.number(),
  /** The end of the window that it explains; absent in those of an earlier release. */
  windowTo: z.number().exactOptional(),
  /** When the mentions were read; absent in those of an earlier release. */
  madeAt: z.number().exactOptional(),
  /** The time in which they were published; absent in those of an earlier release. */
  span: z.object({ from: z.number(), to: z.number() }).exactOptional(),
  /** Made after the end of the alert. */
  isFinal: z.boolean().exactOptional(),
  /** When the counts left what is ordinary. */
  since: z.number().nullable(),
  /** The end of the newest earlier window with as many, else the start of the known counts. */
  largest: z.object({ since: z.number().nullable(), knownFrom: z.number() }).nullable(),
  /** Examined mentions of the window, and of the same hours of the days before. */
  looked: z.object({ now: z.number(), before: z.number() }),
  authors: z.object({
    count: z.number(),
    /** Authors who wrote more than others, with their mentions. */
    loudest: z.array(z.object({ name: z.string(), mentions: z.number() })),
  }),
  /** Mentions that repeat a story, as a share of all mentions. */
  reposts: z.object({ now: z.number(), before: z.number().nullable() }),
  negative: z.object({ now: z.number(), before: z.number() }).nullable(),
  topics: z.array(z.object({ name: z.string(), now: z.number(), before: z.number() })),
  domains: z.array(z.object({ name: z.string(), now: z.number(), before: z.number() })),
  /** Words that many use now and few used before. */
  words: z.array(z.string()),
  completeUntil: z.number().nullable(),
  chart: z
    .object({
      counted: z.string(),
      columnMs: z.number(),
      /** The window of `ordinary`, in milliseconds; absent: the width of a column. */
      ordinaryMs: z.number().exactOptional(),
      columns: z.array(
        z.object({ at: z.number(), count: z.number(), expected: z.number(), ordinary: z.number() }),
      ),
    })
    .nullable(),
});
export type Explanation = z.output<typeof Explanation>;

/** When it last began to call people: a reopened alert calls anew. */
export function firedAtOf({ handling, firedAt, openedAt }: Alert): Instant {
  return handling?.callingSince ?? firedAt ?? openedAt;
}

/**
 * The window in which its mentions stood at `at`. Windows that closed together are judged together: an alert that has
 * fired may have moved on since, and what was true when it fired must not depend on how far.
 */
export function windowAt(
  { windowFrom, windowTo, lastSeenAt }: Pick<Alert, "windowFrom" | "windowTo" | "lastSeenAt">,
  at: Instant,
): { readonly from: Instant; readonly to: Instant } {
  const to = Math.min(Math.max(windowTo, lastSeenAt), at);
  return { from: Math.min(windowFrom, to - (windowTo - windowFrom)), to };
}
