import { mkdir } from "node:fs/promises";

/**
 * Makes a folder for what Earshot stores, where there is none: nobody else can look into it. Root's can be passed
 * through, because its PostgreSQL runs as another user and has its own folder in there. A folder that is there keeps
 * its mode: it may be shared with others on purpose.
 */
export async function makeDataFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
}
