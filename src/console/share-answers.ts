import type { Clock } from "../lib/clock.ts";
import { type Instant, SECOND } from "../lib/instant.ts";
import { perSecond } from "../lib/per-second.ts";

/** Answers that are the same for every reader. */
export interface SharedAnswers {
  /** What `make` returns, or what it returned for this address less than a second ago while many ask. */
  of<T>(address: string, make: () => Promise<T>): Promise<T>;
}

/** So many answers a second are made for whoever asks: one reader always sees what is there now. */
const MADE_PER_S = 10;
const LIVES_MS = SECOND;

/**
 * A crowd that reads the same pages costs as much as a few readers: beyond ten answers a second, what was made for
 * others less than a second ago is sent again. Its live parts say what changed since, as on every page.
 */
export function shareAnswers(wall: Clock): SharedAnswers {
  const answers = new Map<string, { readonly at: Instant; readonly answer: Promise<unknown> }>();
  const made = perSecond(MADE_PER_S);

  const forgetOld = (now: Instant): void => {
    for (const [address, { at }] of answers) if (!isYoung(at, now)) answers.delete(address);
  };

  return {
    of<T>(address: string, make: () => Promise<T>): Promise<T> {
      const now = wall.now();
      const last = answers.get(address);
      if (made.isReached(now) && last !== undefined && isYoung(last.at, now))
        return last.answer as Promise<T>;
      forgetOld(now);
      made.count();
      const answer = make();
      const entry = { at: now, answer };
      answers.set(address, entry);
      answer.catch(() => {
        if (answers.get(address) === entry) answers.delete(address);
      });
      return answer;
    },
  };
}

function isYoung(at: Instant, now: Instant): boolean {
  return now >= at && now - at < LIVES_MS;
}
