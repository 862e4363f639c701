import { z } from "zod";
import { Duration } from "../lib/duration.ts";
import { DAY, HOUR } from "../lib/instant.ts";
import { fitsAny, fitsQuery, Patterns } from "../lib/patterns.ts";
import type { Alert } from "../model/alert.ts";
import { compareSeverity, Severity } from "../model/severity.ts";
import type { Terms } from "./batch.ts";

/**
 * Who is told about an alert, and on which terms. Routes are read from the top; the first that matches decides, and
 * `continue: true` lets those below it add receivers. A receiver that several of them name is told on the terms of
 * the first. No route at all is an outcome with a name, not a silence.
 */
export function routeAlert(routes: readonly RouteConfig[], alert: RoutedAlert): Routing {
  const to = new Map<string, Addressed>();
  for (const [index, route] of routes.entries()) {
    if (!matches(route.match, alert)) continue;
    const by = route.name ?? `route ${index + 1}`;
    for (const receiver of route.receivers) {
      if (!to.has(receiver)) to.set(receiver, { receiver, by, terms: termsOf(route) });
    }
    if (!route.continue) break;
  }
  if (to.size === 0) return { outcome: "NoRoute", by: `none of ${routes.length} routes matches` };
  return { outcome: "Routed", to: [...to.values()] };
}

export type RoutedAlert = Pick<Alert, "severity" | "queryId" | "queryName" | "rule" | "labels">;

export interface Addressed {
  readonly receiver: string;
  readonly terms: Terms;
  /** The route that says so. */
  readonly by: string;
}

export type Routing =
  | { readonly outcome: "Routed"; readonly to: readonly Addressed[] }
  | { readonly outcome: "NoRoute"; readonly by: string };

const RouteMatch = z.strictObject({
  /** This severity or a graver one. */
  severity: Severity.exactOptional(),
  /** Name or id of the query. */
  query: Patterns.exactOptional(),
  rule: Patterns.exactOptional(),
  /** Every label named here has to be there and fit. */
  labels: z.record(z.string(), Patterns).exactOptional(),
});
type RouteMatch = z.infer<typeof RouteMatch>;

/** An entry of `routes`. Everything has to match that `match` names; without `match` it takes every alert. */
export const RouteConfig = z
  .strictObject({
    name: z.string().min(1).exactOptional(),
    match: RouteMatch.default({}),
    receivers: z
      .array(z.string().min(1))
      .min(1, "a route needs at least one receiver, else its alerts would reach nobody"),
    /** How often an alert that goes on is told again. */
    repeatEvery: z
      .union([z.literal("never").transform(() => null), Duration], {
        error: `expected a duration such as "4h", or "never"`,
      })
      .default(4 * HOUR),
    sendResolved: z.boolean().default(true),
    /** An alert that ended longer ago than this, and that nobody was told about, is not told any more. */
    forgetAfter: Duration.default(DAY),
    continue: z.boolean().default(false),
  })
  .transform(({ repeatEvery, forgetAfter, ...route }) => ({
    ...route,
    repeatEveryMs: repeatEvery,
    forgetAfterMs: forgetAfter,
  }))
  .refine((route) => route.repeatEveryMs === null || route.repeatEveryMs > 0, {
    path: ["repeatEvery"],
    error: `has to be longer than nothing; write "never" for no repetition`,
  });
export type RouteConfig = z.infer<typeof RouteConfig>;

function matches(match: RouteMatch, alert: RoutedAlert): boolean {
  if (match.severity !== undefined && compareSeverity(alert.severity, match.severity) < 0) return false;
  if (match.query && !fitsQuery(match.query, alert)) return false;
  if (match.rule && !fitsAny(match.rule, alert.rule)) return false;
  return Object.entries(match.labels ?? {}).every(([name, patterns]) => {
    const value = Object.hasOwn(alert.labels, name) ? alert.labels[name] : undefined;
    return value !== undefined && fitsAny(patterns, value);
  });
}

function termsOf({ repeatEveryMs, sendResolved, forgetAfterMs }: RouteConfig): Terms {
  return { routed: true, repeatEveryMs, sendResolved, forgetAfterMs };
}
