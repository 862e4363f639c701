import { readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createVitest, type TestSpecification, type Vitest } from "vitest/node";
import type { MutatedFile } from "./find-mutants.ts";
import { writeSwitches } from "./write-switches.ts";

/** What the process that runs tests has to know. */
export interface Plan {
  /** Those that are tried. */
  readonly mutants: readonly number[];
  /** The one that is active from the beginning of the process; null: each in turn, test by test. */
  readonly cold: number | null;
  readonly mostAsked: number;
  /** The file that it writes to. */
  readonly journal: string;
}

/** A line of what it writes. `Outside`: before a test. `NotTwice`: it fails when it is repeated, so what it tries says nothing. */
export type Journal =
  | { readonly kind: "Process"; readonly pid: number }
  | { readonly kind: "Outside" | "Reached"; readonly ids: readonly number[]; readonly test: string }
  /** `Invalid`: PostgreSQL cannot read it. */
  | { readonly kind: "Tries" | "Killed" | "Invalid"; readonly id: number; readonly test: string }
  | { readonly kind: "NotTwice"; readonly test: string }
  | { readonly kind: "Ends" };

export interface Player {
  /** Tries all in one process. */
  playWarm(mutants: readonly number[], tests: readonly string[]): Promise<Journal[]>;
  /** Starts with one of them; the test file that failed, or null. */
  playCold(mutant: number, tests: readonly string[]): Promise<string | null>;
  close(): Promise<void>;
}

/** Nothing that a test does takes so long. */
const HANGS_AFTER_MS = 60_000;

/** Vitest over the mutated files, one process at a time. `folder` keeps what it exchanges with that process. */
export async function openPlayer(
  root: string,
  files: readonly MutatedFile[],
  folder: string,
  usesDatabase = false,
): Promise<Player> {
  const planFile = join(folder, "plan.json");
  const journal = join(folder, "journal.jsonl");
  process.env["EARSHOT_MUTANTS"] = planFile;
  const written = new Map(
    files.map(({ file, source, mutants }) => [join(root, file), writeSwitches(source, mutants)]),
  );
  const vitest = await createVitest(
    "test",
    {
      root,
      config: false,
      watch: false,
      reporters: [{}],
      include: ["test/**/*.test.ts"],
      setupFiles: [join(import.meta.dirname, "..", "runs.ts")],
      globalSetup: usesDatabase ? [join(import.meta.dirname, "..", "global-setup.ts")] : [],
      provide: { isThorough: false },
      runner: join(import.meta.dirname, "vitest-runner.ts"),
      pool: "forks",
      isolate: false,
      maxWorkers: 1,
      fileParallelism: false,
      sequence: { sequencer: InOrder },
      testTimeout: 20_000,
      dangerouslyIgnoreUnhandledErrors: true,
    },
    {
      plugins: [
        {
          name: "mutants",
          enforce: "pre",
          load: (id) => written.get(id.split("?", 1)[0] ?? ""),
        },
      ],
    },
  );
  await vitest.standalone();
  const run = async (plan: Omit<Plan, "journal">, tests: readonly string[], bail: number) => {
    writeFileSync(planFile, JSON.stringify({ ...plan, journal } satisfies Plan));
    writeFileSync(journal, "");
    vitest.config.bail = bail;
    const watch = watchOver(journal);
    try {
      return await vitest.runTestSpecifications(specificationsOf(vitest, root, tests));
    } finally {
      watch.end();
    }
  };
  const read = () =>
    readFileSync(journal, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Journal);
  return {
    playWarm: async (mutants, tests) => {
      const lines: Journal[] = [];
      let [left, begun] = [mutants, tests];
      for (;;) {
        await run({ mutants: left, cold: null, mostAsked: 0 }, begun, 0);
        const now = read();
        lines.push(...now);
        const last = now.at(-1);
        if (last?.kind !== "Tries") return lines;
        // The process did not outlive it. Others go on where it stood.
        lines.push({ kind: "Killed", id: last.id, test: last.test });
        const dead = new Set(lines.flatMap((line) => (line.kind === "Killed" ? [line.id] : [])));
        left = left.filter((id) => !dead.has(id));
        begun = begun.slice(begun.findIndex((file) => last.test.startsWith(file)));
      }
    },
    playCold: async (mutant, tests) => {
      const result = await run({ mutants: [], cold: mutant, mostAsked: 50_000_000 }, tests, 1);
      const failed = result.testModules.find((module) => !module.ok());
      if (failed !== undefined) return failed.relativeModuleId;
      return result.unhandledErrors.length > 0 ? "the process ended" : null;
    },
    close: async () => {
      await vitest.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** As they are given: the nearest first. */
class InOrder {
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
  sort(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}

function specificationsOf(vitest: Vitest, root: string, tests: readonly string[]): TestSpecification[] {
  const [project] = vitest.projects;
  if (project === undefined) throw new Error("vitest has no project");
  return tests.map((file) => project.createSpecification(join(root, file)));
}

/** Ends a process that writes nothing any more while it tries a mutant: a loop that asks nothing cannot be interrupted. */
function watchOver(journal: string): { end(): void } {
  let [before, since] = ["", Date.now()];
  const timer = setInterval(() => {
    const now = readFileSync(journal, "utf8");
    if (now !== before) [before, since] = [now, Date.now()];
    else if (Date.now() - since > HANGS_AFTER_MS) {
      const [first = ""] = now.split("\n");
      const line = first === "" ? null : (JSON.parse(first) as Journal);
      // Without a line the process has not begun: it waits for what all tests need.
      if (line?.kind === "Process") process.kill(line.pid, "SIGKILL");
      since = Date.now();
    }
  }, 5_000);
  return { end: () => clearInterval(timer) };
}
