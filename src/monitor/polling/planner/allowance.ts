import { SECOND } from "../../../lib/instant.ts";
import type { Priority, PrioritySlots, RateLimit } from "../../model/poll.ts";

/** The calls of a window as numbered slots, each used once in a window. */
export interface SlotsByPriority {
  /** How many slots we use at all; the rest is for other users of the account and lost answers. */
  readonly usable: number;
  readonly of: Readonly<Record<Priority, PrioritySlots>>;
}

/** A call counts from before it is sent until a window after its answer, so the margin is for others only. */
const MARGIN = 0.06;
const KEPT = 0.03;

/**
 * The lowest slots are for the background alone, the highest for crises alone, so that the wide middle that all use
 * starves neither. Each end is small, since its slots are missing elsewhere. Below the crises' slots, each lower
 * priority leaves as many free for the higher ones.
 */
export function slotsOf(limit: number): SlotsByPriority {
  const usable = Math.max(1, limit - Math.ceil(limit * MARGIN));
  const kept = usable < 5 ? 0 : Math.max(1, Math.floor(usable * KEPT));
  return {
    usable,
    of: {
      crisis: { from: 1 + kept, to: usable },
      live: { from: 1 + kept, to: usable - kept },
      shell: { from: 1 + kept, to: usable - 2 * kept },
      background: { from: 1, to: usable - 3 * kept },
    },
  };
}

/**
 * Calls are spread evenly over the window. All at once would mean nine minutes without calls, again and again, since a
 * slot is free one window after its use.
 */
export function spacingMs({ limit, periodMs }: RateLimit, priority: Priority): number {
  const slots = slotsOf(limit).of[priority];
  return periodMs / Math.max(1, slots.to - slots.from + 1);
}

/**
 * How much time without calls is made up for: what lies between two sweeps, or one interval if that is longer. More
 * would be a burst after every pause.
 */
export function catchUpMs(spacingMs: number): number {
  return Math.max(SECOND, spacingMs);
}

/** How long one round of this many polls takes. `members`: how many share a call; 1 if none do. */
export function roundMs(polls: number, limit: RateLimit, members: number): number {
  return spacingMs(limit, "live") * Math.ceil(polls / members);
}

/** How many polls share a call, if some are named by their groups: as many ids as the address has. */
export function pollsPerCall(
  mostIds: number,
  queryIds: readonly string[],
  groups: readonly { readonly queryIds: readonly string[] }[],
): number {
  const grouped = new Set(groups.flatMap((group) => group.queryIds));
  const ids = queryIds.filter((id) => !grouped.has(id)).length + groups.length;
  return Math.floor(mostIds * Math.max(1, queryIds.length / Math.max(1, ids)));
}

/** This many ids of ten digits keep an address below 4 kB, which every server accepts. */
export const MOST_IDS = 200;

/**
 * How many queries with such ids may share a call. If rounds of short calls take long, addresses may have 14 kB, which
 * servers accept if their limit for all headers is 16; refusals are noticed. If a round takes seconds, many short calls
 * cost less work than few long ones, and are no slower.
 */
export function mostIds(idLength: number, polls: number, limit: RateLimit): number {
  if (roundMs(polls, limit, MOST_IDS) < SCARCE_MS) return MOST_IDS;
  return longestAddress(idLength);
}

/** How many such ids the longest address has. */
export function longestAddress(idLength: number): number {
  return Math.max(MOST_IDS, Math.floor(LONG_ADDRESS / ("&queryId=".length + idLength)));
}

const SCARCE_MS = 5 * SECOND;
const LONG_ADDRESS = 14_000;
