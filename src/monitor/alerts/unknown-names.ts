import { closestWord } from "../../lib/closest-word.ts";
import type { Issue } from "../../lib/errors.ts";
import { fitsGlob } from "../../lib/patterns.ts";
import type { AlertMatch } from "../model/alert-match.ts";
import type { EscalationConfig } from "../notify/decide/escalation.ts";
import type { Inhibition } from "../notify/decide/inhibition.ts";
import type { RouteConfig } from "../notify/decide/route.ts";

/** What can tell alerts apart: the names of all rules, and of all labels that their alerts may have. */
export interface AlertNames {
  readonly rules: readonly string[];
  readonly labels: readonly string[];
}

/** The parts of a configuration that match alerts. */
export interface SpeaksOfAlerts {
  readonly routes: readonly RouteConfig[];
  readonly inhibitions: readonly Inhibition[];
  readonly escalations: readonly EscalationConfig[];
}

type Path = readonly (string | number)[];

/**
 * Finds names of rules and labels that no alert can have. A misspelt name is no error to a program, it only never
 * matches: the route takes nothing, the group is one of everything, and nobody notices until an alert is missed.
 */
export function findUnknownNames(config: SpeaksOfAlerts, names: AlertNames): readonly Issue[] {
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

/** The same for one matcher, such as that of a silence. */
export function unknownNamesInMatch({ not, ...match }: AlertMatch, names: AlertNames, path: Path): Issue[] {
  return [
    ...unknownRules(match.rule ?? [], names, [...path, "rule"]),
    ...Object.keys(match.labels ?? {}).flatMap((label) => unknownLabel(label, names, [...path, "labels"])),
    ...(not === undefined ? [] : unknownNamesInMatch(not, names, [...path, "not"])),
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
      : [unknown([...path, index], `no rule gives a label "${label}"`, label, known)],
  );
}

function unknownLabel(label: string, { labels }: AlertNames, path: Path): Issue[] {
  if (labels.includes(label)) return [];
  const at = { path: [...path, label], at: "key" } as const;
  if (RESERVED_LABELS.includes(label)) {
    return [{ ...at, message: `"${label}" is no label: write it next to "labels", not inside` }];
  }
  return [{ ...unknown(at.path, `no rule gives a label "${label}"`, label, labels), at: "key" }];
}

const RESERVED_LABELS = ["severity", "rule", "fingerprint"];

/** A pattern may match future rules; a name without a wildcard is a rule's or a mistake. */
function unknownRules(patterns: readonly string[], { rules }: AlertNames, path: Path): Issue[] {
  return patterns.flatMap((pattern, index): Issue[] =>
    /[*?]/.test(pattern) || rules.some((rule) => fitsGlob(pattern, rule))
      ? []
      : [unknown([...path, index], `there is no rule "${pattern}"`, pattern, rules)],
  );
}

function unknown(path: Path, message: string, word: string, known: readonly string[]): Issue {
  const suggestion = closestWord(word, known);
  if (suggestion !== undefined) return { path, message, suggestion };
  return { path, message: `${message} (there are ${[...known].sort().join(", ")})` };
}
