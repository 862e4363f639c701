import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

type ShippedFolder = "rules" | "templates" | "src/web/assets" | "src/local-api/simulate/data";

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
