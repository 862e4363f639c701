import type { Pool } from "pg";
import type { FakeSmtp } from "../fakes/smtp.ts";

/** A mail at its server: when its last line had come, by the wall clock, and how long after that our note of it was made. */
export interface HandedOver {
  readonly at: number;
  readonly noteMs: number;
}

/** All mails that the server has. `killsAt`: see `expectedRepeats`. */
export async function readNoteGaps(
  facts: Pool,
  smtp: Pick<FakeSmtp, "mails">,
  killsAt: readonly number[],
): Promise<HandedOver[]> {
  const { rows } = await facts.query<{ id: string; at: Date }>(
    `select n.vendor_ref ->> 'messageId' as id, d.at_wall as at from earshot.notifications n
     join earshot.deliveries d on d.project_id = n.project_id and d.notification_id = n.id
     where d.outcome = 'sent' and n.vendor_ref ? 'messageId'`,
  );
  const notedAt = new Map<string | undefined, number>(rows.map(({ id, at }) => [id, at.getTime()]));
  // The last time that it was handed over: the first was repeated, perhaps, because nobody noted it.
  const last = new Map(smtp.mails.map(({ parsed, handedOverAt }) => [parsed.messageId, handedOverAt]));
  const gaps = smtp.mails.map(({ parsed: { messageId }, handedOverAt: at }) => {
    const noted = notedAt.get(messageId);
    return { at, noteMs: noted === undefined || last.get(messageId) !== at ? null : Math.max(0, noted - at) };
  });
  return estimateGaps(gaps, killsAt);
}

/**
 * How long the note took of mails that were not noted. If a kill followed soon, twice the time until it: kills come at any
 * moment of a gap, in its middle on average, and hit long gaps more often than short ones. Otherwise the mean of the others.
 */
export function estimateGaps(
  gaps: readonly { readonly at: number; readonly noteMs: number | null }[],
  killsAt: readonly number[],
): HandedOver[] {
  const meanMs = meanOf(gaps.flatMap(({ noteMs }) => (noteMs === null ? [] : [noteMs])));
  return gaps.map(({ at, noteMs }) => {
    const kill = killsAt.find((one) => one >= at && one - at < AROUND_MS);
    return { at, noteMs: noteMs ?? (kill === undefined ? meanMs : 2 * (kill - at)) };
  });
}

export function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
}

/**
 * How many mails these kills repeat, by the theory: those that a kill, had it come a moment earlier or later, would have hit
 * between the server's answer and our note. Mails come in bursts, and a note takes longer in a burst: so each kill is weighed
 * with the mails of the second before it. Behind it there are fewer, since it killed who sends. Where mails are evenly
 * spread this is kills × mails per millisecond × gap. Pure.
 *
 * @param killsAt moments by the wall clock
 */
export function expectedRepeats(mails: readonly HandedOver[], killsAt: readonly number[]): number {
  let expected = 0;
  for (const kill of killsAt)
    for (const { at, noteMs } of mails) {
      const aroundMs = Math.max(AROUND_MS, noteMs);
      if (at <= kill && kill - at < aroundMs) expected += noteMs / aroundMs;
    }
  return expected;
}

/** As long as a burst of mails. */
const AROUND_MS = 1_000;

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

/**
 * How many mails were repeated by a kill that repeated another one, too. Mails that a process has in hand wait for their notes
 * at once, where something else keeps it busy: so they do not come independently, but such kills do.
 */
export function repeatedBeside(repeats: readonly Repeat[]): number {
  const kills = repeats.flatMap(({ mail, afterMs, killedAfterMs }) =>
    killedAfterMs === null || killedAfterMs >= AROUND_MS ? [] : [mail.handedOverAt - afterMs + killedAfterMs],
  );
  return kills.length - new Set(kills).size;
}

export function repeatSentence({ mail, afterMs, killedAfterMs }: Repeat): string {
  const kill =
    killedAfterMs === null ? "no worker was killed after" : `a worker was killed ${killedAfterMs} ms after`;
  return `${mail.parsed.messageId} came again after ${afterMs} ms; ${kill} the first time`;
}
