import { monotonicMs } from "../../src/lib/clock.ts";
import { serveTasks } from "../../src/lib/serve-tasks.ts";
import { TARGETS } from "./targets.ts";

export interface FuzzInput {
  readonly target: string;
  readonly bytes: Uint8Array;
}

/** Its processor time, and the error that is none of its own. */
export interface FuzzResult {
  readonly ms: number;
  readonly error: string | null;
}

async function run({ target, bytes }: FuzzInput): Promise<FuzzResult> {
  const { run: read, refuses } = TARGETS[target] ?? {};
  const input = Buffer.from(bytes);
  const taken = timer();
  try {
    await read?.(input);
  } catch (error) {
    if (refuses?.(error) !== true)
      return {
        ms: taken(),
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      };
  }
  return { ms: taken(), error: null };
}

/**
 * Time that this thread worked at most: not more than the process did, whatever else the machine does, and not more than
 * the clock went, whatever the engine's helpers do that collect garbage and compile. Both are exact; the system's count
 * of one thread goes in steps.
 */
function timer(): () => number {
  const [clock, used] = [monotonicMs(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(used);
    return Math.min(monotonicMs() - clock, (user + system) / 1_000);
  };
}

const tasks = { run: async () => run };
export type FuzzTasks = typeof tasks;

serveTasks(tasks);
