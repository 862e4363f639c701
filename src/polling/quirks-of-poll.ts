import type { PollKind } from "../model/poll.ts";
import type { ObservedQuirk } from "../model/server-quirk.ts";
import type { Coverage } from "./coverage.ts";
import type { PollState } from "./poll-state.ts";

/** What a finished poll shows about the server. */
export function quirksOfPoll(
  poll: PollKind,
  completed: { readonly after: PollState; readonly coverage: Coverage },
  seen: {
    readonly added: number;
    readonly repeated: number;
    readonly lateMs: number;
    readonly restamped: number;
  },
): ObservedQuirk[] {
  const found: ObservedQuirk[] = [];
  // A mention that changes while the updated poll runs comes again, and should.
  if (poll === "added" && seen.repeated > 0) found.push({ quirk: "repeated-rows", value: "seen" });
  if (poll === "added" && seen.lateMs > 0)
    found.push({ quirk: "late-indexing", value: "seen", ms: seen.lateMs });
  if (seen.restamped > 0) found.push({ quirk: "restamped-added", value: "seen" });
  const total = totalOf(completed, seen.added);
  if (total !== null) found.push(total);
  return found;
}

function totalOf(
  { after, coverage }: { readonly after: PollState; readonly coverage: Coverage },
  added: number,
): ObservedQuirk | null {
  const { total, seen } = coverage;
  if (total === null) return { quirk: "total", value: "none" };
  // Some of the new mentions may have come after the count.
  if (seen - added > total) return { quirk: "total", value: "low" };
  if (coverage.outcome === "Gap")
    return (after.gap?.tries ?? 0) >= HIGH_AFTER ? { quirk: "total", value: "high" } : null;
  return seen === total && total > 0 ? { quirk: "total", value: "agrees" } : null;
}

/** After this many polls in vain, the total is wrong. */
const HIGH_AFTER = 3;
