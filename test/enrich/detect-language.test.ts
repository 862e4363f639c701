import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { type DetectLanguage, loadLanguageDetector } from "../../src/enrich/detect-language.ts";
import { readShortTexts } from "../bench/labelled-texts.ts";

let detect: DetectLanguage;
beforeAll(async () => {
  detect = await loadLanguageDetector();
});

test("short texts in ten languages are told apart", () => {
  const texts = readShortTexts(join(import.meta.dirname, "../fixtures/enrich/short-texts.txt"));
  const wrong = texts.filter(({ language, text }) => detect(text) !== language);
  expect(new Set(texts.map(({ language }) => language)).size).toBe(10);
  expect(wrong.length).toBeLessThanOrEqual(6);
});

test("a text that does not show its language has none", () => {
  for (const text of [
    "",
    "👍👍👍",
    "lol",
    "#42 1234567",
    "https://beispiel.example/die/neue/seite",
    "@ann @bob",
  ])
    expect(detect(text), text).toBeNull();
});

test("addresses and names do not count as English", () => {
  expect(detect("@united_support das Gepäck ist weg https://www.example.com/this/is/the/way")).toBe("de");
});

test("any text gets a code of two letters or none, and a very long one is quick", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      expect(detect(text) ?? "en").toMatch(/^[a-z]{2}$/);
    }),
  );
  expect(detect("das Wetter ist heute wirklich schön und warm ".repeat(20_000))).toBe("de");
});
