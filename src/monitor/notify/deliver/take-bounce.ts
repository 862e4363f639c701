import type { Clock } from "../../../lib/clock.ts";
import { createWorkerPool } from "../../../lib/worker-pool.ts";
import type { BounceOutcome } from "../../model/failure.ts";
import type { Stores } from "../../store/stores.ts";
import type { BounceTasks } from "../notifiers/email/bounce-thread.ts";
import type { ReadBounce } from "../notifiers/email/read-bounce.ts";

export type BounceResult =
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
 * Handles a report that arrived at the return path: stores it with the delivery and in the alert's history. It disables
 * nothing; the health checks report addresses that keep bouncing.
 */
export async function takeBounce(
  { stores, clock }: { readonly stores: Stores; readonly clock: Clock },
  message: Buffer,
  to: string | null,
): Promise<BounceResult> {
  const read = await readInThread(message, to);
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

/** A report names its mail at the beginning; the mail that it quotes may be as large as it likes. */
export const MOST_OF_BOUNCE = 1_000_000;

/** Anybody may send to the return path, and a mail server waits for the answer. */
async function readInThread(message: Buffer, to: string | null): Promise<ReadBounce> {
  const pool = createWorkerPool<BounceTasks>("src/monitor/notify/notifiers/email/bounce-thread", {
    threads: 1,
  });
  try {
    const cut = new Uint8Array(message.subarray(0, MOST_OF_BOUNCE));
    const read = await pool.run("readBounce", { message: cut, to });
    if (read.outcome === "Done") return read.result;
    // The mail server tries again, and this process may be short of something then no longer.
    if (read.outcome !== "TooLate" && read.outcome !== "OutOfMemory")
      throw new Error(read.outcome === "Failed" ? read.message : "too many are read");
    return { outcome: "NoBounce", because: "it takes too much time or memory to read" };
  } finally {
    await pool.close();
  }
}

const EVENTS: Readonly<Record<BounceOutcome, string>> = {
  bounced: "MailBounced",
  expired: "MailExpired",
  delayed: "MailDelayed",
};
