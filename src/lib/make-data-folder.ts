import { mkdir } from "node:fs/promises";

/**
 * Makes a folder for Earshot's data, if there is none: only its user can read it. Others can pass through root's,
 * because its PostgreSQL runs as another user and has its own folder in there. An existing folder keeps its mode: it
 * may be shared with others on purpose.
 */
export async function makeDataFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
}
