import { z } from "zod";
import { DAY, HOUR, type Instant } from "../lib/instant.ts";
import { readSigned, signText } from "../lib/signed-text.ts";

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
