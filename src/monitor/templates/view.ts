import type { Instant } from "../../lib/instant.ts";
import type { AlertState } from "../model/alert.ts";
import type { NotificationKind } from "../model/notification.ts";
import type { Severity } from "../model/severity.ts";
import type { IncidentView } from "./incident-view.ts";
import type { MentionView } from "./mention-view.ts";

/**
 * One alert as templates see it: plain data. A missing value is null, never absent, so a wrong name in a template is an
 * error and not an empty text. Texts may be hostile; the format of the template escapes them.
 */
export interface AlertView {
  /**
   * Why this message is sent: fired, ended, escalated, doubled, wave, day, fact, reopened, unanswered, reminder, resolved, test.
   */
  readonly kind: Exclude<NotificationKind, "digest">;
  readonly severity: Severity;
  readonly state: AlertState;
  readonly ruleName: string;
  /** The title of the rule: "Wave of negative mentions"; its name in words where it has none. */
  readonly title: string;
  /** The rule's description by its author; null if there is none. */
  readonly ruleDescription: string | null;
  /** Name of the query (the brand). */
  readonly query: string;
  readonly project: string;
  /** The number against what is normal, without the brand: "62 negative mentions in 30 min, 11 expected (5.6×)". */
  readonly headline: string;
  /** The headline, with the brand where it does not name it; of mentions with the person: "Helena Brandt (184k followers) is negative about Acme". */
  readonly announcement: { readonly query: string | null; readonly text: string };
  /** The numbers in words: "Negative mentions are 6 times what is normal on a Monday morning."; null where there are none. */
  readonly lead: string | null;
  /** How it has grown since the first message, with the current numbers; null for other messages. */
  readonly growth: { readonly label: string; readonly text: string } | null;
  /** Of counts how sure it is, of mentions why the rule matched: for a small line. */
  readonly reason: { readonly label: string; readonly text: string };
  /** "critical because of at least 200 in 30 min"; null where the rule has no steps. */
  readonly severityReason: string | null;
  /** The most that there were: "161 in 5 min", and when; null where nothing is counted over time. */
  readonly peak: { readonly count: string; readonly at: Instant } | null;
  /** The person it was assigned to, or who acknowledged or resolved it; null if nobody did. */
  readonly handledBy: string | null;
  /** One sentence with the numbers that made it fire. */
  readonly because: string;
  readonly openedAt: Instant;
  readonly lastSeenAt: Instant;
  /** Null while it is going on. */
  readonly resolvedAt: Instant | null;
  readonly windowFrom: Instant;
  readonly windowTo: Instant;
  /** IANA zone in which moments are shown. */
  readonly timezone: string;
  /** Mentions that belong to the alert so far; `mentions` shows only the first of them. */
  readonly mentionsCount: number;
  /** The same in words: `34 negative mentions`. */
  readonly counted: string;
  /** The number of reasons to notify: 1, plus one for each large increase. */
  readonly notifyCount: number;
  /** Numbers behind `because`, by name. */
  readonly values: Readonly<Record<string, number>>;
  /** The few most important ones, most severe first; the last one says how many were deleted, if any were. */
  readonly mentions: readonly MentionView[];
  /** Findings in addition to the numbers, in short lines; empty for alerts on single mentions. */
  readonly findings: readonly FindingView[];
  /** Whether the message has a picture of the counts; false in Slack, where it follows the message. */
  readonly hasChart: boolean;
  /** The group keys of the alert, without the query: `{name: "author", value: "someone"}`. */
  readonly labels: readonly { readonly name: string; readonly value: string }[];
  /** Other alerts in the same message, the most important first; count 0 if there are none. */
  readonly more: {
    readonly count: number;
    /** The first few of them. */
    readonly alerts: readonly {
      readonly severity: Severity;
      readonly query: string;
      readonly ruleName: string;
      /** Why it fired, in one sentence. */
      readonly because: string;
      readonly isOver: boolean;
    }[];
    /** How many are not listed. */
    readonly unlisted: number;
    /** The most common of those, by query and rule. */
    readonly others: readonly { readonly count: number; readonly query: string; readonly ruleName: string }[];
  };
  /** Of `unanswered`: the time in which nobody acknowledged it; else null. */
  readonly waited: { readonly from: Instant; readonly to: Instant } | null;
  /** The incident that it is in; null for an alert that stands alone. */
  readonly incident: IncidentView | null;
  /** A sentence about what people write: "About “no refund for my order”, 18 of 22 mentions."; null if nothing stands out. */
  readonly about: string | null;
  /**
   * A sentence for its end: "It was about “no refund for my order”."; the words of one of its mentions where no words
   * stand for many and `about` is null, too.
   */
  readonly wasAbout: string | null;
  /** The sentence of the rule with its numbers, if the headline has people's words instead; else null. */
  readonly measured: string | null;
  /** It is one mention; how many there are and since when says nothing of it. */
  readonly isSingle: boolean;
  /** What people have done about it, with the names that they gave; null if nobody has. */
  readonly handling: {
    /** Who acknowledged it. */
    readonly acknowledgedBy: string | null;
    readonly assignee: string | null;
    /** Who resolved it by hand. */
    readonly closedBy: string | null;
    /** Why it was resolved although nobody did it and its rule may still be true: "its query is no longer watched". */
    readonly endedBecause: string | null;
    /** False if somebody marked it as not relevant. */
    readonly isRelevant: boolean;
    /** What somebody corrected of its mention from a message. `to`: "neutral", "Delivery: Late", "not Delivery: Late". */
    readonly corrected: {
      readonly what: "sentiment" | "category";
      readonly to: string;
      readonly by: string;
    } | null;
  };
  /** The one mention that it shows, where people may correct it; null: it shows several, or an account's. */
  readonly correctable: {
    readonly queryId: string;
    readonly resourceId: string;
    readonly sentiment: string | null;
    /** Those of the feeds, and whether it is in them. */
    readonly categories: readonly { readonly id: number; readonly name: string; readonly isIn: boolean }[];
  } | null;
  /** Links that act on the alert without a login, one action each; empty if there are none. */
  readonly actions: readonly AlertActionLink[];
  /** How many of them are shown as the button: one or none. */
  readonly primaryActions: number;
  /** The alert in the console; null if no console address is configured. http or https. */
  readonly consoleUrl: string | null;
}

/** A link for one action. One of them is the button of a mail. */
interface AlertActionLink {
  readonly label: string;
  readonly url: string;
  readonly isPrimary: boolean;
}

/** `{part: "measured", label: "New words", text: "cancelled, rebook"}`; the text may be hostile. */
export interface FindingView {
  /** Who says it, how big it is, or what else was measured, which is for a small line. */
  readonly part: "who" | "size" | "measured";
  readonly label: string;
  readonly text: string;
}
