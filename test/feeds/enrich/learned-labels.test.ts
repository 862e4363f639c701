import { expect, test } from "vitest";
import { type LabelledText, learnLabels } from "../../../src/feeds/enrich/learned-labels.ts";
import type { Sentiment } from "../../../src/feeds/enrich/sentiment/model-file.ts";

const of = (
  n: number,
  text: string,
  label: Sentiment,
  before: Sentiment = label,
): LabelledText<Sentiment>[] =>
  Array.from({ length: n }, (_, index) => ({
    ...{ text: `${text} ${index}`, label, before },
    isCorrected: before !== label,
  }));

const DRILLS = of(12, "fire drill at the Acme tower", "neutral", "negative");
const COMPLAINTS = of(30, "my Acme kettle leaks and smells", "negative");

test("it changes what is like the corrected texts, and leaves the others", async () => {
  const learned = await learnLabels([...DRILLS, ...COMPLAINTS]);
  if (learned.outcome !== "Better") throw new Error(learned.outcome);
  expect(learned).toMatchObject({ judged: 12, precision: 1, recall: 1 });
  expect(learned.change("another fire drill at the tower", "negative")).toEqual({
    label: "neutral",
    reason: expect.stringMatching(/^like texts that people corrected: .*"(fire|drill|tower)"/),
  });
  expect(learned.change("this kettle leaks", "negative")).toBeNull();
  expect(learned.change("something else altogether", "positive")).toBeNull();
  expect(learned.change("a fire drill", "neutral")).toBeNull();
});

test("texts like them that nobody has looked at do not keep it from acting", async () => {
  const unseen = of(20, "fire drill at the Acme tower, again", "negative");
  const learned = await learnLabels([
    ...DRILLS,
    ...unseen,
    ...COMPLAINTS,
    ...of(50, "late parcel of tea", "negative"),
  ]);
  if (learned.outcome !== "Better") throw new Error(learned.outcome);
  expect(learned.change("another fire drill at the tower", "negative")?.label).toBe("neutral");
});

test("with few corrections it does not act", async () => {
  expect(await learnLabels([...DRILLS.slice(0, 7), ...COMPLAINTS])).toEqual({
    outcome: "TooFew",
    judged: 7,
  });
});

test("corrections that no words explain do not act", async () => {
  const words = ["kettle", "tea", "lid", "order", "shop", "parcel"];
  const chance = Array.from({ length: 60 }, (_, n): LabelledText<Sentiment> => {
    const isCorrected = Math.imul(n + 1, 0x9e3779b1) % 3 === 0;
    const text = `${words[n % 6]} ${words[(n * 5) % 6]} ${words[(n * 7 + 3) % 6]}`;
    return { text, label: isCorrected ? "neutral" : "negative", before: "negative", isCorrected };
  });
  expect((await learnLabels(chance)).outcome).not.toBe("Better");
});

test("where almost everything was corrected the same way, it learns that", async () => {
  const learned = await learnLabels([...DRILLS, ...COMPLAINTS.slice(0, 2)]);
  expect(learned.outcome).toBe("Better");
});

test("the same corrections give the same changes, whatever the text is", async () => {
  const [a, b] = [
    await learnLabels([...DRILLS, ...COMPLAINTS]),
    await learnLabels([...DRILLS, ...COMPLAINTS]),
  ];
  if (a.outcome !== "Better" || b.outcome !== "Better") throw new Error("not better");
  for (const text of [
    "",
    "👍",
    "constructor __proto__",
    "x".repeat(100_000),
    "a ".repeat(50_000),
    "fire drill",
  ])
    expect(a.change(text, "negative")).toEqual(b.change(text, "negative"));
});
