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
  const wanted = [...new Set(named ?? (critical.length > 0 ? critical : receivers.slice(0, 1)))];
  const working = wanted.filter((name) => !failing.has(name));
  if (working.length > 0) return working;
  const standIn = receivers.find((name) => !failing.has(name));
  return standIn === undefined ? wanted : [standIn];
}

/** A route and all routes inside it, at any depth. */
function withInner(route: RouteLike): readonly RouteLike[] {
  return [route, ...(route.routes ?? []).flatMap(withInner)];
}
