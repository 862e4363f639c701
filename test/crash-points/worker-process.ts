import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Addressed, Order, Report } from "./orders.ts";

/** A worker, from the side that sends its orders. */
export interface Worker {
  /** Runs an order, and waits until it is done. "died": the worker was killed meanwhile. Throws its error. */
  run(order: Order): Promise<"done" | "died">;
  /**
   * Call it when nothing that the worker says is heard any more: from now on it counts as dead. Its process is killed
   * once no worker in it acts any more and it gets no others.
   */
  kill(): void;
  /** Pauses its process (SIGSTOP) until `resume`. */
  pause(): void;
  resume(): void;
  /** False from `kill` on. */
  isAlive(): boolean;
  /** Resolves when the process is gone. */
  readonly gone: Promise<unknown>;
  /** The worker is needed no more. Without `isWell` nor is its process. Resolves when it can do nothing any more. */
  release(isWell: boolean): Promise<void>;
}

/** A process of one or several workers. */
export interface WorkerProcess {
  /** Another worker in it. */
  open(): Worker;
  /** All workers that it ever had, and those that are not released. */
  readonly opened: number;
  readonly inUse: number;
  /** False once it was killed, or one of its workers was in trouble. */
  isUsable(): boolean;
  /** Gets no more workers: it ends with its last one. */
  retire(): void;
  end(): void;
  /** Stores its compiled code for later processes. */
  saveCompiled(): void;
  readonly gone: Promise<unknown>;
}

/** Starts a process that has loaded all its code when this resolves. */
export async function startWorkerProcess(file: string, execArgv: readonly string[]): Promise<WorkerProcess> {
  const child: ChildProcess = fork(file, [], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    execArgv: [...execArgv],
  });
  const gone = once(child, "exit");
  let isGone = false;
  void gone.then(() => {
    isGone = true;
  });
  const isReady = await Promise.race([once(child, "message").then(() => true), gone.then(() => false)]);
  if (!isReady) throw new Error("a worker did not begin");
  const listeners = new Map<number, (report: Report) => void>();
  child.on("message", (report: Addressed<Report>) => listeners.get(report.worker)?.(report));
  /** Workers that can still act. */
  const acting = new Set<number>();
  let opened = 0;
  let inUse = 0;
  let isRetired = false;
  const endIfUnused = (): void => {
    if (isRetired && acting.size === 0) child.kill("SIGKILL");
  };

  const open = (): Worker => {
    const worker = ++opened;
    inUse += 1;
    acting.add(worker);
    let isKilled = false;
    return {
      run: async (order) => {
        if (isGone || isKilled) return "died";
        const answer = new Promise<Report | "died">((resolve) => {
          // It may fail because nothing answers it any more: then it is as good as dead.
          listeners.set(worker, (report) => {
            if (!(isKilled && "failed" in report)) resolve(report);
          });
          void gone.then(() => resolve("died"));
        });
        child.send({ worker, ...order } satisfies Addressed<Order>, () => {});
        const reply = await answer;
        listeners.delete(worker);
        if (reply === "died") return "died";
        if ("failed" in reply) throw new Error(`${order.do}: ${reply.failed}`);
        return "done";
      },
      kill: () => {
        isKilled = true;
        acting.delete(worker);
        endIfUnused();
      },
      pause: () => void child.kill("SIGSTOP"),
      resume: () => void child.kill("SIGCONT"),
      isAlive: () => !isKilled && !isGone,
      gone,
      release: async (isWell) => {
        inUse -= 1;
        acting.delete(worker);
        if (!isWell) isRetired = true;
        endIfUnused();
        if (isKilled || !isWell) await gone;
      },
    };
  };
  return {
    open,
    get opened() {
      return opened;
    },
    get inUse() {
      return inUse;
    },
    isUsable: () => !isGone && !isRetired,
    retire: () => {
      isRetired = true;
      endIfUnused();
    },
    end: () => void child.kill("SIGKILL"),
    saveCompiled: () => void child.kill("SIGUSR2"),
    gone,
  };
}
