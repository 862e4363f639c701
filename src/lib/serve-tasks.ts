import { readlinkSync } from "node:fs";
import { parentPort } from "node:worker_threads";

/**
 * The tasks of a thread, by name. Each is a function that loads what the task needs and gives the task: what one task
 * needs is not loaded for another, and loading does not count against the time of the task.
 */
export type Tasks = Readonly<Record<string, () => Promise<(input: never) => unknown>>>;

/** What the pool sends to a thread. */
export interface ThreadTask {
  readonly name: string;
  readonly input: unknown;
}

/** What a thread sends to the pool. */
export type ThreadMessage =
  /** Linux only: where the system counts the processor time of this thread. */
  | { readonly state: "started"; readonly nativeId: string | null }
  | { readonly state: "began" }
  | { readonly state: "done"; readonly result: unknown }
  | { readonly state: "failed"; readonly message: string };

/** Runs the tasks of `createWorkerPool` in this thread, one after the other. For the entry file of a thread only. */
export function serveTasks(tasks: Tasks): void {
  const send = (message: ThreadMessage): void => parentPort?.postMessage(message);
  parentPort?.on("message", ({ name, input }: ThreadTask) => {
    const run = async (): Promise<void> => {
      try {
        const task = await tasks[name]?.();
        if (task === undefined) throw new Error(`there is no task "${name}"`);
        send({ state: "began" });
        send({ state: "done", result: await task(input as never) });
      } catch (error) {
        send({ state: "failed", message: String(error instanceof Error ? error.message : error) });
      }
    };
    void run();
  });
  send({ state: "started", nativeId: nativeThreadId() });
}

/** `1234/task/1240` → `1240`. */
function nativeThreadId(): string | null {
  try {
    return /(\d+)$/.exec(readlinkSync("/proc/thread-self"))?.[1] ?? null;
  } catch {
    return null;
  }
}
