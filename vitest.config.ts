import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { type Project, projectsOf } from "./test/projects.ts";

/** Where `.ci/run` wants its report. */
const report = process.env["EARSHOT_TEST_REPORT"];

/** Both engines for every story, and as many runs of a property as it names. */
const isThorough = process.env["EARSHOT_TESTS"] === "all";

const files = projectsOf(import.meta.dirname);

const project = (name: Project) => ({
  test: {
    name,
    include: [...files[name]],
    setupFiles: [join(import.meta.dirname, "test/runs.ts")],
    globalSetup: name === "unit" ? [] : [join(import.meta.dirname, "test/global-setup.ts")],
    provide: { isThorough },
    // One process runs many files, and loads what they share once: no module of ours keeps anything to itself.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});

export const projects = (["unit", "db", "stories", "thorough"] as const).map(project);

export default defineConfig({
  test: {
    projects,
    // One more than the processors of a small machine: flows wait for timers, processes and PostgreSQL, and others run.
    maxWorkers: 3,
    // Transformed sources are kept between runs and shared by the projects: a third of the time of a small run.
    experimental: { fsModuleCache: true },
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] }),
  },
});
