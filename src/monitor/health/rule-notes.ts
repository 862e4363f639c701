import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { ALL_PROJECTS } from "../model/digest.ts";
import type { Stores } from "../store/stores.ts";

/** Reports once for each rule what it fails on, in the log and as a dead letter; and when its state is lost. */
export function createRuleNotes(parts: {
  readonly stores: Pick<Stores, "deadLetters">;
  readonly clock: Clock;
  readonly log: Logger;
}) {
  const broken = new Set<string>();
  const unread = new Set<string>();
  return {
    onFault: (rule: string, fault: string): void => {
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
    onUnreadable: (rule: string): void => {
      if (unread.has(rule)) return;
      unread.add(rule);
      parts.log.warn(
        { rule },
        "the state of a rule was stored by a later Earshot, or is damaged; the rule learns again from the counts",
      );
    },
  };
}
