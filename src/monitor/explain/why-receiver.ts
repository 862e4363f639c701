import type { Instant } from "../../lib/instant.ts";
import type { ShownNotification, ShownReceiver } from "../model/shown.ts";
import { wordsOf } from "../model/wording.ts";

/** What is known of one receiver and one alert. */
export interface ReceiverFacts {
  readonly receiver: string;
  readonly alertId: string;
  /** The last decision; null if none was ever made about this receiver. */
  readonly decided: ShownReceiver | null;
  /** Its newest notification about the alert, its own or shared; null if there is none. */
  readonly newest: ShownNotification | null;
  /** Why no route leads to it, as a sentence; null if one does, or the routes are not known. */
  readonly noRoute: string | null;
  /** The routes as they are now lead to it. */
  readonly isRouted: boolean;
}

/** Why a receiver was notified of an alert, or was not. */
export interface WhyReceiver {
  readonly receiver: string;
  readonly outcome: ReceiverOutcome;
  /** The named reason of the last decision: `HeldBySilence`; null if there was none. */
  readonly reason: string | null;
  /** A sentence without its full stop. It may repeat what people wrote: escape it. */
  readonly text: string;
}

type ReceiverOutcome =
  | "Notified"
  /** It is decided, and waits to be sent: its channel is slow, or away. */
  | "SendPending"
  | "SendFailed"
  /** It is sent when something ends: a silence, quiet hours, a more severe alert, a group, the throttle. */
  | "Held"
  /** Nothing is sent: acknowledged, resolved long ago, not its turn, … */
  | "NotSent"
  | "NoRoute";

/** What matters most for the question "why was I not notified": a failed or waiting message before the decision. */
export function whyReceiver(facts: ReceiverFacts, moment: (at: Instant) => string): WhyReceiver {
  const { receiver, decided, newest, noRoute, alertId } = facts;
  const reason = decided?.last ?? newest?.reason ?? null;
  const say = (outcome: ReceiverOutcome, text: string): WhyReceiver => ({ receiver, outcome, reason, text });
  const within =
    newest === null || newest.alertId === alertId
      ? ""
      : `, in the message about another alert (${newest.rule ?? newest.alertId})`;
  const held = decided !== null && HELD.has(decided.last) ? heldWords(decided, moment) : null;
  const now = held === null ? "" : `; now ${held}`;
  if (newest?.state === "dead")
    return say(
      "SendFailed",
      `it could not be delivered${within}: ${newest.lastError ?? "no reason is known"}${now}`,
    );
  if (newest?.state === "due") {
    return say(
      "SendPending",
      `it is decided and waits to be sent since ${moment(newest.createdAt)}${within}${triesOf(newest)}${now}`,
    );
  }
  if (decided === null && newest !== null)
    return say("Notified", `notified ${moment(newest.sentAt ?? newest.createdAt)}${within}`);
  if (decided === null)
    return facts.isRouted
      ? say("NotSent", "a route leads here now; when the alert was last decided, none did")
      : say("NoRoute", noRoute ?? "no route leads here");
  if (held !== null) {
    const before = decided.notifiedAt === null ? "" : `notified ${moment(decided.notifiedAt)}; since then `;
    return say("Held", `${before}${held}`);
  }
  const because = decided.by === null ? "" : ` (${decided.by})`;
  const words = lowered(wordsOf(decided.last));
  if (decided.notifiedAt !== null) {
    const then = SENT.has(decided.last) ? "" : `; since then: ${words}${because}`;
    return say("Notified", `notified ${moment(decided.notifiedAt)}${within}${then}`);
  }
  if (decided.last === "NoLongerRouted" && noRoute !== null) return say("NoRoute", noRoute);
  return say("NotSent", `${words}${because}`);
}

const HELD: ReadonlySet<string> = new Set([
  "HeldBySilence",
  "HeldByInhibition",
  "HeldByQuietHours",
  "HeldByGroup",
  "HeldByThrottle",
]);

const SENT: ReadonlySet<string> = new Set([
  "FirstNotification",
  "FiredAndEnded",
  "SeverityRose",
  "Doubled",
  "NewWave",
  "DayBegan",
  "NewFact",
  "RepeatIntervalElapsed",
  "Escalated",
  "Reopened",
  "Resolved",
]);

/** A try counts from its beginning: the last one may still run, or its worker died. */
function triesOf({ attempts, lastError }: ShownNotification): string {
  if (attempts === 0) return "";
  if (lastError === null) return `; attempt ${attempts} has begun, and is not answered yet`;
  return `, tried ${attempts === 1 ? "once" : `${attempts} times`}; the last failure: ${lastError}`;
}

function heldWords({ last, by, nextAt }: ShownReceiver, moment: (at: Instant) => string): string {
  const until = nextAt === null ? "" : `, checked again ${moment(nextAt)}`;
  return `${lowered(wordsOf(last))}${by === null ? "" : ` (${by})`}${until}`;
}

function lowered(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}
