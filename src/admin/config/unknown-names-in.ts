import { readFile } from "node:fs/promises";
import {
  type AlertNames,
  alertNames,
  type EscalationConfig,
  findDeadConfiguration,
  type Inhibition,
  type RouteConfig,
  type Rule,
  type RuleAlerts,
  unknownName,
  unknownNamesInMatch,
} from "#monitor";
import type { Fault, Issue } from "../../lib/errors.ts";
import { byPlace, readYaml } from "../../lib/read-yaml.ts";
import type { Config } from "./config.ts";

/**
 * Finds parts of the configuration in `file` that have no effect with these rules: names of rules and labels that no
 * alert can have, rules whose alerts no route takes, unused receivers, queries that are not watched.
 */
export async function unknownNamesIn(
  file: string,
  config: Config,
  rules: readonly Rule[],
): Promise<readonly Fault[]> {
  return locateIssues(file, [
    ...findUnknownNames(config, alertNames(rules)),
    ...findDeadConfiguration(config, rules.map(alertsOf)),
  ]);
}

/** The fields of a rule that decide who gets its alerts. */
export function alertsOf({ name, severities, queries, extraLabels, groupBy }: Rule): RuleAlerts {
  return { name, severities, queries, extraLabels, groupBy };
}

/** The parts of a configuration that match alerts. */
interface SpeaksOfAlerts {
  readonly routes: readonly RouteConfig[];
  readonly inhibitions: readonly Inhibition[];
  readonly escalations: readonly EscalationConfig[];
}

type Path = readonly (string | number)[];

/**
 * Finds names of rules and labels that no alert can have. A misspelt name is no error to a program, it only never
 * matches: the route takes nothing, the group is one of everything, and nobody notices until an alert is missed.
 */
function findUnknownNames(config: SpeaksOfAlerts, names: AlertNames): readonly Issue[] {
  return [
    ...inRoutes(config.routes, names, ["routes"], null),
    ...config.inhibitions.flatMap((inhibition, index) => [
      ...unknownNamesInMatch(inhibition.while, names, ["inhibitions", index, "while"]),
      ...unknownNamesInMatch(inhibition.mute, names, ["inhibitions", index, "mute"]),
      ...unknownGroupNames(inhibition.equal, ["rule", "query"], names, ["inhibitions", index, "equal"]),
    ]),
    ...config.escalations.flatMap(({ match }, index) =>
      unknownNamesInMatch(match, names, ["escalations", index, "match"]),
    ),
  ];
}

function inRoutes(
  routes: readonly RouteConfig[],
  names: AlertNames,
  path: Path,
  context: RouteConfig | null,
): Issue[] {
  return routes.flatMap((route, index) => {
    const here = [...path, index];
    // What a route takes over from the one around it is reported there.
    const own = route.group?.by === context?.group?.by ? [] : (route.group?.by ?? []);
    return [
      ...unknownNamesInMatch(route.match, names, [...here, "match"]),
      ...unknownGroupNames(own, ["rule", "query", "severity"], names, [...here, "groupBy"]),
      ...inRoutes(route.routes, names, [...here, "routes"], route),
    ];
  });
}

function unknownGroupNames(by: readonly string[], more: readonly string[], names: AlertNames, path: Path) {
  const known = [...new Set([...more, ...names.labels])];
  return by.flatMap((label, index): Issue[] =>
    known.includes(label)
      ? []
      : [unknownName([...path, index], `no rule gives a label "${label}"`, label, known)],
  );
}

/** Locates issues in `earshot.yaml` that were found later, together with the rules. */
async function locateIssues(file: string, issues: readonly Issue[]): Promise<readonly Fault[]> {
  if (issues.length === 0) return [];
  const yaml = readYaml(file, await readFile(file, "utf8"));
  return issues.map(yaml.locate).sort(byPlace);
}
