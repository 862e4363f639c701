import type { Instant } from "../lib/instant.ts";
import type { AlertState } from "../model/alert.ts";
import type { NotificationKind } from "../model/notification.ts";
import type { Severity } from "../model/severity.ts";
import type { MentionView } from "./mention-view.ts";

/**
 * One alert as templates see it: plain data, nothing absent (a thing that is not there is null), so that a template
 * with a wrong name is an error and not an empty place. Texts may be hostile; the format of the template escapes them.
 */
export interface AlertView {
  /** Why this message goes out: fired, ended, escalated, doubled, wave, reopened, unanswered, reminder, resolved, test. */
  readonly kind: Exclude<NotificationKind, "digest">;
  readonly severity: Severity;
  readonly state: AlertState;
  readonly ruleName: string;
  /** The title of the rule: "Wave of negative mentions"; its name in words where it has none. */
  readonly title: string;
  /** What the rule looks for, in the words of its author; null when the rule says nothing. */
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
  /** How it has grown since the first message, with the numbers of now; null where that is not what is told. */
  readonly growth: { readonly label: string; readonly text: string } | null;
  /** Of counts how sure it is, of mentions why the rule matched: for a small line. */
  readonly reason: { readonly label: string; readonly text: string };
  /** "critical because of at least 200 in 30 min"; null where the rule has no steps. */
  readonly severityReason: string | null;
  /** The most that there were: "161 in 5 min", and when; null where nothing is counted over time. */
  readonly peak: { readonly count: string; readonly at: Instant } | null;
  /** Whose work it was: who it was assigned to, who acknowledged it or who ended it; null for nobody. */
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
  /** How often there was a reason to tell people of it: 1, and one more whenever it grew much graver. */
  readonly notifyCount: number;
  /** Numbers behind `because`, by name. */
  readonly values: Readonly<Record<string, number>>;
  /** The few that matter most, gravest first. */
  readonly mentions: readonly MentionView[];
  /** What was found out beside the numbers, in short lines; empty for alerts on single mentions. */
  readonly findings: readonly FindingView[];
  /** The message brings a picture of the counts; false in Slack, where it follows the message. */
  readonly hasChart: boolean;
  /** What else the alert is grouped by (the query is not repeated here): `{name: "author", value: "someone"}`. */
  readonly labels: readonly { readonly name: string; readonly value: string }[];
  /** Other alerts that the same message tells of, those that matter most first; count 0 when there are none. */
  readonly more: {
    readonly count: number;
    /** The first few of them. */
    readonly alerts: readonly {
      readonly severity: Severity;
      readonly query: string;
      readonly ruleName: string;
      /** Because of what it fired, in one sentence. */
      readonly because: string;
      readonly isOver: boolean;
    }[];
    /** How many are not among those few. */
    readonly unlisted: number;
    /** The most common of those, by query and rule. */
    readonly others: readonly { readonly count: number; readonly query: string; readonly ruleName: string }[];
  };
  /** Of `unanswered`: the time in which nobody acknowledged it; else null. */
  readonly waited: { readonly from: Instant; readonly to: Instant } | null;
  /** What people have done about it, each named as they named themselves; null where nobody has. */
  readonly handling: {
    /** Who acknowledged it. */
    readonly acknowledgedBy: string | null;
    readonly assignee: string | null;
    /** Who ended it by hand. */
    readonly closedBy: string | null;
    /** Why it ended although nobody ended it and its rule may be true: "its query is no longer watched". */
    readonly endedBecause: string | null;
    /** False: somebody said that it should not have been told. */
    readonly isRelevant: boolean;
  };
  /** Ways to act on the alert without logging in, each bound to it and to one deed; empty where there are none. */
  readonly actions: readonly AlertActionLink[];
  /** How many of them are the button: one or none. */
  readonly primaryActions: number;
  /** The alert in the console; null where no console address is configured. http or https. */
  readonly consoleUrl: string | null;
}

/** A link that does one thing. One of them is the button of a mail. */
export interface AlertActionLink {
  readonly label: string;
  readonly url: string;
  readonly isPrimary: boolean;
}

/** `{label: "New words", text: "cancelled, rebook"}`; the text may be hostile. */
export interface FindingView {
  readonly label: string;
  readonly text: string;
}
