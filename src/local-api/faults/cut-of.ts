import type { CallFaults, HappeningFault } from "./call-faults.ts";

/** How the body of an answer is cut, if it is: one answer is cut in one way, and the other waits for the next. */
export function cutOf(call: CallFaults): Promise<HappeningFault | undefined> {
  return call.take("truncated", "hang-up");
}
