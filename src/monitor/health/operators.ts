import { z } from "zod";
import { Duration, durationBetween } from "../../lib/duration.ts";
import { DAY, SECOND } from "../../lib/instant.ts";

const Patience = durationBetween(SECOND, 30 * DAY);

/** `operator` in `earshot.yaml`: who is notified about problems of Earshot itself, and when something is a problem. */
export const OperatorConfig = z
  .strictObject({
    receivers: z
      .array(z.string().min(1))
      .min(1)
      .exactOptional()
      .describe(
        "Names of the receivers. Default: those of the routes for critical alerts, else the first receiver.",
      ),
    repeatEvery: Duration.prefault("4h").describe("How often people are reminded of an open problem."),
    lag: Patience.prefault("30m").describe(
      "How far a query may be behind. Longer by itself if the account is polled more slowly.",
    ),
    rateLimited: Patience.prefault("15m").describe("How long the account may be over its rate limit."),
    receiverFails: Patience.prefault("10m").describe(
      "How long a receiver may fail if a retry can help. If it cannot, it is reported at once.",
    ),
    standstill: Patience.prefault("5m").describe("How long due work may wait."),
    digestLate: Patience.prefault("15m").describe(
      "How late a digest may be, after the half hour that digests wait for queries.",
    ),
    flood: z
      .int()
      .positive()
      .default(1_000)
      .describe(
        "How many alerts one rule may open for one query in ten minutes. A rule that would open more is held: its mentions are stored and counted, and open no alerts until it is calmer.",
      ),
    silence: Patience.prefault("1h").describe(
      "How long a query that is usually busy at this hour may be silent.",
    ),
  })
  .refine((operator) => operator.repeatEvery > 0, {
    path: ["repeatEvery"],
    error: "has to be longer than 0",
  });
export type OperatorConfig = z.output<typeof OperatorConfig>;

/** The part of a route that the choice needs. */
interface RouteLike {
  readonly match: { readonly severity?: string };
  readonly receivers: readonly string[];
  readonly routes?: readonly RouteLike[];
}

/**
 * Who is notified about Earshot itself: the configured receivers, else the receivers of routes for critical alerts,
 * else the first receiver. Receivers that fail now are left out if another one remains; if none remains, any other
 * working receiver replaces them.
 */
export function chooseOperators(
  named: readonly string[] | undefined,
  routes: readonly RouteLike[],
  receivers: readonly string[],
  failing: ReadonlySet<string>,
): readonly string[] {
  const critical = routes
    .flatMap(withInner)
    .filter(({ match }) => match.severity === "critical")
    .flatMap((route) => route.receivers);
  const names = [...new Set(named ?? (critical.length > 0 ? critical : receivers.slice(0, 1)))];
  const working = names.filter((name) => !failing.has(name));
  if (working.length > 0) return working;
  const standIn = receivers.find((name) => !failing.has(name));
  return standIn === undefined ? names : [standIn];
}

/** A route and all routes inside it, at any depth. */
function withInner(route: RouteLike): readonly RouteLike[] {
  return [route, ...(route.routes ?? []).flatMap(withInner)];
}
