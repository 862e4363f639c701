import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

/** A fault of a few lines, read from `<name>.yaml`. */
const FaultFile = z.strictObject({
  description: z.string().min(1),
  edits: z.array(z.strictObject({ find: z.string().min(1), replace: z.string() })).min(1),
  /** What is likely to catch it, quickest first; everything else comes after these. */
  checks: z.array(z.string().regex(/^(vitest|interleavings|crash-points|chaos) \S/)).min(1),
});

export interface Fault extends z.output<typeof FaultFile> {
  readonly name: string;
}

/** Text of each file that a fault changes, by its path. */
export type PatchedFiles = ReadonlyMap<string, string>;

/** The faults of a folder, by name. Throws where a file has another shape. */
export async function readFaults(folder: string): Promise<Fault[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".yaml")).sort();
  return Promise.all(
    files.map(async (file) => {
      const read = FaultFile.safeParse(parse(await readFile(join(folder, file), "utf8")));
      if (!read.success) throw new Error(`${file}: ${z.prettifyError(read.error)}`);
      return { name: basename(file, ".yaml"), ...read.data };
    }),
  );
}

/**
 * The files with the fault in them. It is looked for everywhere, so it survives that code moves, and white space is all
 * one, so it survives that lines are broken elsewhere. Throws if a text occurs nowhere, or more than once: then
 * nobody knows any more whether the fault would be caught.
 */
export function applyFault({ name, edits }: Fault, files: ReadonlyMap<string, string>): PatchedFiles {
  const patched = new Map<string, string>();
  for (const { find, replace } of edits) {
    const parts = find.trim().split(/\s+/);
    const pattern = new RegExp(parts.map(escapeRegExp).join("\\s+"), "g");
    // Hardly a file has it: most are passed over without the pattern.
    const longest = parts.reduce((a, b) => (b.length > a.length ? b : a));
    const found = [...files.keys()].flatMap((path) => {
      const text = patched.get(path) ?? files.get(path) ?? "";
      if (!text.includes(longest)) return [];
      return [...text.matchAll(pattern)].map((match) => ({ path, text, match }));
    });
    const [only, another] = found;
    const words = find.trim().replaceAll(/\s+/g, " ").slice(0, 80);
    if (only === undefined) throw new Error(`${name}: the source does not contain "${words}"`);
    if (another !== undefined)
      throw new Error(
        `${name}: "${words}" occurs ${found.length} times, in ${found.map(({ path }) => path).join(", ")}`,
      );
    const { path, text, match } = only;
    patched.set(
      path,
      text.slice(0, match.index) + replace.trim() + text.slice(match.index + match[0].length),
    );
  }
  return patched;
}

/** Every source file below a folder, by path. */
export async function readSource(root: string): Promise<Map<string, string>> {
  const paths = (await readdir(join(root, "src"), { recursive: true })).filter((path) =>
    path.endsWith(".ts"),
  );
  const read = paths.map(async (path): Promise<[string, string]> => {
    const whole = join("src", path);
    return [whole, await readFile(join(root, whole), "utf8")];
  });
  return new Map(await Promise.all(read));
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
