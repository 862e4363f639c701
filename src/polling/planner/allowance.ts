import { SECOND } from "../../lib/instant.ts";
import type { Priority, PrioritySlots, RateLimit } from "../../model/call-budget.ts";

/** The calls of a window as numbered places, each used once in a window. */
export interface SlotsByPriority {
  /** Places that we use at all; the rest is for what we cannot see coming: other users of the account, lost answers. */
  readonly usable: number;
  readonly of: Readonly<Record<Priority, PrioritySlots>>;
}

/** A call is counted from before it is sent until a window after its answer, so the margin is for others only. */
const MARGIN = 0.06;
const KEPT = 0.03;

/**
 * The lowest places are for the background alone, the highest for crises alone, so that neither is ever starved by the
 * wide middle that all use; each end is small, since what it keeps is missing elsewhere. Below the crises' each who comes
 * later in the order leaves as many again to those before it.
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
 * Calls are planned evenly over the window: all at once would mean nine minutes of silence, again and again, since a
 * place is free one window after its use.
 */
export function spacingMs({ limit, periodMs }: RateLimit, priority: Priority): number {
  const slots = slotsOf(limit).of[priority];
  return periodMs / Math.max(1, slots.to - slots.from + 1);
}

/** How long it takes to walk so many walks once. `members`: how many share a call; 1 where none do. */
export function roundMs(polls: number, limit: RateLimit, members: number): number {
  return spacingMs(limit, "live") * Math.ceil(polls / members);
}

/** So many ids of ten digits keep an address below 4 kB, which every server takes. */
export const MOST_MEMBERS = 200;

/**
 * How many queries of such ids may share a call. Where short ones take long to come round, addresses may have 14 kB,
 * which servers take whose whole head may have 16; who refuses them shows it. Where all are walked within seconds, many
 * short calls cost less work than few long ones, and are no slower.
 */
export function mostMembers(idLength: number, polls: number, limit: RateLimit): number {
  if (roundMs(polls, limit, MOST_MEMBERS) < SCARCE_MS) return MOST_MEMBERS;
  return Math.max(MOST_MEMBERS, Math.floor(LONG_ADDRESS / ("&queryId=".length + idLength)));
}

const SCARCE_MS = 5 * SECOND;
const LONG_ADDRESS = 14_000;
