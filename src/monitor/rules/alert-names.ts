import { OPERATOR_LABELS, OPERATOR_RULES } from "../model/operator-rules.ts";
import { GROUP_KEYS } from "./group-key.ts";
import type { Rule } from "./rule.ts";

/** The group keys and labels of alerts: those of these rules, and those of Earshot about itself. */
export function alertNames(rules: readonly Rule[]) {
  const extra = rules.flatMap((rule) => Object.keys(rule.extraLabels));
  return {
    rules: [...rules.map((rule) => rule.name), ...Object.keys(OPERATOR_RULES)],
    labels: [...new Set([...GROUP_KEYS, ...extra, ...OPERATOR_LABELS])],
  };
}
