import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The tests that import one of the files, directly or not, the nearest first: those of its own folder. Paths from the
 * root. Pure but for reading.
 */
export function testsOf(root: string, files: readonly string[], tests: readonly string[]): string[] {
  const wanted = new Set(files);
  const folders = new Set(files.map((file) => dirname(file).replace(/^src\//, "test/")));
  const known = new Map<string, readonly string[]>();
  const importsOf = (file: string): readonly string[] => {
    const before = known.get(file);
    if (before !== undefined) return before;
    const text = readFileSync(join(root, file), "utf8");
    const found = [...text.matchAll(/\bfrom "(\.[^"]+\.ts|#[\w-]+)";$/gm)].map(([, path = ""]) =>
      path.startsWith("#") ? `src/${path.slice(1)}/index.ts` : join(dirname(file), path),
    );
    known.set(file, found);
    return found;
  };
  const reaches = (test: string): boolean => {
    const seen = new Set([test]);
    for (const file of seen) {
      if (wanted.has(file)) return true;
      for (const one of importsOf(file)) seen.add(one);
    }
    return false;
  };
  const distance = (test: string) => [...folders].filter((folder) => test.startsWith(folder)).length;
  return tests.filter(reaches).toSorted((a, b) => distance(b) - distance(a));
}
