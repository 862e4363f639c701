import type { Fault, Issue } from "../../lib/errors.ts";
import { formatNumber } from "../../lib/numbers.ts";
import { byPlace, readYaml } from "../../lib/read-yaml.ts";
import { compileRule } from "./compile-rule.ts";
import { statesOf } from "./conditions/pattern.ts";
import type { Rule } from "./rule.ts";

interface ParsedRule {
  readonly rule: Rule;
  /** What the file contains. */
  readonly content: unknown;
  /** About slow parts. */
  readonly warnings: readonly Fault[];
  /** Of all patterns together. */
  readonly states: number;
}

/** A pattern with more can block the monitor for some tenths of a second. */
const COSTLY_STATES = 500;
/** Of all patterns of a rule. */
const MOST_STATES = 10_000;

/** Reads the text of one rule file. Returns a rule, or its faults; never throws. */
export function parseRule(
  name: string,
  file: string,
  text: string,
): ParsedRule | { readonly faults: readonly Fault[] } {
  const yaml = readYaml(file, text);
  if (yaml.faults.length > 0) return { faults: yaml.faults };
  const issues: Issue[] = [];
  const rule = compileRule(name, yaml.content, (issue) => issues.push(issue));
  const patterns = rule === undefined ? [] : patternsIn(yaml.content, []);
  const states = patterns.reduce((sum, one) => sum + one.states, 0);
  if (states > MOST_STATES) issues.push(tooManyStates(states, MOST_STATES));
  if (rule === undefined || issues.length > 0) return { faults: issues.map(yaml.locate).sort(byPlace) };
  const costly = patterns.filter((one) => one.states > COSTLY_STATES);
  const message =
    "this pattern is slow: a long text can take some tenths of a second; lower its counts {n,m}";
  return {
    rule,
    content: yaml.content,
    warnings: costly.map(({ path }) => yaml.locate({ path, message })),
    states,
  };
}

export function tooManyStates(states: number, most: number): Issue {
  const message = `the patterns of this rule have ${formatNumber(states)} states together, and ${formatNumber(most)} are allowed: lower their counts {n,m}`;
  return { path: ["when"], message };
}

interface PatternIn {
  readonly path: readonly (string | number)[];
  readonly states: number;
}

/** Also finds nested conditions. */
function patternsIn(value: unknown, path: PatternIn["path"]): readonly PatternIn[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    const at = [...path, key];
    const states = key === "pattern" ? statesOf(one) : null;
    return states === null ? patternsIn(one, at) : [{ path: at, states }];
  });
}
