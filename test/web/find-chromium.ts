import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first Chromium on this machine, or null. */
export function findChromium(path: string): string | null {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const folders = ["/usr/bin", ...path.split(delimiter)];
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
