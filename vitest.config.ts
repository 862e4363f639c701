import { defineConfig } from "vitest/config";

/** Where `.ci/run` wants its report. */
const report = process.env["EARSHOT_TEST_REPORT"];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    // Left to itself, vitest keeps a processor free, which on two is half of them.
    maxWorkers: 2,
    // One process runs many files, and loads what they share once: no module of ours keeps anything to itself.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] }),
  },
});
