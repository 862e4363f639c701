import { z } from "zod";
import { DAY, HOUR, type Instant } from "../../lib/instant.ts";
import { readSigned, signText } from "../../lib/signed-text.ts";
import { startOf } from "../../lib/text.ts";

/** Who did something, as far as Earshot knows: the login, and the name that somebody typed, which is not verified. */
export const Actor = z.strictObject({
  via: z.enum(["page", "mail", "slack", "shell"]),
  /** The login of the console, the receiver of a mail's link, the user in Slack or of the machine; null for none. */
  login: z.string().nullable(),
  typed: z.string().nullable(),
});
export type Actor = z.infer<typeof Actor>;

/** `comms, as "Ann"`; `on-call (by mail)`; `"Ann"` without a login. A typed name is always in quotes. */
export function describeActor({ via, login, typed }: Actor): string {
  const name = typed === null ? "" : cleanName(typed).replaceAll('"', "'");
  const who = login === null ? "" : `${cleanName(login)}${via === "mail" ? " (by mail)" : ""}`;
  const quoted = name === "" || name === who ? "" : `"${name}"`;
  if (who !== "") return quoted === "" ? who : `${who}, as ${quoted}`;
  if (quoted !== "") return quoted;
  return via === "page" ? "somebody at the page" : "somebody";
}

const LONGEST_NAME = 80;

function cleanName(name: string): string {
  return startOf(name.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ").trim(), LONGEST_NAME);
}

/** What a person can do about an alert: from the page, a signed link, the shell or Slack. */
export const AlertAction = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("acknowledge") }),
  z.strictObject({ do: z.literal("assign"), to: z.string().trim().min(1).max(80) }),
  z.strictObject({ do: z.literal("resolve") }),
  z.strictObject({ do: z.literal("not-relevant") }),
]);
export type AlertAction = z.infer<typeof AlertAction>;

/** The reviewed alerts of a rule: the base of its precision. */
export interface RulePrecision {
  readonly rule: string;
  /** Alerts that fired. */
  readonly fired: number;
  /** Of those, how many somebody acknowledged, or resolved as relevant. */
  readonly relevant: number;
  readonly notRelevant: number;
}

/** `60% of 5 alerts that people judged were relevant; 12 fired in 30 days`, or that nobody has judged any. */
export function describePrecision({ fired, relevant, notRelevant }: RulePrecision, days: number): string {
  const judged = relevant + notRelevant;
  const share =
    judged === 0
      ? "nobody has said yet whether its alerts are relevant"
      : `${Math.round((100 * relevant) / judged)}% of the ${judged === 1 ? "one alert" : `${judged} alerts`} that people judged ${judged === 1 ? "was" : "were"} relevant`;
  return `${share}; ${fired} fired in ${days} days`;
}

/** A line of an alert's history: a change of its state, or a decision about a notification. */
export interface AlertEvent {
  readonly alertId: string;
  readonly at: Instant;
  /** A named outcome: `Fired`, `Resolved`, `FirstNotification`, `HeldByQuietHours`, … */
  readonly what: string;
  readonly detail: string;
  /** Who did it, if a person did. */
  readonly actor?: Actor;
}

/** The action of a link in a mail: one action on one alert, in the name of the receiver that got the mail. */
export const AlertLink = z.strictObject({
  alertId: z.guid(),
  action: z.enum(["acknowledge", "assign", "resolve", "not-relevant", "silence"]),
  by: z.string().min(1),
});
export type AlertLink = z.infer<typeof AlertLink>;

/** The labels of the actions. */
export const ACTION_LABELS: Readonly<Record<AlertLink["action"], string>> = {
  acknowledge: "Acknowledge",
  assign: "Assign",
  resolve: "Resolve",
  "not-relevant": "Not relevant",
  silence: "Snooze for 4 hours",
};

export const LINK_SILENCE_MS = 4 * HOUR;

const LINK_LIVES_MS = 7 * DAY;
const PURPOSE = "alert-link";

/** Safe in an address; expires after a week. */
export function signAlertLink(secret: string, link: AlertLink, now: Instant): string {
  return signText(secret, PURPOSE, link, now + LINK_LIVES_MS);
}

export function readAlertLink(secret: string, text: string, now: Instant): AlertLink | null {
  const parsed = AlertLink.safeParse(readSigned(secret, PURPOSE, text, now));
  return parsed.success ? parsed.data : null;
}
