import { defineConfig } from "vitest/config";

/** Where `.ci/run` wants its report. */
const report = process.env["EARSHOT_TEST_REPORT"];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    // One more than the processors of a small machine: flows wait for timers, processes and PostgreSQL, and others run.
    maxWorkers: 3,
    // One process runs many files, and loads what they share once: no module of ours keeps anything to itself.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] }),
  },
});
