import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { createPngRenderer } from "#monitor";
import { UserError } from "../../lib/errors.ts";

/** Writes the picture of each series: to the given file, or next to it if there are several. */
interface PictureFiles {
  add(series: string, svg: string): Promise<void>;
  /** Writes the remaining pictures and returns the names of all files. */
  end(): Promise<readonly string[]>;
}

/** Throws a UserError unless the file ends in .png or .svg. */
export function createPictureFiles(path: string): PictureFiles {
  const ending = extname(path);
  if (ending !== ".png" && ending !== ".svg") {
    throw new UserError(`--plot ${path}: expected a file that ends in .png or .svg`);
  }
  const renderer = createPngRenderer();
  const written: string[] = [];
  // The name of the first file depends on whether there is a second series, so it waits.
  let first: { readonly series: string; readonly svg: string } | undefined;
  let seen = 0;

  const write = async (file: string, svg: string): Promise<void> => {
    await writeFile(file, ending === ".svg" ? `${svg}\n` : await renderer.render(svg));
    written.push(file);
  };
  // Two series may get the same file name, and some file systems ignore case.
  const taken = new Set<string>();
  const fileOf = (series: string, number: number): string => {
    const name = series.replaceAll(/[^\p{L}\p{N}_-]+/gu, "-").slice(0, LONGEST_NAME) || String(number);
    let free = name;
    for (let copy = 2; taken.has(free.toLowerCase()); copy++) free = `${name}-${copy}`;
    taken.add(free.toLowerCase());
    return `${path.slice(0, -ending.length)}-${free}${ending}`;
  };

  return {
    add: async (series, svg) => {
      seen++;
      if (seen === 1) {
        first = { series, svg };
        return;
      }
      if (first !== undefined) await write(fileOf(first.series, 1), first.svg);
      first = undefined;
      await write(fileOf(series, seen), svg);
    },
    end: async () => {
      if (first !== undefined) await write(path, first.svg);
      await renderer.close();
      return written;
    },
  };
}

/** A file name has at most 255 bytes, and a character up to 4. */
const LONGEST_NAME = 50;
