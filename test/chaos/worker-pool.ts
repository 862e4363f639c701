import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { WORKER_ROLES } from "./plan-kills.ts";
import { until } from "./until.ts";

export interface WorkerPool {
  /** Kills the worker of this slot as soon as it is running; another one replaces it. False: none started. */
  kill(slot: number): Promise<boolean>;
  /** Workers that ended before they ran, without being killed: they start while the database is away, and give up. */
  ended(): number;
  /** Workers that ended by themselves while they ran: role, and how. */
  crashed(): readonly string[];
  /** The newest warnings and errors that they logged. */
  lastLines(): string;
  /** Stops all workers. Returns those that did not stop cleanly. */
  stop(): Promise<string[]>;
}

/** The workers as processes of their own. A worker that ends is restarted, as under any supervisor. */
export function startWorkers(
  entry: string,
  env: NodeJS.ProcessEnv,
  roles: readonly string[] = WORKER_ROLES,
): WorkerPool {
  const slots: (ChildProcess | null)[] = [];
  const running = new WeakSet<ChildProcess>();
  const killed = new WeakSet<ChildProcess>();
  const lines: string[] = [];
  let isOver = false;
  let ended = 0;
  const crashed: string[] = [];

  const start = (slot: number): void => {
    const worker = spawn(process.execPath, [entry, roles[slot] ?? "poll"], {
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    slots[slot] = worker;
    createInterface({ input: worker.stderr }).on("line", (line) => {
      if (line.includes("the worker is running")) running.add(worker);
      if (line.startsWith('{"level":30')) return;
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
    });
    worker.once("exit", async (code, signal) => {
      slots[slot] = null;
      if (isOver) return;
      if (!killed.has(worker) && running.has(worker))
        crashed.push(`${roles[slot]} ended by itself: ${code ?? signal}`);
      else if (!killed.has(worker)) ended += 1;
      await delay(PAUSE_MS);
      if (!isOver) start(slot);
    });
  };
  for (const slot of roles.keys()) start(slot);

  return {
    kill: async (slot) => {
      await until(60_000, () => {
        const worker = slots[slot];
        return worker !== null && worker !== undefined && running.has(worker);
      });
      const worker = slots[slot];
      if (worker === null || worker === undefined) return false;
      killed.add(worker);
      return worker.kill("SIGKILL");
    },
    ended: () => ended,
    crashed: () => crashed,
    lastLines: () => lines.join("\n"),
    stop: async () => {
      isOver = true;
      const outcomes = await Promise.all(
        slots.map((worker, slot) => worker && end(worker, roles[slot], running.has(worker))),
      );
      return outcomes.filter((outcome) => outcome !== null);
    },
  };
}

const KEPT_LINES = 100;

/** Between the end of a worker and the start of the next. */
const PAUSE_MS = 100;

/** Null: clean. A worker that is just starting does not handle signals yet and may simply end. */
async function end(worker: ChildProcess, role = "worker", isRunning: boolean): Promise<string | null> {
  const gone = once(worker, "exit");
  worker.kill("SIGTERM");
  const timeout = delay(30_000, "late" as const, { ref: false });
  if ((await Promise.race([gone, timeout])) === "late") {
    worker.kill("SIGKILL");
    await gone;
    return `${role}: did not end within 30 s`;
  }
  return worker.exitCode === 0 || !isRunning ? null : `${role}: ${worker.exitCode ?? worker.signalCode}`;
}
