import { type AlertMatch, type MatchedAlert, unmetOf } from "../model/alert-match.ts";

/** What is read of a configured route. */
export interface ReadRoute {
  readonly name?: string | undefined;
  readonly match: AlertMatch;
  readonly receivers: readonly string[];
  readonly continue: boolean;
  readonly routes: readonly ReadRoute[];
}

/** Why one route sends an alert to nobody. */
export interface UnusedRoute {
  /** `office › night`; routes without a name are counted. */
  readonly name: string;
  /** Those that it would have sent to. */
  readonly receivers: readonly string[];
  /** A sentence without its full stop. */
  readonly because: string;
}

/**
 * The routes that do not take an alert, in the order in which they are read: of each the first matcher that it does not
 * meet, or the earlier route that took it.
 */
export function unusedRoutes(routes: readonly ReadRoute[], alert: MatchedAlert): readonly UnusedRoute[] {
  return readRoutes(routes, alert, "").unused;
}

/** To whom the routes lead that take an alert, as they are now. */
export function receiversNow(routes: readonly ReadRoute[], alert: MatchedAlert): ReadonlySet<string> {
  return new Set(readRoutes(routes, alert, "").receivers);
}

function readRoutes(
  routes: readonly ReadRoute[],
  alert: MatchedAlert,
  within: string,
): {
  readonly unused: readonly UnusedRoute[];
  readonly receivers: readonly string[];
  readonly takes: boolean;
} {
  const unused: UnusedRoute[] = [];
  const receivers: string[] = [];
  let takenBy: string | null = null;
  let takes = false;
  for (const [index, route] of routes.entries()) {
    const name = `${within}${route.name ?? `route ${index + 1}`}`;
    const unmet = unmetOf(route.match, alert);
    if (takenBy !== null || unmet !== null) {
      const because =
        takenBy === null
          ? `it wants ${unmet}`
          : `the route ${takenBy} before it takes the alert (without "continue: true")`;
      unused.push({ name, receivers: receiversIn(route), because });
      continue;
    }
    const deeper = readRoutes(route.routes, alert, `${name} › `);
    unused.push(...deeper.unused);
    receivers.push(...(deeper.takes ? deeper.receivers : route.receivers));
    if (deeper.takes) {
      const because = "a route inside it takes the alert";
      unused.push({ name, receivers: route.receivers, because });
    }
    takes = true;
    if (!route.continue) takenBy = name;
  }
  return { unused, receivers, takes };
}

function receiversIn(route: ReadRoute): readonly string[] {
  return [...new Set([...route.receivers, ...route.routes.flatMap(receiversIn)])];
}
