import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { decideLanguage } from "../../../src/feeds/enrich/decide-language.ts";
import { type LanguageDetector, loadLanguageDetector } from "../../../src/feeds/enrich/detect-language.ts";
import { readShortTexts } from "../../bench/labelled-texts.ts";

let detector: LanguageDetector;
beforeAll(async () => {
  detector = await loadLanguageDetector();
});

const detect: LanguageDetector["detect"] = (text, certainty) => detector.detect(text, certainty);

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
  expect(detect("terrible service", "guess")).toBe("en");
  expect(detect("ok", "guess")).toBeNull();
});

test("accents as signs of their own change nothing", () => {
  const vietnamese = "Dịch vụ quá tệ, tôi đã chờ ba tuần mà không ai trả lời điện thoại";
  expect(detect(vietnamese)).toBe("vi");
  expect(detect(vietnamese.normalize("NFD"))).toBe("vi");
  expect(detect("서비스가 너무 나빠서 다시는 사지 않을 것입니다".normalize("NFD"))).toBe("ko");
});

test("Indonesian and Malay are told apart by their words, and have none where nothing tells", () => {
  expect(detect("Saya kecewa karena barang yang dikirim rusak dan tidak bisa dikembalikan ke toko")).toBe(
    "id",
  );
  expect(detect("Saya kecewa kerana barang yang dihantar rosak dan tidak boleh dipulangkan ke kedai")).toBe(
    "ms",
  );
  expect(detect("Saya membeli barang ini dengan harga yang sangat murah dan akan membeli lagi")).toBeNull();
});

const GERMAN =
  "Die neue Version ist da, und wie immer haben wir lange daran gearbeitet und vieles verbessert";

test.each([
  ["a long text beats what its document declares", GERMAN, "en", "de"],
  [
    "a region is part of what is declared",
    "The new version is out, and we worked on it for a long time",
    "en-US",
    "en-US",
  ],
  ["a short text keeps what is declared", "Guten Morgen zusammen", "en", "en"],
  ["a language that the detector does not know stays", GERMAN, "lb", "lb"],
  [
    "a relative stays",
    "Vi har arbejdet længe på den nye version, og vi håber, at alle vil få glæde af den",
    "nb",
    "nb",
  ],
  ["nothing is declared", GERMAN, null, "de"],
])("%s", (_, text, declared, language) => {
  expect(decideLanguage(text, declared, detector)).toBe(language);
});
