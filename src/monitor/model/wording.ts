import { countedSubject, formatNumber } from "../../lib/numbers.ts";
import { capitalised } from "../../lib/text.ts";
import type { Alert } from "./alert.ts";

/** What people read where a rule has no title of its own: `crisis-spike` → `Crisis spike`. */
export function titleOf(ruleName: string): string {
  return capitalised(ruleName.replaceAll(/[-_]+/g, " ").trim());
}

/** What the alert has counted so far, and what that is: `34 negative mentions`, `12 stories`. */
export function countedBy({ mentions, progress }: Pick<Alert, "mentions" | "progress">): string {
  return countedSubject(mentions, progress?.first?.subject ?? "mentions");
}

/** Stands in the place of mentions that were deleted. */
export function deletedWords(count: number): string {
  return count === 1 ? "a mention that its author deleted" : `${count} mentions that their authors deleted`;
}

/** Numbers of reports about a mail start here, above those of any delivery attempt. */
export const FIRST_REPORT = 1_000;

/** `attempt 2`, or `later` for a report that came after the vendor had accepted the mail. */
export function attemptName(attempt: number): string {
  return attempt >= FIRST_REPORT ? "later" : `attempt ${attempt}`;
}

/** The named reasons (states, actions, decisions) in words. A name without words is shown as it is. */
export function wordsOf(reason: string): string {
  return Object.hasOwn(WORDS, reason) ? (WORDS[reason] ?? reason) : expandReason(reason);
}

const WORDS: Readonly<Record<string, string>> = {
  // State of the alert.
  OpenedPending: "The rule is true; people are notified once it has been true for long enough",
  Fired: "Fired",
  SeverityRose: "Became more severe",
  Doubled: "Grew clearly since people were notified",
  Grew: "It grew clearly",
  NewWave: "A second, larger wave",
  DayBegan: "It goes on for another day",
  NewFact: "Something new joined it",
  Opened: "The incident began",
  Joined: "An alert joined",
  Handled: "Somebody took it",
  Watching: "It has calmed down, and is watched",
  Over: "It is over",
  Merged: "Merged",
  Split: "An alert was taken out",
  JoinedIncident: "Belongs to an incident",
  InIncident: "Not sent by itself: the message of its incident shows it",
  Reopened: "Opened again: it came back soon after its end",
  Resolved: "Resolved",
  NeverFired: "Resolved before it had been true for long enough; nobody was notified",
  NoRoute: "No route leads to anybody",
  // Actions of people.
  AcknowledgedBy: "Acknowledged",
  AssignedBy: "Assigned",
  ResolvedBy: "Resolved by hand",
  NotRelevantSaid: "Marked not relevant",
  SentimentCorrected: "Sentiment corrected",
  CategoryCorrected: "Category corrected",
  SilencedBy: "Silenced",
  // Notified.
  FirstNotification: "Notified, the first time",
  FiredAndEnded: "Notified: it began and is resolved already",
  RepeatIntervalElapsed: "Notified again: it goes on",
  Escalated: "Notified because nobody acknowledged it",
  // Held, to be sent later.
  HeldBySilence: "Held by a silence",
  HeldByInhibition: "Held while a more severe alert is open",
  HeldByQuietHours: "Held by quiet hours",
  HeldByGroup: "Held, to be sent with others of its group",
  HeldByThrottle: "Held by the limit of messages; the rest is sent together",
  // Nothing to send.
  StillPending: "Not sent: it has not fired yet",
  NothingNew: "Nothing new to say",
  NoNewEvidence: "No reminder: nothing came since the last message",
  Acknowledged: "No reminder: somebody has acknowledged it",
  NoLongerRouted: "No route leads here any more",
  EscalationWaits: "Not yet its turn in the escalation",
  EscalationStopped: "Later steps of the escalation cancelled",
  ResolveNotWanted: "The end is not sent: the route says so",
  EndNeedsNobody: "The end is not sent: it was one mention, and nobody acted on it",
  ResolvedUnannounced: "Not sent: it began and ended within quiet hours",
  EndedWhileMuted: "Not sent: it began and ended while it was muted",
  EndedLongAgo: "Not sent: it was resolved long ago",
  UnknownReceiver: "No such receiver is configured",
};

/** How many times as many there are: `Growing`, `Doubled`, `6 times as many`. */
export function growthLabel(factor: number): string {
  if (factor < 1.9) return "Growing";
  if (factor < 2.9) return "Doubled";
  return factor < 4 ? "Tripled" : `${formatNumber(Math.floor(factor))} times as many`;
}

/** `FirstNotification` → `First notification`. */
export function expandReason(name: string): string {
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/[-_.]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

/**
 * The part of a vendor's answer by which the message is found there: a mail server's text, a webhook's status, Slack's
 * id of the message. Empty if there is none.
 */
export function vendorAnswer(ref: Readonly<Record<string, string>>): string {
  const { answer, status, channel, ts } = ref;
  if (answer !== undefined) return answer;
  if (status !== undefined) return `HTTP ${status}`;
  return channel === undefined || ts === undefined ? "" : `message ${ts} in ${channel}`;
}
