import { type MatchedAlert, unmetOf } from "../../model/alert-match.ts";
import type { RouteConfig } from "./route.ts";

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
export function unusedRoutes(routes: readonly RouteConfig[], alert: MatchedAlert): readonly UnusedRoute[] {
  return readRoutes(routes, alert, "").unused;
}

function readRoutes(
  routes: readonly RouteConfig[],
  alert: MatchedAlert,
  within: string,
): { readonly unused: readonly UnusedRoute[]; readonly takes: boolean } {
  const unused: UnusedRoute[] = [];
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
    if (deeper.takes) {
      const because = "a route inside it takes the alert";
      unused.push({ name, receivers: route.receivers, because });
    }
    takes = true;
    if (!route.continue) takenBy = name;
  }
  return { unused, takes };
}

function receiversIn(route: RouteConfig): readonly string[] {
  return [...new Set([...route.receivers, ...route.routes.flatMap(receiversIn)])];
}
