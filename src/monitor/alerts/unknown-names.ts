import { closestWord } from "../../lib/closest-word.ts";
import { didYouMean, type Issue, UserError } from "../../lib/errors.ts";
import { fitsGlob } from "../../lib/patterns.ts";
import type { AlertMatch } from "../model/alert-match.ts";
import { OWN_QUERY } from "../model/query.ts";

/** What distinguishes alerts: the names of all rules, and of all labels that their alerts may have. */
export interface AlertNames {
  readonly rules: readonly string[];
  readonly labels: readonly string[];
}

/** Throws a UserError if a matcher names a rule or label that no alert can have. */
export function refuseUnknownNames(match: AlertMatch, names: AlertNames): void {
  const [issue] = unknownNamesInMatch(match, names, []);
  if (issue !== undefined) throw new UserError(`${issue.message}${didYouMean(issue.suggestion)}`);
}

/** Throws a UserError if a matcher names an unwatched query, without wildcards. Before the first poll none is known. */
export function refuseUnknownQueries(
  { query = [], not }: AlertMatch,
  watched: readonly { readonly queryId: string; readonly name: string }[],
): void {
  const names = [...watched.map(({ name }) => name), OWN_QUERY.name];
  if (watched.length === 0) return;
  for (const pattern of [...query, ...(not?.query ?? [])]) {
    if (/[*?]/.test(pattern) || watched.some(({ queryId }) => queryId === pattern)) continue;
    if (names.some((name) => fitsGlob(pattern, name))) continue;
    const meant = didYouMean(closestWord(pattern, names));
    throw new UserError(`no query "${pattern}" is watched${meant}`);
  }
}

type Path = readonly (string | number)[];

/** Names of rules and labels in a matcher, such as that of a silence, that no alert can have. */
export function unknownNamesInMatch({ not, ...match }: AlertMatch, names: AlertNames, path: Path): Issue[] {
  return [
    ...unknownRules(match.rule ?? [], names, [...path, "rule"]),
    ...Object.keys(match.labels ?? {}).flatMap((label) => unknownLabel(label, names, [...path, "labels"])),
    ...(not === undefined ? [] : unknownNamesInMatch(not, names, [...path, "not"])),
  ];
}

function unknownLabel(label: string, { labels }: AlertNames, path: Path): Issue[] {
  if (labels.includes(label)) return [];
  const at = { path: [...path, label], at: "key" } as const;
  if (RESERVED_LABELS.includes(label)) {
    return [{ ...at, message: `"${label}" is no label: write it next to "labels", not inside` }];
  }
  return [{ ...unknownName(at.path, `no rule gives a label "${label}"`, label, labels), at: "key" }];
}

const RESERVED_LABELS = ["severity", "rule", "fingerprint"];

/** A pattern may match future rules; a name without a wildcard is a rule's or a mistake. */
function unknownRules(patterns: readonly string[], { rules }: AlertNames, path: Path): Issue[] {
  return patterns.flatMap((pattern, index): Issue[] =>
    /[*?]/.test(pattern) || rules.some((rule) => fitsGlob(pattern, rule))
      ? []
      : [unknownName([...path, index], `there is no rule "${pattern}"`, pattern, rules)],
  );
}

export function unknownName(path: Path, message: string, word: string, known: readonly string[]): Issue {
  const suggestion = closestWord(word, known);
  if (suggestion !== undefined) return { path, message, suggestion };
  return { path, message: `${message} (there are ${[...known].sort().join(", ")})` };
}
