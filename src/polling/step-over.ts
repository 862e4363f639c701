import { type Instant, MINUTE } from "../lib/instant.ts";
import type { PollState } from "./poll-state.ts";
import { abandonPoll, type PollSettings } from "./watermark.ts";

export type Step =
  /** The failure is not of the page, or not yet often enough. */
  | { readonly outcome: "TriesAgain" }
  /** The cursor may be to blame: the walk begins anew at its watermark. */
  | { readonly outcome: "BeginsAnew"; readonly state: PollState }
  /** What would be stepped over ends in the present, where more may still arrive. */
  | { readonly outcome: "TooFresh" }
  /** [from, to) is set aside, if what lies behind it can be read. */
  | {
      readonly outcome: "StepsOver";
      readonly from: Instant;
      readonly to: Instant;
      readonly state: PollState;
    };

/** Tries of a page that comes, and cannot be read. */
const UNREADABLE_TRIES = 5;
/** Tries of a page that does not come, while others may. */
const UNAVAILABLE_TRIES = 8;

/**
 * What to do about a page that fails again and again: one mention that its server cannot send must not hold up its
 * query for ever. First a new cursor, then a step over the shortest interval of arrival that may hold it, longer with
 * every step that did not help.
 *
 * @param tries in a row, without a page in between
 */
export function decideStep(
  state: PollState,
  failure: { readonly kind: string | undefined; readonly tries: number },
  settings: PollSettings,
  now: Instant,
): Step {
  const most = MOST_TRIES[failure.kind ?? ""];
  if (most === undefined || failure.tries < most) return { outcome: "TriesAgain" };
  const stepped = state.stepped ?? 0;
  if (stepped === 0 && state.running !== null && state.running.cursor !== null)
    return { outcome: "BeginsAnew", state: { ...abandonPoll(state), stepped: 1 } };
  const overlapMs = Math.max(settings.overlapMs, 1);
  const overlapped = state.watermark === null ? settings.historyFrom : state.watermark - overlapMs;
  const begin = state.running?.since ?? Math.min(overlapped, state.gap?.from ?? overlapped);
  // Ascending order: what an earlier page of the walk held is stored, so the fault lies at the watermark or behind it.
  const from = state.running?.cursor == null ? begin : Math.max(begin, state.watermark ?? begin);
  const to = from + overlapMs + MINUTE * 2 ** Math.min(stepped, 20);
  if (to + overlapMs > now) return { outcome: "TooFresh" };
  const watermark = to + overlapMs;
  return {
    outcome: "StepsOver",
    from,
    to,
    state: { ...state, watermark, running: null, gap: null, stepped: stepped + 1 },
  };
}

const MOST_TRIES: Readonly<Record<string, number>> = {
  malformed: UNREADABLE_TRIES,
  "too-large": UNREADABLE_TRIES,
  unavailable: UNAVAILABLE_TRIES,
};
