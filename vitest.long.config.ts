import { defineConfig } from "vitest/config";

/** What takes real minutes: `npm run test:long`. */
const report = process.env["EARSHOT_TEST_REPORT"];

export default defineConfig({
  test: {
    include: ["test/long/**/*.long.ts"],
    globalSetup: ["test/global-setup.ts"],
    hookTimeout: 60_000,
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] }),
  },
});
