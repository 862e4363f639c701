import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { ALL_PROJECTS } from "../model/digest.ts";
import type { Rule, WindowRule } from "../rules/rule.ts";
import type { Stores } from "../store/stores.ts";

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

/** Reports once for each rule what it fails on, in the log and as a dead letter; and when its state is lost. */
export function createRuleNotes(parts: {
  readonly stores: Pick<Stores, "deadLetters">;
  readonly clock: Clock;
  readonly log: Logger;
}): RuleNotes {
  const broken = new Set<string>();
  const unread = new Set<string>();
  return {
    onFault: (rule, fault) => {
      if (broken.has(rule)) return;
      broken.add(rule);
      const reason = `it failed and counted as not met: ${fault.slice(0, 200)}`;
      parts.log.error({ rule, reason }, "a rule failed");
      const one = {
        projectId: ALL_PROJECTS,
        queryId: "",
        kind: "job",
        scope: `rule ${rule}`,
        tries: 1,
      } as const;
      parts.stores.deadLetters
        .add({ ...one, reason, body: null }, parts.clock.now())
        // It is in the log; the next process reports it again.
        .catch(() => {});
    },
    onUnreadable: (rule) => {
      if (unread.has(rule)) return;
      unread.add(rule);
      parts.log.warn(
        { rule },
        "the state of a rule was stored by a later Earshot, or is damaged; the rule learns again from the counts",
      );
    },
  };
}
