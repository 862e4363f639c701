import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../log.ts";
import { ALL_PROJECTS } from "../model/digest-edition.ts";
import type { Stores } from "../store/stores.ts";
import type { RuleNotes } from "./guard-rules.ts";

/** Says once of each rule what it breaks on, in the log and beside what else was set aside; and what it learns anew. */
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
      const reason = `it broke and counted as not met: ${fault.slice(0, 200)}`;
      parts.log.error({ rule, reason }, "a rule broke");
      const one = {
        projectId: ALL_PROJECTS,
        queryId: "",
        kind: "job",
        scope: `rule ${rule}`,
        tries: 1,
      } as const;
      parts.stores.deadLetters
        .add({ ...one, reason, body: null }, parts.clock.now())
        // It stands in the log; the next process tells it again.
        .catch(() => {});
    },
    onUnreadable: (rule) => {
      if (unread.has(rule)) return;
      unread.add(rule);
      parts.log.warn(
        { rule },
        "what a rule had learned was stored by a later Earshot, or is damaged; it learns anew from the counts",
      );
    },
  };
}
