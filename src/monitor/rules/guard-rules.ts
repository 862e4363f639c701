import { describeError } from "../../lib/errors.ts";
import type { Rule, WindowRule } from "./rule.ts";

interface RuleNotes {
  /** A rule threw an error. */
  onFault(rule: string, reason: string): void;
  /** The stored state of a rule cannot be read, so it learns again. */
  onUnreadable(rule: string): void;
}

/**
 * Wraps rules so that one that throws counts as not met: a fault in one rule must not stop the others from judging its
 * query, nor a mention from being stored.
 */
export function guardRules(rules: readonly Rule[], notes: RuleNotes): readonly Rule[] {
  return rules.map((rule) => {
    const guarded = { ...rule, judge: guardJudge(rule, notes) };
    return guarded.kind === "window" ? { ...guarded, window: guardWindow(guarded, notes) } : guarded;
  });
}

function guardJudge(rule: Rule, { onFault }: RuleNotes): Rule["judge"] {
  return (mention) => {
    try {
      return rule.judge(mention);
    } catch (error) {
      onFault(rule.name, describeError(error));
      return { met: false };
    }
  };
}

function guardWindow(
  { name, window }: WindowRule,
  { onFault, onUnreadable }: RuleNotes,
): WindowRule["window"] {
  return {
    ...window,
    series: window.series.map((series) => ({
      ...series,
      counts: (mention) => {
        try {
          return series.counts(mention);
        } catch (error) {
          onFault(name, describeError(error));
          return false;
        }
      },
    })),
    canRead: (state) => {
      const isReadable = window.canRead?.(state) !== false;
      if (!isReadable) onUnreadable(name);
      return isReadable;
    },
    step: (state, tick) => {
      try {
        return window.step(state, tick);
      } catch (error) {
        onFault(name, describeError(error));
        const { bucket, bucketMs } = tick;
        const verdict = {
          met: false,
          because: "the rule failed",
          windowFrom: bucket,
          windowTo: bucket + bucketMs,
          observed: 0,
          arrived: 0,
          values: {},
        };
        // Keeps the earlier state: an error on this bucket may not occur on the next.
        return { state, verdict };
      }
    },
  };
}
