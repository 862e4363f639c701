import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { foldText, normalized } from "../../src/lib/text.ts";
import { casedWord, lowerWord, splitWords } from "../../src/listening-api/query-language/split-words.ts";

// Unicode's normal forms sort the marks on one letter, by insertion: 20,000 of them took 0.14 s, and the 200,000 characters of a
// text that is explained 14 s.

const SOURCES = join(import.meta.dirname, "../../src");
const HIGH = "\u0592";
const LOW = "\u0591";
const MUSICAL = "\u{1d165}";

test.each<[string, (text: string) => unknown]>([
  ["folding a text", foldText],
  ["splitting it into words", splitWords],
  ["comparing them with their case", casedWord],
  ["and with their accents", lowerWord],
])("%s with 200,000 marks on a letter takes as long as its length", (_what, read) => {
  // Marks of which every second is removed on the way, too.
  for (const marks of [
    HIGH.repeat(100_000) + LOW.repeat(100_000),
    MUSICAL.repeat(50_000) + LOW.repeat(100_000),
  ])
    for (const text of [marks, marks.replaceAll(/.{20}/gsu, "$&\u200b")]) {
      const before = process.cpuUsage();
      read(`ж${text} ж${text.slice(1)}`);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000).toBeLessThan(1_000);
    }
});

test("a text that people write is normalised as Unicode says", () => {
  const hindi = "सभी मनुष्यों को गौरव और अधिकारों के मामले में ";
  for (const text of [
    hindi.repeat(100),
    `z${"\u0301".repeat(30)} `.repeat(100),
    "ﬁn ｆｕｌｌ ế ".repeat(400),
  ])
    for (const form of ["NFC", "NFKC", "NFKD"] as const)
      expect(normalized(text, form)).toBe(text.normalize(form));
});

test("no text is normalised but by `normalized`", () => {
  const found = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && /\.normalize\(/.test(readFileSync(join(SOURCES, name), "utf8")),
  );
  // Arguments of commands, and names that are made up.
  const others = /^(?:cli|listening-api\/simulate)\//;
  expect(found.filter((name) => !others.test(name))).toEqual(["lib/text.ts"]);
});
