import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The data folder that may be next to the repository. It is no part of it. */
const SHARED_DATA = join(dirname(fileURLToPath(import.meta.url)), "../../../shared/data");

/** The path of a file in it, or why a test that wants it cannot run. */
export function sharedFile(name: string): { path: string } | { absent: string } {
  const path = join(SHARED_DATA, name);
  return existsSync(path) ? { path } : { absent: `${name} is not beside the repository` };
}
