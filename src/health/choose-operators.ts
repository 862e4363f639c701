/** What of a route the choice needs. */
interface RouteLike {
  readonly match: { readonly severity?: string };
  readonly receivers: readonly string[];
  readonly routes?: readonly RouteLike[];
}

/**
 * Who is told about Earshot itself: whom the configuration names, else the receivers of routes for critical alerts,
 * else the first receiver. Those that fail at the moment are left out where anybody is left; where nobody is, any
 * other receiver stands in.
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

/** A route and those inside it, however deep. */
function withInner(route: RouteLike): readonly RouteLike[] {
  return [route, ...(route.routes ?? []).flatMap(withInner)];
}
