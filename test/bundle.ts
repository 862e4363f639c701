import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { buildDist, bundle } from "../.build.js";

const ROOT = join(import.meta.dirname, "..");

export interface Bundle {
  /** The file to start for one of the entries. */
  file(entry: string): string;
  /** For `afterAll`. */
  remove(): Promise<void>;
}

/**
 * Entries (paths from the root) for tests that start them as processes. Those of the program are `dist/`, built if need
 * be; what tests bring of their own is bundled in the same way into a folder beside it:
 *
 *     const bundle = await bundleEntries(["workers/poll.ts"]);
 *     afterAll(bundle.remove);
 */
export async function bundleEntries(entries: readonly string[]): Promise<Bundle> {
  const compiled = (entry: string) => entry.replace(/\.ts$/, ".js");
  if (!entries.some((entry) => entry.startsWith("test/"))) {
    await buildDist();
    return { file: (entry) => join(ROOT, "dist", compiled(entry)), remove: async () => {} };
  }
  // Below the root, where packages are found that stay outside, and the shipped rules and templates.
  await mkdir(join(ROOT, "dist"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, "dist", "bundle-"));
  await bundle(entries, folder);
  return {
    file: (entry) => join(folder, compiled(entry)),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
