import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Order, Report } from "./orders.ts";

/** A worker process, from the side that sends its orders. */
export interface Hand {
  /** Does it, and waits until it is done. "died": it was killed meanwhile. Throws what went wrong in it. */
  obey(order: Order): Promise<"done" | "died">;
  kill(): void;
  /** Pauses it (SIGSTOP) until `goOn`. */
  holdStill(): void;
  goOn(): void;
  /** Stores its compiled code for later workers. */
  remember(): void;
  isAlive(): boolean;
  /** Resolves when the process is gone. */
  readonly gone: Promise<unknown>;
}

/** Starts a worker that has loaded everything by the time it is needed. */
export async function hireHand(file: string): Promise<Hand> {
  const child: ChildProcess = fork(file, [], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // They live for seconds, many of them: what takes time to be fast later is not worth it.
    execArgv: ["--no-opt", "--sparkplug", "--single-threaded-gc", "--max-lazy", "--min-semi-space-size=32"],
  });
  const gone = once(child, "exit");
  let isAlive = true;
  void gone.then(() => {
    isAlive = false;
  });
  const report = (): Promise<Report | "died"> =>
    Promise.race([
      once(child, "message").then(([message]) => message as Report),
      gone.then(() => "died" as const),
    ]);
  if ((await report()) === "died") throw new Error("a worker did not begin");
  return {
    obey: async (order) => {
      if (!isAlive) return "died";
      const answer = report();
      child.send(order, () => {});
      const told = await answer;
      if (told === "died") return "died";
      if ("failed" in told) throw new Error(`${order.do}: ${told.failed}`);
      return "done";
    },
    kill: () => void child.kill("SIGKILL"),
    holdStill: () => void child.kill("SIGSTOP"),
    goOn: () => void child.kill("SIGCONT"),
    remember: () => void child.kill("SIGUSR2"),
    isAlive: () => isAlive,
    gone,
  };
}
