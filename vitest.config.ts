import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";
import { leftOut, projectsOf } from "./test/projects.ts";

/** Where `.ci/run` wants its report. */
const report = process.env["EARSHOT_TEST_REPORT"];

/** Both engines for every story, and as many runs of a property as it names. */
const isThorough = process.env["EARSHOT_TESTS"] === "all";

const { projects: files, parts } = projectsOf(import.meta.dirname);

/** `.ci/run` sets it; `npm run test:all` plays everything. */
const left = leftOut(process.env["EARSHOT_SHARE_SEED"]);

const project = (name: string, include: readonly string[]) => ({
  test: {
    name,
    include: include.filter((file) => !left.includes(file)),
    setupFiles: [join(import.meta.dirname, "test/runs.ts")],
    globalSetup: name === "unit" ? [] : [join(import.meta.dirname, "test/global-setup.ts")],
    provide: { isThorough },
    // One process runs many files, and loads what they share once: no module of ours keeps anything to itself.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});

export const projects = Object.entries(files).map(([name, include]) => project(name, include));

/** `--project monitor` runs what `npm test` runs of one room. Without such a name no file is in two projects. */
const named = Object.entries(parts)
  .filter(([name]) => process.argv.includes(name) || process.argv.includes(`--project=${name}`))
  .map(([name, include]) => project(name, include));

export default defineConfig({
  test: {
    projects: [...projects, ...named],
    // One more than the processors of a small machine: flows wait for timers, processes and PostgreSQL, and others run.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Transformed sources are kept between runs and shared by the projects: a third of the time of a small run.
    experimental: { fsModuleCache: true },
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] }),
  },
});
