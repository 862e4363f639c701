import type { Fault } from "../lib/fault.ts";
import { byPlace, readYaml } from "../lib/read-yaml.ts";
import { compileRule } from "./compile-rule.ts";
import type { Rule } from "./rule.ts";

/** Reads the text of one rule file. Either a rule or faults; never throws, whatever the text. */
export function parseRule(
  name: string,
  file: string,
  text: string,
): { readonly rule: Rule } | { readonly faults: readonly Fault[] } {
  const yaml = readYaml(file, text);
  if (yaml.faults.length > 0) return { faults: yaml.faults };
  const faults: Fault[] = [];
  const rule = compileRule(name, yaml.content, (issue) => {
    faults.push(yaml.locate(issue));
  });
  if (rule !== undefined && faults.length === 0) return { rule };
  return { faults: faults.sort(byPlace) };
}
