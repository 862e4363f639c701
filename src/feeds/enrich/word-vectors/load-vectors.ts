import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { shippedFolder } from "../../../lib/folders.ts";
import { createMeanings, type Meanings } from "./meanings.ts";
import { decodeVectors } from "./vectors-file.ts";

let meanings: Promise<Meanings> | undefined;

/** Reads the vectors once in a process, where relevance is learnt and nowhere else. README.md says more. */
export function loadMeanings(): Promise<Meanings> {
  meanings ??= readFile(join(shippedFolder("src/feeds/enrich/word-vectors"), "vectors.bin")).then((file) =>
    createMeanings(decodeVectors(file)),
  );
  return meanings;
}
