import type { LoopDelay } from "../../../lib/loop-delay.ts";
import { isLoopLate, type RunningProcess } from "../../model/process.ts";

export type LoopVerdict =
  | { readonly outcome: "InTime" }
  | { readonly outcome: "Late"; readonly loop: LoopDelay; readonly because: string };

/** Whether a process answers in time, by its last minute. */
export function checkLoop({
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
