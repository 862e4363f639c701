import { closestWord } from "../../lib/closest-word.ts";
import { didYouMean, type Fault, UserError } from "../../lib/errors.ts";
import { fitsGlob } from "../../lib/patterns.ts";
import {
  type AlertNames,
  findUnknownNames,
  unknownNamesInMatch,
} from "../../monitor/alerts/unknown-names.ts";
import { locateIssues } from "../../monitor/config/locate-issues.ts";
import type { AlertMatch } from "../../monitor/model/alert-match.ts";
import { OPERATOR_LABELS, OPERATOR_RULES } from "../../monitor/model/operator-rules.ts";
import { OWN_QUERY } from "../../monitor/model/query.ts";
import { findDeadConfiguration, type RuleAlerts } from "../../monitor/notify/dead-configuration.ts";
import { GROUP_KEYS } from "../../monitor/rules/group-key.ts";
import type { Rule } from "../../monitor/rules/rule.ts";
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

/** Throws a UserError if a matcher names a rule or label that no alert of these rules can have. */
export function refuseUnknownNames(match: AlertMatch, rules: readonly Rule[]): void {
  const [issue] = unknownNamesInMatch(match, alertNames(rules), []);
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

/** The group keys and labels of alerts: those of these rules, and those of Earshot about itself. */
function alertNames(rules: readonly Rule[]): AlertNames {
  const extra = rules.flatMap((rule) => Object.keys(rule.extraLabels));
  return {
    rules: [...rules.map((rule) => rule.name), ...Object.keys(OPERATOR_RULES)],
    labels: [...new Set([...GROUP_KEYS, ...extra, ...OPERATOR_LABELS])],
  };
}
