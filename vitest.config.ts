import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { projectsOf, ROOMS } from "./test/projects.ts";

/** Where `.ci/run` wants its report. */
const report = process.env["EARSHOT_TEST_REPORT"];

/** Both engines for every story, and as many runs of a property as it names. */
const isThorough = process.env["EARSHOT_TESTS"] === "all";

const files = projectsOf(import.meta.dirname);

const project = (name: string) => ({
  test: {
    name,
    include: [...(files[name] ?? [])],
    setupFiles: [join(import.meta.dirname, "test/runs.ts")],
    globalSetup: name === "unit" ? [] : [join(import.meta.dirname, "test/global-setup.ts")],
    provide: { isThorough },
    // One process runs many files, and loads what they share once: no module of ours keeps anything to itself.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});

export const projects = ["unit", "db", "stories", "thorough"].map(project);

/** `--project monitor` runs what `npm test` runs of one room. Without such a name no file is in two projects. */
const rooms = ROOMS.filter(
  (room) => process.argv.includes(room) || process.argv.includes(`--project=${room}`),
);

export default defineConfig({
  test: {
    projects: [...projects, ...rooms.map(project)],
    // One more than the processors of a small machine: flows wait for timers, processes and PostgreSQL, and others run.
    maxWorkers: 3,
    // Transformed sources are kept between runs and shared by the projects: a third of the time of a small run.
    experimental: { fsModuleCache: true },
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] }),
  },
});
