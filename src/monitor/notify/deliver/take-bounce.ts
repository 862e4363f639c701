import type { Clock } from "../../../lib/clock.ts";
import type { BounceOutcome } from "../../model/failure.ts";
import type { Stores } from "../../store/stores.ts";
import { readBounce } from "../notifiers/email/read-bounce.ts";

export type TakenBounce =
  | {
      readonly outcome: "Noted";
      readonly receiver: string;
      readonly what: BounceOutcome;
      readonly detail: string;
    }
  /** The same report was stored before. */
  | { readonly outcome: "NotedBefore"; readonly receiver: string }
  /** A report about a mail that is not ours, or no longer stored. */
  | { readonly outcome: "NotOurs" }
  | { readonly outcome: "NoBounce"; readonly because: string };

/**
 * Handles a report that came to the return path: stores it with the delivery and in the alert's history. It disables
 * nothing; the health checks report addresses that keep bouncing.
 */
export async function takeBounce(
  { stores, clock }: { readonly stores: Stores; readonly clock: Clock },
  message: Buffer,
  to: string | null,
): Promise<TakenBounce> {
  const read = await readBounce(message, to);
  if (read.outcome === "NoBounce") return read;
  const { bounce } = read;
  return stores.transaction(async (facts) => {
    const mail = await facts.bounces.findMail(bounce);
    if (mail === null) return { outcome: "NotOurs" };
    const { receiver, projectId, alertId } = mail;
    const isNew = await facts.bounces.note(mail, bounce.outcome, bounce.detail);
    if (!isNew) return { outcome: "NotedBefore", receiver };
    if (alertId !== null) {
      const event = {
        alertId,
        at: clock.now(),
        what: EVENTS[bounce.outcome],
        detail: `${receiver}: ${bounce.detail}`,
      };
      await facts.alerts.addEvents(projectId, [event]);
    }
    return { outcome: "Noted", receiver, what: bounce.outcome, detail: bounce.detail };
  });
}

const EVENTS: Readonly<Record<BounceOutcome, string>> = {
  bounced: "MailBounced",
  expired: "MailExpired",
  delayed: "MailDelayed",
};
