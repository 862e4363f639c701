import { DAY } from "../../../lib/instant.ts";
import type { EscalationTerms, Terms } from "./batch.ts";
import type { RoutedReceiver, Routing } from "./route.ts";

/**
 * Everybody a decision is made for: receivers that a route names, receivers of a due or later escalation step, and
 * receivers that were notified before but are named no longer (routes were edited, or the alert rose past a route). The
 * last kind only gets the resolve notification.
 */
export function audience(
  routing: Routing,
  notifiedBefore: Iterable<string>,
  escalation: ReadonlyMap<string, EscalationTerms> = new Map(),
): readonly RoutedReceiver[] {
  const routed = routing.outcome === "Routed" ? routing.to : [];
  const all = new Map<string, RoutedReceiver>();
  for (const one of routed) {
    const escalated = escalation.get(one.receiver) ?? null;
    all.set(one.receiver, { ...one, terms: { ...one.terms, escalation: escalated } });
  }
  for (const [receiver, terms] of escalation) {
    if (!all.has(receiver))
      all.set(receiver, { receiver, by: terms.by, terms: { ...UNROUTED, escalation: terms } });
  }
  for (const receiver of notifiedBefore) {
    if (!all.has(receiver)) all.set(receiver, { receiver, by: "notified before", terms: UNROUTED });
  }
  return [...all.values()];
}

const UNROUTED: Terms = {
  routed: false,
  repeatEveryMs: null,
  sendResolved: true,
  forgetAfterMs: DAY,
  group: null,
  escalation: null,
};
