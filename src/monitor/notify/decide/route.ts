import { z } from "zod";
import { Duration, durationBetween } from "../../../lib/duration.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../lib/instant.ts";
import { AlertMatch, type MatchedAlert, matchesAlert } from "../../model/alert-match.ts";
import type { GroupTerms, Terms } from "./batch.ts";

/**
 * The receivers of an alert and their terms. Routes are read from the top; the first match decides, and `continue:
 * true` lets those below it add receivers. A route with `routes` of its own passes the alert down in the same way and
 * decides itself if none of them matches. For a receiver named by several routes, the terms of the first apply. No
 * route at all is an outcome with a name, never silent.
 */
export function routeAlert(routes: readonly RouteConfig[], alert: MatchedAlert): Routing {
  const to = new Map<string, RoutedReceiver>();
  const found = [...findRoutes(routes, alert, "")];
  for (const { route, by } of found) {
    for (const receiver of route.receivers) {
      if (!to.has(receiver)) to.set(receiver, { receiver, by, terms: termsOf(route, by, alert) });
    }
  }
  if (to.size === 0) {
    const by = found.map((one) => one.by).join(", ");
    return found.length > 0
      ? { outcome: "NoRoute", by: `${by} notifies nobody, on purpose` }
      : { outcome: "NoRoute", by: `none of ${routes.length} routes matches` };
  }
  return { outcome: "Routed", to: [...to.values()] };
}

/** The receivers of an incident: those of each of its alerts. `alert` is the incident itself, whose terms come first. */
export function routeIncident(
  routes: readonly RouteConfig[],
  alert: MatchedAlert,
  members: readonly MatchedAlert[],
): Routing {
  const own = routeAlert(routes, alert);
  const to = new Map<string, RoutedReceiver>();
  for (const routing of [own, ...members.map((member) => routeAlert(routes, member))]) {
    if (routing.outcome === "NoRoute") continue;
    for (const one of routing.to) if (!to.has(one.receiver)) to.set(one.receiver, one);
  }
  return to.size === 0 ? own : { outcome: "Routed", to: [...to.values()] };
}

export interface RoutedReceiver {
  readonly receiver: string;
  readonly terms: Terms;
  /** The route that decided it. */
  readonly by: string;
}

export type Routing =
  | { readonly outcome: "Routed"; readonly to: readonly RoutedReceiver[] }
  | { readonly outcome: "NoRoute"; readonly by: string };

const Fields = {
  name: z
    .string()
    .min(1)
    .exactOptional()
    .describe("Name of the route, shown where Earshot explains a message."),
  match: AlertMatch.default({}).describe(
    "The alerts that it takes; everything named must match. Default: every alert.",
  ),
  receivers: z
    .array(z.string().min(1))
    .exactOptional()
    .describe(
      "Names of the receivers. An inner route takes those of the route around it. []: nobody is notified, on purpose; the console shows these alerts.",
    ),
  repeatEvery: z
    .union([Duration, z.literal("never").transform(() => null)], {
      error: `expected a duration such as "4h", or "never"`,
    })
    .refine((ms) => ms === null || ms > 0, `has to be longer than 0; write "never" for no repetition`)
    .exactOptional()
    .describe(
      "How often people are reminded of an open alert: a duration such as 1h, or never. Default: that of the route around it, else 4h.",
    ),
  sendResolved: z
    .boolean()
    .exactOptional()
    .describe("Whether the end of an alert is sent, too. Default: that of the route around it, else true."),
  forgetAfter: durationBetween(MINUTE, 30 * DAY)
    .exactOptional()
    .describe(
      "An alert that ended longer ago than this, and was never sent, is not sent any more. Default: that of the route around it, else 1d.",
    ),
  groupBy: z
    .array(z.string().min(1))
    .exactOptional()
    .describe(
      "Alerts with equal values share one message: query, rule, severity, or any label. []: each alone. Default: that of the route around it, else each alone.",
    ),
  groupWait: durationBetween(0, DAY)
    .exactOptional()
    .describe(
      "How long the first alert of a group waits for others. Default: that of the route around it, else 30s.",
    ),
  groupInterval: durationBetween(0, 7 * DAY)
    .exactOptional()
    .describe(
      "The least time between two messages of a group. Default: that of the route around it, else 5m.",
    ),
  continue: z.boolean().default(false).describe("Whether the routes below it are read, too."),
};

/** As written in the file: missing fields are taken from the route around it. */
type WrittenRoute = z.output<z.ZodObject<typeof Fields>> & { routes?: WrittenRoute[] };

const WrittenRoute: z.ZodType<WrittenRoute> = z
  .strictObject({
    ...Fields,
    get routes() {
      return z
        .array(WrittenRoute)
        .min(1)
        .exactOptional()
        .describe("Routes inside this one. If none of them matches, this route is used.");
    },
  })
  .meta({ id: "route" });

export const RouteConfig = WrittenRoute.superRefine((route, context) => {
  for (const path of withoutReceivers(route, [])) {
    context.addIssue({ code: "custom", path: [...path], message: `"receivers" is missing` });
  }
  if (route.receivers?.length === 0 && route.routes === undefined && Object.keys(route.match).length === 0) {
    const message = "`receivers: []` means that nobody is notified, so say of which alerts: add match";
    context.addIssue({ code: "custom", path: ["receivers"], message });
  }
}).transform((route) => resolve(route, ROOT));

export interface RouteConfig {
  readonly name?: string;
  readonly match: AlertMatch;
  readonly receivers: readonly string[];
  readonly repeatEveryMs: number | null;
  readonly sendResolved: boolean;
  readonly forgetAfterMs: number;
  readonly group: {
    readonly by: readonly string[];
    readonly waitMs: number;
    readonly intervalMs: number;
  } | null;
  readonly continue: boolean;
  readonly routes: readonly RouteConfig[];
}

const ROOT: Omit<RouteConfig, "match" | "continue" | "routes"> = {
  receivers: [],
  repeatEveryMs: 4 * HOUR,
  sendResolved: true,
  forgetAfterMs: DAY,
  group: null,
};
const GROUP_WAIT_MS = 30 * SECOND;
const GROUP_INTERVAL_MS = 5 * MINUTE;

function resolve(route: WrittenRoute, context: typeof ROOT): RouteConfig {
  const { name, match, groupBy } = route;
  const own = {
    receivers: route.receivers ?? context.receivers,
    repeatEveryMs: route.repeatEvery === undefined ? context.repeatEveryMs : route.repeatEvery,
    sendResolved: route.sendResolved ?? context.sendResolved,
    forgetAfterMs: route.forgetAfter ?? context.forgetAfterMs,
    group: groupOf(route, groupBy ?? context.group?.by ?? [], context.group),
  };
  const routes = (route.routes ?? []).map((child) => resolve(child, own));
  return { ...(name !== undefined && { name }), match, continue: route.continue, ...own, routes };
}

function groupOf(
  { groupWait, groupInterval }: WrittenRoute,
  by: readonly string[],
  context: RouteConfig["group"],
): RouteConfig["group"] {
  if (by.length === 0) return null;
  return {
    by,
    waitMs: groupWait ?? context?.waitMs ?? GROUP_WAIT_MS,
    intervalMs: groupInterval ?? context?.intervalMs ?? GROUP_INTERVAL_MS,
  };
}

/** A route without receivers: none of its own or around it, and no routes in it either. */
function* withoutReceivers(
  route: WrittenRoute,
  path: readonly (string | number)[],
): Generator<readonly (string | number)[]> {
  if (route.receivers !== undefined) return;
  if (route.routes === undefined) yield path;
  for (const [index, child] of (route.routes ?? []).entries()) {
    yield* withoutReceivers(child, [...path, "routes", index]);
  }
}

function* findRoutes(
  routes: readonly RouteConfig[],
  alert: MatchedAlert,
  within: string,
): Generator<{ route: RouteConfig; by: string }> {
  for (const [index, route] of routes.entries()) {
    if (!matchesAlert(route.match, alert)) continue;
    const by = `${within}${route.name ?? `route ${index + 1}`}`;
    const deeper = [...findRoutes(route.routes, alert, `${by} › `)];
    if (deeper.length > 0) yield* deeper;
    else yield { route, by };
    if (!route.continue) return;
  }
}

function termsOf(route: RouteConfig, by: string, alert: MatchedAlert): Terms {
  const { repeatEveryMs, sendResolved, forgetAfterMs } = route;
  const group = groupTerms(route, by, alert);
  return { routed: true, repeatEveryMs, sendResolved, forgetAfterMs, group, escalation: null };
}

function groupTerms({ group }: RouteConfig, by: string, alert: MatchedAlert): GroupTerms | null {
  if (group === null) return null;
  const values = group.by.map((label) => labelOf(alert, label));
  return { key: JSON.stringify([by, ...values]), waitMs: group.waitMs, intervalMs: group.intervalMs };
}

/** Two queries may share a name, so a query is identified by its id. A missing label counts as one value, too. */
function labelOf(alert: MatchedAlert, label: string): string | null {
  if (label === "query") return alert.queryId;
  if (label === "rule") return alert.rule;
  if (label === "severity") return alert.severity;
  return (Object.hasOwn(alert.labels, label) ? alert.labels[label] : undefined) ?? null;
}
