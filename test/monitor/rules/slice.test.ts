import { expect, it } from "vitest";
import { allOf, anyOf, noneOf } from "../../../src/monitor/rules/combine-predicates.ts";
import { category } from "../../../src/monitor/rules/conditions/category.ts";
import { country } from "../../../src/monitor/rules/conditions/country.ts";
import { followers } from "../../../src/monitor/rules/conditions/followers.ts";
import { sentiment } from "../../../src/monitor/rules/conditions/sentiment.ts";
import { verified } from "../../../src/monitor/rules/conditions/verified.ts";
import type { Predicate } from "../../../src/monitor/rules/predicate.ts";
import { inUnit, sliceOf } from "../../../src/monitor/rules/slice.ts";

function of(
  condition: { compile(params: unknown): { predicate: Predicate } | object },
  params: unknown,
): Predicate {
  const compiled = condition.compile(params);
  if (!("predicate" in compiled)) throw new Error("the test asks for what the condition cannot be");
  return compiled.predicate;
}

const negative = of(sentiment, ["negative"]);
const safety = of(category, ["Safety"]);
const reached = of(followers, { atLeast: 10_000 });

it.each([
  ["negative mentions", negative],
  ['mentions in category "Safety"', safety],
  ["mentions with at least 10,000 followers", reached],
  ["mentions by a verified author", of(verified, true)],
  ['negative mentions in category "Safety"', allOf([safety, negative])],
  ['negative mentions in category "Safety" from Peru', allOf([negative, safety, of(country, ["Peru"])])],
  ["matching mentions", allOf([negative, noneOf(safety)])],
  ["matching mentions", anyOf([negative, safety])],
  ["matching mentions", of(category, ["x".repeat(60)])],
  [
    'mentions in category "Safety" or others',
    of(category, ["Safety", "Health and Safety", "Product Safety"]),
  ],
])("what is counted is called %s", (subject, predicate) => {
  expect(sliceOf(predicate, false).subject).toBe(subject);
});

it("authors are those of negative mentions, not negative themselves", () => {
  const slice = sliceOf(allOf([negative, safety]), false);
  expect(inUnit(slice, "authors").subject).toBe('authors of negative mentions in category "Safety"');
  expect(inUnit(slice, "stories").subject).toBe('negative stories in category "Safety"');
  expect(inUnit(sliceOf(negative, true), "authors").subject).toBe("different authors");
  expect(inUnit(slice, "mentions")).toBe(slice);
});
