import type { Severity } from "../../model/severity.ts";

/**
 * The cost of a minute of delay of one mention, by the most severe rule of its query. A query without rules counts for
 * digests only.
 */
const IMPORTANCE: Readonly<Record<Severity, number>> = { info: 1, warning: 3, critical: 10 };
const UNRULED = 0.5;

export function importanceOf(rules: readonly { readonly severity: Severity }[]): number {
  return Math.max(UNRULED, ...rules.map(({ severity }) => IMPORTANCE[severity]));
}

/** A query with a rule that may wake somebody. */
export function isCrisis(importance: number): boolean {
  return importance >= IMPORTANCE.critical;
}

/** A changed mention is worth less than a new one: most changes are updated counts. */
export const CHANGE_WORTH = 0.1;
