import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { CREW } from "./plan-strikes.ts";
import { until } from "./until.ts";

export interface Crew {
  /** Kills the worker at this place as soon as it is at work; another one follows it. False: none came to work. */
  kill(place: number): Promise<boolean>;
  /** Workers that ended without being killed: they begin while the database is away, and give up. */
  ended(): number;
  /** The newest warnings and errors that they logged. */
  lastWords(): string;
  /** Stops all of them, and returns those that did not stop cleanly. */
  dismiss(): Promise<string[]>;
}

/** The workers as processes of their own. A worker that ends is restarted, as under any supervisor. */
export function hireCrew(entry: string, env: NodeJS.ProcessEnv): Crew {
  const places: (ChildProcess | null)[] = [];
  const atWork = new WeakSet<ChildProcess>();
  const killed = new WeakSet<ChildProcess>();
  const words: string[] = [];
  let isOver = false;
  let ended = 0;

  const hire = (place: number): void => {
    const worker = spawn(process.execPath, [entry, CREW[place] ?? "poll"], {
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    places[place] = worker;
    createInterface({ input: worker.stderr }).on("line", (line) => {
      if (line.includes("the worker is running")) atWork.add(worker);
      if (line.startsWith('{"level":30')) return;
      words.push(line);
      if (words.length > LAST_WORDS) words.shift();
    });
    worker.once("exit", async () => {
      places[place] = null;
      if (isOver) return;
      if (!killed.has(worker)) ended += 1;
      await delay(PAUSE_MS);
      if (!isOver) hire(place);
    });
  };
  for (const place of CREW.keys()) hire(place);

  return {
    kill: async (place) => {
      await until(60_000, () => {
        const worker = places[place];
        return worker !== null && worker !== undefined && atWork.has(worker);
      });
      const worker = places[place];
      if (worker === null || worker === undefined) return false;
      killed.add(worker);
      return worker.kill("SIGKILL");
    },
    ended: () => ended,
    lastWords: () => words.join("\n"),
    dismiss: async () => {
      isOver = true;
      const outcomes = await Promise.all(
        places.map((worker, place) => worker && end(worker, CREW[place], atWork.has(worker))),
      );
      return outcomes.filter((outcome) => outcome !== null);
    },
  };
}

const LAST_WORDS = 100;

/** Between the end of a worker and the start of the next. */
const PAUSE_MS = 100;

/** Null: clean. A worker that is just starting does not handle signals yet and may simply end. */
async function end(worker: ChildProcess, role = "worker", isAtWork: boolean): Promise<string | null> {
  const gone = once(worker, "exit");
  worker.kill("SIGTERM");
  const patience = delay(30_000, "late" as const, { ref: false });
  if ((await Promise.race([gone, patience])) === "late") {
    worker.kill("SIGKILL");
    await gone;
    return `${role}: did not end within 30 s`;
  }
  return worker.exitCode === 0 || !isAtWork ? null : `${role}: ${worker.exitCode ?? worker.signalCode}`;
}
