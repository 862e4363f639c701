import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { bundle, EXTERNAL } from "../.build.js";
import { bundleEntries } from "./bundle.ts";

const ROOT = join(import.meta.dirname, "..");
const WORKERS = readdirSync(join(ROOT, "workers"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => `workers/${file}`);

let fileOf: (entry: string) => string;
beforeAll(async () => {
  fileOf = (await bundleEntries(["src/cli/main.ts"])).file;
});

test.each(["src/cli/main.ts", ...WORKERS])(
  "a stack trace of %s names lines of the sources",
  async (entry) => {
    // Printed where the environment is read, which each of them does first.
    const trap = `process.env = new Proxy(process.env, { get(env, key) {
    if (key === "EARSHOT_HOME") { console.log(new Error("trap").stack); process.exit(); }
    return env[key];
  } });`;
    const words = ["--import", `data:text/javascript,${encodeURIComponent(trap)}`, fileOf(entry)];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    expect(stdout).toMatch(/\/src\/config\.ts:\d+:\d+/);
    if (entry !== "src/cli/main.ts") expect(stdout).toMatch(/\/src\/app\/run-worker\.ts:\d+:\d+/);
    expect(stdout).not.toContain("dist/chunks");
  },
);

test("no package with machine code is bundled: it would not find its own files", async () => {
  const { inputs } = await bundle(["src/cli/main.ts"], join(ROOT, "dist"), { write: false });
  const folders = Object.keys(inputs).flatMap(
    (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [],
  );
  const packages = [...new Set(folders)];
  expect(packages.length).toBeGreaterThan(50);
  const withCode = packages.filter((folder) =>
    readdirSync(join(ROOT, folder)).some((file) => /^(binding\.gyp|prebuilds)$|\.node$/.test(file)),
  );
  expect(withCode, `to be added to EXTERNAL in .build.js, beside ${EXTERNAL.join(", ")}`).toEqual([]);
});
