import type { Fault, Issue } from "../lib/errors.ts";
import { byPlace, readYaml } from "../lib/read-yaml.ts";
import { compileRule } from "./compile-rule.ts";
import { isCostlyPattern } from "./conditions/pattern.ts";
import type { Rule } from "./rule.ts";

/** Reads the text of one rule file. Returns a rule, with warnings about slow parts, or faults; never throws. */
export function parseRule(
  name: string,
  file: string,
  text: string,
): { readonly rule: Rule; readonly warnings: readonly Fault[] } | { readonly faults: readonly Fault[] } {
  const yaml = readYaml(file, text);
  if (yaml.faults.length > 0) return { faults: yaml.faults };
  const faults: Fault[] = [];
  const rule = compileRule(name, yaml.content, (issue) => {
    faults.push(yaml.locate(issue));
  });
  if (rule !== undefined && faults.length === 0)
    return { rule, warnings: costlyPatterns(yaml.content, []).map(yaml.locate) };
  return { faults: faults.sort(byPlace) };
}

/** Also finds nested conditions. */
function costlyPatterns(value: unknown, path: readonly (string | number)[]): Issue[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    const at = [...path, key];
    if (key !== "pattern" || !isCostlyPattern(one)) return costlyPatterns(one, at);
    const message = "this pattern is slow: a long text can take a tenth of a second; lower its counts {n,m}";
    return [{ path: at, message }];
  });
}
