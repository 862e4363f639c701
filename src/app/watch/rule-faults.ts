import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../log.ts";
import { ALL_PROJECTS } from "../../model/digest-edition.ts";
import type { Stores } from "../../store/stores.ts";
import type { OnRuleFault } from "./guard-rules.ts";

/** Says once of each rule what it breaks on, in the log and beside what else was set aside. */
export function createRuleFaults(parts: {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly log: Logger;
}): OnRuleFault {
  const told = new Set<string>();
  return (rule, fault) => {
    if (told.has(rule)) return;
    told.add(rule);
    const reason = `it broke and counted as not met: ${fault.slice(0, 200)}`;
    parts.log.error({ rule, reason }, "a rule broke");
    const one = {
      projectId: ALL_PROJECTS,
      queryId: "",
      kind: "job",
      scope: `rule ${rule}`,
      tries: 1,
    } as const;
    parts.stores.setAside
      .add({ ...one, reason, body: null }, parts.clock.now())
      // It stands in the log; the next process tells it again.
      .catch(() => {});
  };
}
