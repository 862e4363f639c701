import type { Instant } from "../../lib/instant.ts";
import type { WeeklyRange } from "../../lib/weekly-range.ts";
import type { Alert } from "./alert.ts";
import type { Actor, AlertAction, AlertEvent, RulePrecision } from "./alert-action.ts";
import type { AlertMatch } from "./alert-match.ts";
import type { Incident } from "./incident.ts";
import type { IncidentNote } from "./incident-work.ts";
import type { MentionCorrection } from "./mention.ts";
import type { ListedSilence, Silence } from "./silence.ts";

/**
 * Actions of people on alerts and silences. It only writes facts; they announce it, and the running process finds the alert
 * due and decides who is notified. So the console, the shell, a link in a mail and a button in Slack need nothing
 * but the database.
 */
export interface AlertActions {
  /** Null: there is no such alert. */
  act(alertId: string, action: AlertAction, by: Actor): Promise<ActionResult | null>;
  /**
   * Runs `work` for the first report of this interaction, and nothing for a repeat ("known"). Changes through the given
   * actions are committed together with the interaction, so Slack may send one that failed again.
   */
  once<T>(interactionId: string, work: (actions: AlertActions) => Promise<T>): Promise<T | "known">;
  /** Throws a UserError if it would last too long, or names something that no alert can have. */
  addSilence(silence: RequestedSilence): Promise<Silence>;
  /** Silences this alert and later ones of its group for a time, up to its severity. Null: there is no such alert. */
  silenceAlert(alertId: string, lengthMs: number, by: Actor): Promise<SilenceResult | null>;
  /** Gives a mention of the alert its right sentiment or category, which teaches. Null: there is no such alert. */
  correct(alertId: string, correction: MentionCorrection, by: Actor): Promise<CorrectResult | null>;
  /** False: it had ended already, or does not exist. */
  expireSilence(id: string, by: Actor): Promise<boolean>;
  /**
   * Runs `work` for a click on a link of a mail, at most `most` times, and returns a reason if nothing was done. The
   * click is counted in the transaction of the changes that `work` makes through the given actions, so a failed click
   * can be repeated.
   */
  useLink(
    link: string,
    most: number,
    work: (actions: AlertActions) => Promise<string | null>,
  ): Promise<string | null>;
  /** The user of the console who this is. Null: nobody has linked them, or the user has ended. */
  userInSlack(person: Pick<SlackIdentity, "teamId" | "userId">): Promise<string | null>;
  /** Links them to the user who got this code on the page Account. Null: there is no such code, or it is over. */
  linkSlack(code: string, person: SlackIdentity): Promise<string | null>;
  /** Active and future silences; with `past` also those that ended. */
  silences(past: boolean): Promise<readonly ListedSilence[]>;
  precision(since: Instant): Promise<readonly RulePrecision[]>;
  /** Whether a thread is below a message about an incident. */
  isOfIncident(thread: Pick<RepliedThread, "channel" | "thread">): Promise<boolean>;
  /**
   * What somebody answered in the thread of a message becomes a comment on its incident. Null: the thread is of no
   * incident.
   */
  commentInThread(thread: RepliedThread, text: string, by: Actor): Promise<WriteNoteResult | null>;
  /** One incident takes the alerts of another. Ids, or their first letters. Null: there is no such incident. */
  mergeIncidents(into: string, from: string, by: Actor): Promise<MoveResult | null>;
  /** The alert leaves its incident. Null: there is no such alert, or it is in no incident that goes on. */
  splitAlert(alertId: string, by: Actor): Promise<MoveResult | null>;
}

/** A message of a vendor, and the reply below it. */
interface RepliedThread {
  readonly channel: string;
  readonly thread: string;
  readonly ts: string;
}

/** Somebody in Slack, as Slack names them. */
interface SlackIdentity {
  readonly teamId: string;
  readonly userId: string;
  readonly slackName: string;
}

interface Refusal {
  readonly outcome: "Refused";
  /** Nothing changed, and why. */
  readonly because: string;
}

export type ActionResult =
  | { readonly outcome: "Done"; readonly alert: Alert; readonly event: AlertEvent }
  | Refusal;
export type MoveResult = { readonly outcome: "Done"; readonly incident: Incident } | Refusal;
export type WriteNoteResult = { readonly outcome: "Done"; readonly note: IncidentNote } | Refusal;
export type SilenceResult = { readonly outcome: "Done"; readonly silence: Silence } | Refusal;
export type CorrectResult = { readonly outcome: "Done"; readonly to: string } | Refusal;

export interface RequestedSilence {
  readonly match: AlertMatch;
  readonly by: Actor;
  readonly comment: string;
  readonly startsAt?: Instant;
  readonly lengthMs: number;
  readonly windows?: readonly WeeklyRange[];
}
