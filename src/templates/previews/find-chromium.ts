import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first Chromium on this machine, or null. `path` is the environment's PATH. */
export function findChromium(path: string): string | null {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
  const folders = [...path.split(delimiter), "/Applications/Google Chrome.app/Contents/MacOS"];
  const candidates = [...names, "Google Chrome"].flatMap((name) =>
    folders.filter((folder) => folder !== "").map((folder) => join(folder, name)),
  );
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
