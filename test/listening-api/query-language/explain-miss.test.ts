import fc from "fast-check";
import { expect, test } from "vitest";
import { compile } from "../../../src/listening-api/query-language/compile.ts";
import { explainMiss } from "../../../src/listening-api/query-language/explain-miss.ts";
import type { KnownFields } from "../../../src/listening-api/query-language/fields/define-field.ts";
import { searchableMention } from "../../../src/listening-api/query-language/search-text.ts";

function missOf(boolean: string, text: string, known: KnownFields = {}) {
  const compiled = compile(boolean);
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join(" "));
  return explainMiss(compiled.query, searchableMention(known, text));
}

test.each([
  ["acme AND refund", "Acme is late", "missing", "refund", "refund is not in the text."],
  ['acme AND "never again"', "acme again", "missing", '"never again"', '"never again" is not in the text.'],
  ["title:acme", "acme", "missing", "acme", "title:acme is not found."],
  [
    "acme AND (refund OR recall OR lawsuit)",
    "acme",
    "missing",
    "refund OR recall OR lawsuit",
    "None of refund, recall, lawsuit is in the text.",
  ],
  [
    "acme NOT (jobs OR hiring)",
    "acme is hiring",
    "excluded",
    "hiring",
    "hiring fits, and the query excludes it (NOT).",
  ],
  [
    "acme NEAR/3 refund",
    "acme one two three four five refund",
    "apart",
    "acme NEAR/3 refund",
    "acme and refund are both there, but more than 3 words apart.",
  ],
  ["acme NEAR/3 refund", "acme one two", "missing", "refund", "refund is not in the text."],
  // Of alternatives the one with the fewest parts that fail.
  [
    "(acme AND refund AND late) OR (beta AND refund AND gone)",
    "beta refund",
    "missing",
    "gone",
    "gone is not in the text.",
  ],
])("%s does not find %j because of one part", (boolean, text, kind, part, message) => {
  const miss = missOf(boolean, text);
  expect(miss).toMatchObject({ kind, message });
  expect(boolean.slice(miss?.start, miss?.end)).toContain(part.replaceAll(/^[()]|[()]$/g, ""));
});

test("a field that does not fit is named as it stands in the query", () => {
  const miss = missOf("acme AND site:news.example", "acme", { url: "https://other.example/1" });
  expect(miss).toMatchObject({ kind: "field", part: "site:news.example" });
});

test("there is a miss, inside the query text, exactly where a query does not match", () => {
  const word = fc.constantFrom("acme", "refund", "late", '"not here"', "title:x", "#tag", "re*");
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      word,
      fc.array(tie("tree"), { minLength: 2, maxLength: 4 }).map((of) => `(${of.join(" AND ")})`),
      fc.array(tie("tree"), { minLength: 2, maxLength: 4 }).map((of) => `(${of.join(" OR ")})`),
      fc.tuple(word, tie("tree")).map(([a, b]) => `(${a} NOT ${b})`),
      fc
        .tuple(fc.constantFrom("acme", "late"), fc.constantFrom("refund", "gone"))
        .map(([a, b]) => `(${a} NEAR/2 ${b})`),
    ),
  }));
  const texts = fc.array(fc.constantFrom("acme", "refund", "late", "gone", "x", "#tag", "and"), {
    maxLength: 9,
  });
  fc.assert(
    fc.property(tree, texts, (boolean, words) => {
      const compiled = compile(boolean);
      fc.pre(compiled.ok);
      const mention = searchableMention({ title: words[0] ?? null }, words.join(" "));
      const miss = explainMiss(compiled.query, mention);
      expect(miss === undefined).toBe(compiled.query.matches(mention));
      if (miss === undefined) return;
      expect(miss.start).toBeLessThan(miss.end);
      expect(miss.end).toBeLessThanOrEqual(boolean.length);
      expect(miss.message).not.toMatch(/undefined|NaN/);
    }),
  );
});
