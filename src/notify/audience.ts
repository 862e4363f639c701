import type { Terms } from "./batch.ts";
import type { Addressed, Routing } from "./route.ts";

/**
 * Everybody a decision has to be made for: those whom the routes name, and those who have been told before and are
 * named no longer (routes were edited, or the alert rose past a route). The latter hear nothing more but its end.
 */
export function audience(routing: Routing, toldBefore: Iterable<string>): readonly Addressed[] {
  const routed = routing.outcome === "Routed" ? routing.to : [];
  const named = new Set(routed.map(({ receiver }) => receiver));
  const others = [...new Set(toldBefore)].filter((receiver) => !named.has(receiver));
  return [...routed, ...others.map((receiver) => ({ receiver, by: "told before", terms: NO_LONGER_ROUTED }))];
}

const NO_LONGER_ROUTED: Terms = { routed: false, repeatEveryMs: null, sendResolved: true, forgetAfterMs: 0 };
