import { type Instant, MINUTE } from "../../lib/instant.ts";
import type { PollState } from "../model/poll-state.ts";
import { abandonPoll, type PollSettings } from "./watermark.ts";

export type Step =
  /** The page is not the reason, or has not failed often enough. */
  | { readonly outcome: "TriesAgain" }
  /** The cursor may be the reason: the poll restarts at its watermark. */
  | { readonly outcome: "BeginsAnew"; readonly state: PollState }
  /** The interval to skip ends now, where more may still arrive. */
  | { readonly outcome: "TooFresh" }
  /** [from, to) becomes a dead letter, if what lies behind it can be read. */
  | {
      readonly outcome: "StepsOver";
      readonly from: Instant;
      readonly to: Instant;
      readonly state: PollState;
    };

/** Tries of a page that arrives and cannot be read. */
const UNREADABLE_TRIES = 5;
/** Tries of a page that does not arrive, while others may. */
const UNAVAILABLE_TRIES = 8;

/**
 * Decides about a page that fails again and again: one mention that its server cannot send must not block its query for
 * ever. First a new cursor, then a skip of the shortest interval of arrival that may contain it, longer with every skip
 * that did not help.
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
  // Ascending order: earlier pages of the poll are stored, so the fault lies at the watermark or behind it.
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
