import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

type ShippedFolder =
  | "rules"
  | "templates"
  | "src/console/assets"
  | "src/feeds/enrich/sentiment"
  | "src/feeds/enrich/word-vectors"
  | "src/listening-api/simulate/data";

/** A folder that Earshot ships: next to its package.json, wherever the compiled code is. */
export function shippedFolder(name: ShippedFolder): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) || !existsSync(join(folder, name))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`the folder ${name} of Earshot is missing`);
    folder = parent;
  }
  return join(folder, name);
}

/**
 * Makes a folder for Earshot's data, if there is none: only its user can read it. Others can pass through root's,
 * because its PostgreSQL runs as another user and has its own folder in there. An existing folder keeps its mode: it
 * may be shared with others on purpose.
 */
export async function makeDataFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
}
