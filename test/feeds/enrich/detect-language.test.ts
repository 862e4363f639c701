import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { type DetectLanguage, loadLanguageDetector } from "../../../src/feeds/enrich/detect-language.ts";
import { readShortTexts } from "../../bench/labelled-texts.ts";

let detect: DetectLanguage;
beforeAll(async () => {
  detect = await loadLanguageDetector();
});

test("short texts in ten languages are told apart", () => {
  const texts = readShortTexts(join(import.meta.dirname, "../../fixtures/enrich/short-texts.txt"));
  const wrong = texts.filter(({ language, text }) => detect(text) !== language);
  expect(new Set(texts.map(({ language }) => language)).size).toBe(10);
  const isShort = ({ text }: { text: string }) => detect(text) === null;
  // A wrong language loses a mention, none does not.
  expect(wrong.filter((one) => !isShort(one)).length).toBeLessThanOrEqual(3);
  expect(wrong.filter(isShort).length).toBeLessThanOrEqual(30);
});

test("a text that does not show its language has none", () => {
  for (const text of [
    "",
    "👍👍👍",
    "lol",
    "#42 1234567",
    "https://beispiel.example/die/neue/seite",
    "@ann @bob",
    "Acme opens in Bath",
    "Kettle recall Acme",
  ])
    expect(detect(text), text).toBeNull();
});

test("addresses and names do not count as English", () => {
  expect(
    detect("@united_support das Gepäck ist immer noch nicht da https://www.example.com/this/is/the/way"),
  ).toBe("de");
});

test("any text gets a code of two letters or none, and a very long one is quick", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      expect(detect(text) ?? "en").toMatch(/^[a-z]{2}$/);
    }),
  );
  expect(detect("das Wetter ist heute wirklich schön und warm ".repeat(20_000))).toBe("de");
});

test("a short text in another script shows it, and a guess is had for the asking", () => {
  expect(detect("Очень плохой сервис")).toBe("ru");
  expect(detect("サービスがとても悪いです")).toBe("ja");
  expect(detect("terrible service", true)).toBe("en");
  expect(detect("ok", true)).toBeNull();
});
