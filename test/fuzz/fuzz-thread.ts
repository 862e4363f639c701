import { readFileSync } from "node:fs";
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
  const before = processorMs();
  try {
    await read?.(input);
  } catch (error) {
    if (refuses?.(error) !== true)
      return {
        ms: processorMs() - before,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      };
  }
  return { ms: processorMs() - before, error: null };
}

/**
 * Of this thread alone, where the system says it (Linux, in nanoseconds): a busy machine makes nothing look slow, nor do
 * the helpers of the engine that collect garbage and compile. Elsewhere of the process, whose other thread waits.
 */
function processorMs(): number {
  try {
    const [ran] = readFileSync("/proc/thread-self/schedstat", "latin1").split(" ", 1);
    if (Number(ran) > 0) return Number(ran) / 1_000_000;
  } catch {
    // Not there.
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const tasks = { run: async () => run };
export type FuzzTasks = typeof tasks;

serveTasks(tasks);
