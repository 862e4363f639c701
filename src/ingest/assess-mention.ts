import type { Mention } from "../model/mention.ts";
import type { MentionRule, Rule } from "../rules/rule.ts";
import type { Series } from "../rules/window-condition.ts";

/** What rules make of one mention by itself, without any stored fact. */
export interface AssessedMention {
  readonly mention: Mention;
  /** Keys of the series that count it. */
  readonly series: readonly string[];
  readonly met: readonly MetRule[];
}

export interface MetRule {
  readonly rule: MentionRule;
  readonly because: string;
}

/** Assesses mentions by these rules. Pure, so it may be done long before the mention is committed. */
export function createAssessor(rules: readonly Rule[]): (mention: Mention) => AssessedMention {
  const series = seriesOf(rules);
  const mentionRules = rules.filter((rule) => rule.kind === "mention");
  return (mention) => ({
    mention,
    series: series.filter((one) => one.counts(mention)).map((one) => one.key),
    met: mentionRules.flatMap((rule) => {
      const verdict = rule.judge(mention);
      return verdict.met ? [{ rule, because: verdict.because }] : [];
    }),
  });
}

/** What the window rules count, each once. */
export function seriesOf(rules: readonly Rule[]): readonly Series[] {
  const series = rules.flatMap((rule) => (rule.kind === "window" ? rule.window.series : []));
  return [...new Map(series.map((one) => [one.key, one])).values()];
}
