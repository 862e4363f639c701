import { MINUTE } from "../../../lib/instant.ts";
import type { LoopDelay } from "../../../lib/loop-delay.ts";
import type { HealthProblem } from "../../model/operator-rules.ts";
import { isLoopLate, type RunningProcess } from "../../model/process.ts";
import type { HealthCheck } from "../define-check.ts";

type LoopVerdict =
  | { readonly outcome: "InTime" }
  | { readonly outcome: "Late"; readonly loop: LoopDelay; readonly because: string };

/** Whether a process answers in time, by its last minute. */
function checkLoop({
  host,
  pid,
  roles,
  loop,
}: Pick<RunningProcess, "host" | "pid" | "roles" | "loop">): LoopVerdict {
  if (!isLoopLate(loop)) return { outcome: "InTime" };
  const { meanMs, maxMs } = loop;
  return {
    outcome: "Late",
    loop,
    because: `the loop of process ${pid} on ${host} (${roles.join(", ")}) is late: ${Math.round(meanMs)} ms on average in the last minute, ${Math.round(maxMs)} ms at most. Its work goes on, but late. The machine has too little processor time, or too much is asked of this process: give it more, or run its roles in several processes`,
  };
}

/** Processes whose event loop is late. Each for itself: what one does badly is no fault of the others. */
export const loopCheck: HealthCheck = ({ versions, now }) =>
  versions.processes.flatMap((one): HealthProblem[] => {
    const verdict = checkLoop(one);
    if (verdict.outcome === "InTime") return [];
    const { loop, because } = verdict;
    const labels = { process: `${one.host} ${one.pid}` };
    const values = { meanMs: Math.round(loop.meanMs), maxMs: Math.round(loop.maxMs) };
    return [{ rule: "loop-late", labels, since: now - MINUTE, because, values }];
  });
