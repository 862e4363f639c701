import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { UserError } from "../lib/errors.ts";

/** All `.hbs` files below a directory: `email/alert.html` → source. Throws a UserError when it cannot be read. */
export async function readTemplates(directory: string): Promise<ReadonlyMap<string, string>> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(".hbs"))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    const sources = await Promise.all(files.map((file) => readFile(file, "utf8")));
    return new Map(files.map((file, index) => [nameOf(directory, file), sources[index] ?? ""]));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new UserError(`cannot read the templates directory${code}: ${directory}`);
  }
}

function nameOf(directory: string, file: string): string {
  return relative(directory, file).split(sep).join("/").slice(0, -".hbs".length);
}
