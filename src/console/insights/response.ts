import type { AnsweredAlert } from "#monitor";
import { groupBy } from "../../lib/group-by.ts";

/** How alerts were answered. */
export interface Answers {
  readonly fired: number;
  /** On which somebody acted. */
  readonly answered: number;
  /** From firing to the first action, of the answered ones; null: none. */
  readonly medianMs: number | null;
  readonly slowest: AnsweredAlert | null;
  /** Those that people called worth it, or acted on, and those that they called not relevant. */
  readonly relevant: number;
  readonly notRelevant: number;
  readonly messages: number;
}

export interface RuleAnswers extends Answers {
  readonly rule: string;
}

export function buildAnswers(alerts: readonly AnsweredAlert[]): Answers {
  const answered = alerts
    .filter(({ answeredAt }) => answeredAt !== null)
    .toSorted((a, b) => answerMs(a) - answerMs(b));
  const [low, high] = [answered[(answered.length - 1) >> 1], answered[answered.length >> 1]];
  return {
    fired: alerts.length,
    answered: answered.length,
    medianMs: low === undefined || high === undefined ? null : (answerMs(low) + answerMs(high)) / 2,
    slowest: answered.at(-1) ?? null,
    relevant: alerts.filter(({ relevant }) => relevant === true).length,
    notRelevant: alerts.filter(({ relevant }) => relevant === false).length,
    messages: alerts.reduce((sum, { messages }) => sum + messages, 0),
  };
}

/** The rule that fired most first. */
export function buildRuleAnswers(alerts: readonly AnsweredAlert[]): RuleAnswers[] {
  return [...groupBy(alerts, ({ rule }) => rule)]
    .map(([rule, own]) => ({ rule, ...buildAnswers(own) }))
    .sort((a, b) => b.fired - a.fired || a.rule.localeCompare(b.rule, "en"));
}

/** Only of one that was answered. */
export function answerMs({ firedAt, answeredAt }: AnsweredAlert): number {
  return (answeredAt ?? firedAt) - firedAt;
}
