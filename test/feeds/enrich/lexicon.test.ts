import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { type Lexicon, loadLexicon, SENTIMENTS } from "../../../src/feeds/enrich/lexicon.ts";

let lexicon: Lexicon;
beforeAll(async () => {
  lexicon = await loadLexicon();
});

test.each([
  ["en", "What a wonderful day", "positive"],
  ["en", "This is terrible", "negative"],
  ["en", "This is not good", "negative"],
  ["en", "The bus arrives at noon", "neutral"],
  ["de", "Das ist wunderbar", "positive"],
  ["de", "Das war schrecklich", "negative"],
  ["fr", "C'est une catastrophe", "negative"],
  ["fr", "Je déteste l'horrible service", "negative"],
  ["es", "Es un desastre terrible", "negative"],
  ["it", "È terribile", "negative"],
  ["nl", "Wat een ramp", "negative"],
  ["pt", "Foi um desastre", "negative"],
])("%s: %s is %s", (language, text, sentiment) => {
  expect(lexicon(text, language)).toBe(sentiment);
});

test("a language without a word list has no sentiment, rather than a neutral one", () => {
  expect(lexicon("これはひどい", "ja")).toBeNull();
});

test("emoji count in a text of unknown language", () => {
  expect(lexicon("😍😍", null)).toBe("positive");
});

test("names of properties of an object are no words of a list", () => {
  expect(lexicon("constructor toString __proto__ hasOwnProperty", "en")).toBe("neutral");
});

test("handles and addresses say nothing", () => {
  expect(lexicon("@terrible.awful https://horrible.example/bad", "en")).toBe("neutral");
});

test("any text in any language gets one of three words or none", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.constantFrom("en", "de", "tr", "xx", null),
      (text, language) => {
        expect([...SENTIMENTS, null]).toContain(lexicon(text, language));
      },
    ),
  );
});
