import type { PollKind } from "../model/poll.ts";
import type { ObservedQuirk } from "../model/server-quirk.ts";
import type { Coverage } from "./coverage.ts";
import type { PollState } from "./poll-state.ts";

/** What a walk that has come to its end says about the server. */
export function quirksOfPoll(
  walk: PollKind,
  walked: { readonly after: PollState; readonly coverage: Coverage },
  tally: {
    readonly added: number;
    readonly repeated: number;
    readonly lateMs: number;
    readonly restamped: number;
  },
): ObservedQuirk[] {
  const found: ObservedQuirk[] = [];
  // A mention that changes while it is walked by its changes comes again, and should.
  if (walk === "added" && tally.repeated > 0) found.push({ trait: "repeated-rows", value: "seen" });
  if (walk === "added" && tally.lateMs > 0)
    found.push({ trait: "late-indexing", value: "seen", ms: tally.lateMs });
  if (tally.restamped > 0) found.push({ trait: "restamped-added", value: "seen" });
  const total = totalOf(walked, tally.added);
  if (total !== null) found.push(total);
  return found;
}

function totalOf(
  { after, coverage }: { readonly after: PollState; readonly coverage: Coverage },
  added: number,
): ObservedQuirk | null {
  const { total, seen } = coverage;
  if (total === null) return { trait: "total", value: "none" };
  // Of what is new, some may have come after the count.
  if (seen - added > total) return { trait: "total", value: "low" };
  if (coverage.outcome === "Gap")
    return (after.gap?.tries ?? 0) >= HIGH_AFTER ? { trait: "total", value: "high" } : null;
  return seen === total && total > 0 ? { trait: "total", value: "agrees" } : null;
}

/** Gone over so often in vain, it is the total that is wrong. */
const HIGH_AFTER = 3;
