import type { Pool } from "pg";
import type { FakeSmtp } from "../fakes/smtp.ts";

/** Milliseconds from a mail's last line at the server to our note that it was sent: the mean of all. */
export async function noteGapMs(facts: Pool, smtp: Pick<FakeSmtp, "mails">): Promise<number> {
  const { rows } = await facts.query<{ id: string; at: Date }>(
    `select n.vendor_ref ->> 'messageId' as id, d.at_wall as at from earshot.notifications n
     join earshot.deliveries d on d.project_id = n.project_id and d.notification_id = n.id
     where d.outcome = 'sent' and n.vendor_ref ? 'messageId'`,
  );
  // The last time that it was handed over: the first was repeated, perhaps, because nobody noted it.
  const handedOver = new Map(smtp.mails.map(({ parsed, handedOverAt }) => [parsed.messageId, handedOverAt]));
  const gaps = rows.flatMap(({ id, at }) => {
    const from = handedOver.get(id);
    return from === undefined ? [] : [Math.max(0, at.getTime() - from)];
  });
  return gaps.reduce((sum, ms) => sum + ms, 0) / Math.max(1, gaps.length);
}

/** How many mails that gap repeats, by the theory, in one sentence. */
export function gapSentence({ ms, expected }: { readonly ms: number; readonly expected: number }): string {
  return `by the theory ${expected.toFixed(2)} mails more come twice: our note of a mail follows its last line by ${ms.toFixed(1)} ms`;
}

/** A mail that came a second time under its Message-ID. */
export interface Repeat {
  readonly mail: FakeSmtp["mails"][number];
  readonly afterMs: number;
  /** From the first time that the server had it to the next kill of a worker; null: none came. */
  readonly killedAfterMs: number | null;
}

/** `kills`: moments by the wall clock, in order. */
export function repeatsIn({ mails }: Pick<FakeSmtp, "mails">, kills: readonly number[]): Repeat[] {
  const handedOver = new Map<string | undefined, number>();
  return mails.flatMap((mail) => {
    const { messageId } = mail.parsed;
    const before = handedOver.get(messageId);
    handedOver.set(messageId, mail.handedOverAt);
    if (before === undefined) return [];
    const kill = kills.find((at) => at >= before);
    const killedAfterMs = kill === undefined ? null : kill - before;
    return [{ mail, afterMs: mail.handedOverAt - before, killedAfterMs }];
  });
}

export function repeatSentence({ mail, afterMs, killedAfterMs }: Repeat): string {
  const kill =
    killedAfterMs === null ? "no worker was killed after" : `a worker was killed ${killedAfterMs} ms after`;
  return `${mail.parsed.messageId} came again after ${afterMs} ms; ${kill} the first time`;
}
