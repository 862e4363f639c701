import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Order, Report } from "./orders.ts";

/** A worker process, from the side that sends its orders. */
export interface WorkerProcess {
  /** Runs an order, and waits until it is done. "died": the worker was killed meanwhile. Throws its error. */
  run(order: Order): Promise<"done" | "died">;
  kill(): void;
  /** Pauses it (SIGSTOP) until `resume`. */
  pause(): void;
  resume(): void;
  /** Stores its compiled code for later workers. */
  saveCompiled(): void;
  isAlive(): boolean;
  /** Resolves when the process is gone. */
  readonly gone: Promise<unknown>;
}

/** Starts a worker that has loaded all its code when it returns. */
export async function startWorkerProcess(file: string): Promise<WorkerProcess> {
  const child: ChildProcess = fork(file, [], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // There are many, and each lives for seconds: optimising their code would not pay.
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
    run: async (order) => {
      if (!isAlive) return "died";
      const answer = report();
      child.send(order, () => {});
      const reply = await answer;
      if (reply === "died") return "died";
      if ("failed" in reply) throw new Error(`${order.do}: ${reply.failed}`);
      return "done";
    },
    kill: () => void child.kill("SIGKILL"),
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    saveCompiled: () => void child.kill("SIGUSR2"),
    isAlive: () => isAlive,
    gone,
  };
}
