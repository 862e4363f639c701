import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { decide, type JudgeSentiment } from "../../../src/feeds/enrich/sentiment/judge.ts";
import { loadSentiment } from "../../../src/feeds/enrich/sentiment/load-sentiment.ts";
import { decodeModel, encodeModel, SENTIMENTS } from "../../../src/feeds/enrich/sentiment/model-file.ts";
import { readTokens } from "../../../src/feeds/enrich/sentiment/tokens.ts";
import { openWordLists } from "../../../src/feeds/enrich/sentiment/word-lists.ts";
import { readShortTexts } from "../../bench/labelled-texts.ts";
import { qualityOf } from "../../sentiment/quality.ts";

let judge: JudgeSentiment;
beforeAll(async () => {
  judge = await loadSentiment();
});

test.each([
  ["en", "What a wonderful day", "positive"],
  ["en", "This is terrible", "negative"],
  ["en", "This is not good", "negative"],
  ["en", "The bus arrives at noon", "neutral"],
  ["de", "Das ist wunderbar", "positive"],
  ["de", "Das war schrecklich", "negative"],
  ["de", "Der Akku ist nicht gut", "negative"],
  ["fr", "C'est une catastrophe", "negative"],
  ["fr", "Je déteste l'horrible service", "negative"],
  ["es", "Es un desastre terrible", "negative"],
  ["it", "È terribile", "negative"],
  ["nl", "Wat een ramp", "negative"],
  ["pt", "Foi um desastre", "negative"],
  ["ar", "هذا رائع جدا", "positive"],
])("%s: %s is %s", (language, text, sentiment) => {
  expect(judge(text, language)?.sentiment).toBe(sentiment);
});

test("a language that the model does not speak has no sentiment, rather than a neutral one", () => {
  expect(judge("これはひどい", "ja")).toBeNull();
});

test("emoji and faces count in a text of unknown language", () => {
  expect(judge("😍😍", null)?.sentiment).toBe("positive");
  expect(judge(":-(", null)?.sentiment).toBe("negative");
});

test("handles and addresses say nothing", () => {
  const { tokens } = readTokens("@terrible.awful https://horrible.example/bad www.bad.example fine");
  expect(tokens).toEqual(["fine"]);
});

test("reviews of people: most are judged rightly, and few complaints count as praise", () => {
  const texts = readShortTexts(join(import.meta.dirname, "../../fixtures/enrich/reviews.txt"));
  for (const language of ["en", "de", "fr", "nl"]) {
    const own = texts.filter((text) => text.language === language);
    const quality = qualityOf(
      own.map(({ text, sentiment }) => ({
        is: sentiment,
        said: judge(text, language)?.sentiment ?? "neutral",
      })),
    );
    expect(own.length).toBe(24);
    expect(quality.accuracy, language).toBeGreaterThanOrEqual(0.7);
    expect(quality.negativeCalledPositive, language).toBeLessThanOrEqual(0.1);
  }
});

test("the sure answers are right more often than the unsure ones", () => {
  const texts = readShortTexts(join(import.meta.dirname, "../../fixtures/enrich/short-texts.txt"));
  const judged = texts.flatMap(({ text, language, sentiment }) => {
    const judgement = judge(text, language);
    return judgement === null ? [] : [{ ...judgement, is: sentiment }];
  });
  const rightOf = (some: typeof judged) =>
    some.filter(({ is, sentiment }) => is === sentiment).length / some.length;
  const sure = judged.filter(({ confidence }) => confidence >= 0.6);
  const unsure = judged.filter(({ confidence }) => confidence < 0.6);
  expect(sure.length).toBeGreaterThan(20);
  expect(unsure.length).toBeGreaterThan(20);
  expect(rightOf(sure)).toBeGreaterThan(rightOf(unsure) + 0.1);
});

test("a negation turns words around until its clause ends", () => {
  const { tokens, negated } = readTokens("It isn't good or nice, it's bad");
  expect(tokens.filter((_, index) => negated[index])).toEqual(["good", "or", "nice"]);
});

test("stretched words, faces and Arabic letters are read in one way", () => {
  expect(readTokens("Soooooo coooool :-))) أنا").tokens).toEqual(["soo", "cool", "\uE000:)", "انا"]);
});

test("a list has whole words, pairs, and stems; a word of the list behind an apostrophe counts", () => {
  const count = openWordLists([{ horrible: -1, "never again": -1, "enttäusch*": -1 }]);
  const of = (text: string) => count(readTokens(text))[1] ?? 0;
  expect(of("l'horrible")).toBeLessThan(0);
  expect(of("enttäuschende")).toBeLessThan(0);
  expect(of("never again")).toBeLessThan(0);
  expect(of("again")).toBe(0);
});

test("names of properties of an object are no words of a list", () => {
  const count = openWordLists([{ good: 1 }]);
  expect([...count(readTokens("constructor toString __proto__ hasOwnProperty"))]).toEqual([0, 0, 0]);
});

test("positive is said only where it is by so much more probable", () => {
  expect(decide([0.2, 0.38, 0.42], 1)).toEqual({ sentiment: "positive", confidence: 0.42 });
  expect(decide([0.2, 0.38, 0.42], 1.4)).toEqual({ sentiment: "neutral", confidence: 0.38 });
  expect(decide([0.42, 0.2, 0.38], 1)).toEqual({ sentiment: "negative", confidence: 0.42 });
});

test("a model comes back from its file, and one of another size is refused", async () => {
  const header = {
    version: "1",
    step: 0.5,
    bias: [0, 0, 0],
    countWeights: [],
    temperature: 1,
    positiveCare: 1,
    lists: { en: [{ good: 1 }] },
  };
  const weights = new Int8Array(3 << 20);
  weights[7] = -5;
  const read = decodeModel(encodeModel({ header, weights }));
  expect(read.header).toEqual(header);
  expect(read.weights[7]).toBe(-5);
  expect(() => decodeModel(encodeModel({ header, weights: new Int8Array(12) }))).toThrow("12 weights");
});

test("any text in any language gets one of three words or none, and a very long one is quick", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.constantFrom("en", "de", "tr", "xx", null),
      (text, language) => {
        const judgement = judge(text, language);
        expect(judgement === null).toBe(language === "xx");
        if (judgement === null) return;
        expect(SENTIMENTS).toContain(judgement.sentiment);
        expect(judgement.confidence).toBeGreaterThan(0.3);
        expect(judgement.confidence).toBeLessThanOrEqual(1);
      },
    ),
  );
  expect(judge("this is terrible and awful ".repeat(50_000), "en")?.sentiment).toBe("negative");
});
