import { serveTasks } from "../../src/lib/serve-tasks.ts";
import { TARGETS } from "./targets.ts";

export interface FuzzInput {
  readonly target: string;
  readonly bytes: Uint8Array;
  /** The least time of so many runs counts. */
  readonly times: number;
}

/** Its processor time, and the error that is none of its own. */
export interface FuzzResult {
  readonly ms: number;
  readonly error: string | null;
}

async function run({ target, bytes, times }: FuzzInput): Promise<FuzzResult> {
  const { run: read, refuses } = TARGETS[target] ?? {};
  let ms = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time++) {
    // Processor time of the process, whose other thread waits: a busy machine makes nothing look slow.
    const before = process.cpuUsage();
    try {
      await read?.(Buffer.from(bytes));
    } catch (error) {
      if (refuses?.(error) !== true)
        return { ms, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    const { user, system } = process.cpuUsage(before);
    ms = Math.min(ms, (user + system) / 1_000);
  }
  return { ms, error: null };
}

const tasks = { run: async () => run };
export type FuzzTasks = typeof tasks;

serveTasks(tasks);
