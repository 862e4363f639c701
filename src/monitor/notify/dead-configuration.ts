import type { Issue } from "../../lib/errors.ts";
import { fitsAny, fitsGlob } from "../../lib/patterns.ts";
import type { AlertMatch } from "../model/alert-match.ts";
import type { SourceName } from "../model/query.ts";
import { compareSeverity, type Severity } from "../model/severity.ts";
import type { EscalationConfig } from "./decide/escalation.ts";
import type { Inhibition } from "./decide/inhibition.ts";
import type { Rotation } from "./decide/rotation.ts";
import type { RouteConfig } from "./decide/route.ts";

/** What is known about the alerts of a rule before it opens one. */
export interface RuleAlerts {
  readonly name: string;
  readonly severities: readonly Severity[];
  /** Names or ids of the queries that the rule watches; null: all. */
  readonly queries: readonly string[] | null;
  /** Labels that its file adds, with their values. */
  readonly extraLabels: Readonly<Record<string, string>>;
  /** Labels whose values come from mentions. */
  readonly groupBy: readonly string[];
}

/** The part of a configuration that leads alerts and digests to people. */
interface LeadsToPeople {
  readonly sources: readonly { readonly name: SourceName; readonly queries: readonly string[] }[];
  readonly receivers: readonly { readonly name: string }[];
  /** The receivers are those of the local inbox, which nobody wrote. */
  readonly usesLocalInbox?: boolean;
  readonly routes: readonly RouteConfig[];
  readonly inhibitions: readonly Inhibition[];
  readonly escalations: readonly EscalationConfig[];
  readonly rotations: readonly Rotation[];
  readonly digests: readonly {
    readonly queries: readonly string[];
    readonly receivers: readonly { readonly name: string }[];
  }[];
  readonly operator: { readonly receivers?: readonly string[] };
}

type Path = readonly (string | number)[];

/**
 * Finds configuration without effect: rules whose alerts no route takes, routes that no alert reaches, receivers and
 * rotations that nothing names, names of queries that are not watched. Only certain findings are reported.
 */
export function findDeadConfiguration(config: LeadsToPeople, rules: readonly RuleAlerts[]): readonly Issue[] {
  return [
    ...unroutedRules(config, rules),
    ...shadowedRoutes(config.routes, rules.flatMap(alertsOf), ["routes"]),
    ...unreached(config),
    ...unwatchedNames(config, rules),
  ];
}

interface ExpectedAlert extends Omit<RuleAlerts, "severities"> {
  readonly severity: Severity;
}

const alertsOf = ({ severities, ...rule }: RuleAlerts): ExpectedAlert[] =>
  severities.map((severity) => ({ ...rule, severity }));

function unroutedRules({ routes, escalations }: LeadsToPeople, rules: readonly RuleAlerts[]): Issue[] {
  const matches = [...routes, ...escalations].map(({ match }) => match);
  return rules.flatMap((rule): Issue[] => {
    const isNotified = alertsOf(rule).some((alert) =>
      matches.some((match) => fitOf(match, alert) !== "never"),
    );
    if (isNotified) return [];
    const message = `no route takes the alerts of rule "${rule.name}" (severity ${rule.severities.join(", ")}), so nobody is notified of them`;
    return [{ path: ["routes"], at: "key", message }];
  });
}

/** Routes that get nothing, because routes above them take all their alerts without `continue`. */
function shadowedRoutes(
  routes: readonly RouteConfig[],
  alerts: readonly ExpectedAlert[],
  path: Path,
): Issue[] {
  return routes.flatMap((route, index): Issue[] => {
    const here = [...path, index];
    const fitting = alerts.filter((alert) => fitOf(route.match, alert) !== "never");
    const inside = shadowedRoutes(route.routes, fitting, [...here, "routes"]);
    const before = routes.slice(0, index).filter((one) => !one.continue);
    const taker = before.find((one) => isEverything(one.match)) ?? takerOf(before, route, fitting);
    if (taker === undefined) return inside;
    const name = taker.name ?? `route ${routes.indexOf(taker) + 1}`;
    const message = `no alert comes to this route: "${name}" above it takes them all. Move this one up, or write continue: true there`;
    return [{ path: here, message }, ...inside];
  });
}

/** The first route above, if together those above take all alerts of this one. A catch-all route may get none. */
function takerOf(
  before: readonly RouteConfig[],
  route: RouteConfig,
  alerts: readonly ExpectedAlert[],
): RouteConfig | undefined {
  if (isEverything(route.match)) return undefined;
  const takers = alerts.map((alert) => before.find((one) => fitOf(one.match, alert) === "always"));
  return takers.includes(undefined) ? undefined : takers[0];
}

function isEverything(match: AlertMatch): boolean {
  return Object.keys(match).length === 0;
}

type Fits = "always" | "sometimes" | "never";

/** Whether alerts like this one fit a matcher. */
function fitOf({ not, ...match }: AlertMatch, alert: ExpectedAlert): Fits {
  const required = conditionsOf(match, alert);
  const excluded = not === undefined ? [] : conditionsOf(not, alert);
  if (required.includes("never") || excluded.includes("always")) return "never";
  return required.includes("sometimes") || excluded.includes("sometimes") ? "sometimes" : "always";
}

function conditionsOf(match: Omit<AlertMatch, "not">, alert: ExpectedAlert): Fits[] {
  const { severity, rule, query, labels = {}, fingerprint } = match;
  const certain = (isSo: boolean): Fits => (isSo ? "always" : "never");
  return [
    ...(severity === undefined ? [] : [certain(compareSeverity(alert.severity, severity) >= 0)]),
    ...(rule === undefined ? [] : [certain(fitsAny(rule, alert.name))]),
    ...(query === undefined ? [] : [fitOfValue(query)]),
    ...(fingerprint === undefined ? [] : ["sometimes" as const]),
    ...Object.entries(labels).map(([name, patterns]) => {
      const given = Object.hasOwn(alert.extraLabels, name) ? alert.extraLabels[name] : undefined;
      if (given !== undefined) return certain(fitsAny(patterns, given));
      return alert.groupBy.includes(name) ? fitOfValue(patterns) : "never";
    }),
  ];
}

/** For a value that is only known once there is a mention. */
function fitOfValue(patterns: readonly string[]): Fits {
  return patterns.includes("*") ? "always" : "sometimes";
}

function unreached(config: LeadsToPeople): Issue[] {
  const { receivers, routes, escalations, rotations, digests, operator } = config;
  const named = new Set([
    ...routes.flatMap(receiversIn),
    ...escalations.flatMap(({ steps }) => steps.flatMap((step) => step.receivers)),
    ...digests.flatMap((digest) => digest.receivers.map(({ name }) => name)),
    ...(operator.receivers ?? receivers.slice(0, 1).map(({ name }) => name)),
  ]);
  for (const rotation of rotations)
    if (named.has(rotation.name)) for (const name of rotation.receivers) named.add(name);
  const dead = (list: "receivers" | "rotations", word: string, by: string) =>
    config[list].flatMap(({ name }, index): Issue[] =>
      named.has(name)
        ? []
        : [
            {
              path: [list, index, "name"],
              message: `nothing leads to the ${word} "${name}": ${by} names it`,
            },
          ],
    );
  return [
    ...(config.usesLocalInbox === true
      ? []
      : dead("receivers", "receiver", "no route, escalation, digest or operator")),
    ...dead("rotations", "rotation", "no step of an escalation"),
  ];
}

function receiversIn({ receivers, routes }: RouteConfig): readonly string[] {
  return [...receivers, ...routes.flatMap(receiversIn)];
}

/** A name of a query in the configuration. */
export interface NamedQuery {
  readonly path: Path;
  readonly pattern: string;
  /** The rule that names it; null: the configuration itself. */
  readonly rule: string | null;
}

/** All names of queries in the configuration, except those in `source.queries`. */
export function namedQueries(config: LeadsToPeople, rules: readonly RuleAlerts[]): readonly NamedQuery[] {
  const each = (patterns: readonly string[] | undefined, path: Path) =>
    (patterns ?? []).map((pattern, index) => ({ path: [...path, index], pattern, rule: null }));
  const inMatch = (match: AlertMatch, path: Path) => [
    ...each(match.query, [...path, "query"]),
    ...each(match.not?.query, [...path, "not", "query"]),
  ];
  const inRoutes = (routes: readonly RouteConfig[], path: Path): NamedQuery[] =>
    routes.flatMap((route, index) => [
      ...inMatch(route.match, [...path, index, "match"]),
      ...inRoutes(route.routes, [...path, index, "routes"]),
    ]);
  return [
    ...rules.flatMap(({ name, queries }) =>
      (queries ?? []).map((pattern) => ({ path: ["source", "queries"], pattern, rule: name })),
    ),
    ...inRoutes(config.routes, ["routes"]),
    ...config.inhibitions.flatMap((one, index) => [
      ...inMatch(one.while, ["inhibitions", index, "while"]),
      ...inMatch(one.mute, ["inhibitions", index, "mute"]),
    ]),
    ...config.escalations.flatMap(({ match }, index) => inMatch(match, ["escalations", index, "match"])),
    ...config.digests.flatMap(({ queries }, index) => each(queries, ["digests", index, "queries"])),
  ];
}

/** Names without a wildcard that match no watched query, whatever the source has. An id may belong to any name. */
function unwatchedNames(config: LeadsToPeople, rules: readonly RuleAlerts[]): Issue[] {
  const watched = config.sources.flatMap(({ queries }) => queries);
  if (watched.some(isId)) return [];
  const keys = config.sources.map(({ name }) => (name === "feeds" ? "listen.queries" : "source.queries"));
  const says = keys.length === 1 ? "it says" : "they say";
  const watches = `${keys.join(" and ")} ${keys.length === 1 ? "watches" : "watch"}`;
  return namedQueries(config, rules).flatMap(({ path, pattern, rule }): Issue[] => {
    if (/[*?]/.test(pattern) || isId(pattern) || watched.some((one) => fitsGlob(one, pattern))) return [];
    const by = rule === null ? "" : `, which rule ${rule} names`;
    return [{ path, message: `${watches} no query "${pattern}"${by} (${says} ${watched.join(", ")})` }];
  });
}

function isId(pattern: string): boolean {
  return /^\d+$/.test(pattern);
}
