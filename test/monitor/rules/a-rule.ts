import { describeFault } from "../../../src/lib/errors.ts";
import { parseRule } from "../../../src/monitor/rules/parse-rule.ts";
import type { Rule, WindowRule } from "../../../src/monitor/rules/rule.ts";

/** A rule from the lines of a file that a test needs. */
export function aRule(lines: string, name = "a-rule", severity = "info"): Rule {
  const read = parseRule(name, `${name}.yaml`, `description: d\nseverity: ${severity}\n${lines}\n`);
  if ("rule" in read) return read.rule;
  throw new Error(read.faults.map(describeFault).join("\n"));
}

export function aWindowRule(lines: string): WindowRule {
  const rule = aRule(lines);
  if (rule.kind !== "window") throw new Error("the rule does not count anything");
  return rule;
}
