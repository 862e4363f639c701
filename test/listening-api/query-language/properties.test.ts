import fc from "fast-check";
import { expect, it } from "vitest";
import { foldText } from "../../../src/lib/text.ts";
import { type CompiledQuery, compile } from "../../../src/listening-api/query-language/compile.ts";
import { createQueryIndex } from "../../../src/listening-api/query-language/query-index.ts";
import { searchableMention } from "../../../src/listening-api/query-language/search-text.ts";
import { runs } from "../../runs.ts";
import { isMet, marked, naiveQuery, naiveText, spell } from "./naive.ts";

function compiled(text: string): CompiledQuery {
  const result = compile(text);
  if (!result.ok) throw new Error(`${text}: ${result.problems.map((problem) => problem.message).join(" ")}`);
  return result.query;
}

it("agrees with an evaluator that tries everything", () => {
  fc.assert(
    fc.property(naiveQuery, fc.array(naiveText, { minLength: 1, maxLength: 8 }), (naive, texts) => {
      const query = compiled(spell(naive));
      for (const { words, text } of texts) {
        const mention = searchableMention({}, text);
        expect([text, query.matches(mention)]).toEqual([text, isMet(naive, words)]);
      }
    }),
    { numRuns: runs(1_000) },
  );
});

it("gives positions just when a text matches that every query word has a say in, and only true ones", () => {
  fc.assert(
    fc.property(naiveQuery, naiveText, (naive, { text }) => {
      const query = compiled(spell(naive));
      const mention = searchableMention({}, text);
      const positions = query.positions(mention);
      expect(positions.length > 0).toBe(query.matches(mention));
      for (const position of positions) {
        expect(text.slice(position.start, position.start + position.length)).toBe(position.text);
      }
    }),
    { numRuns: runs(150) },
  );
});

it("shows all words that make a text match, and no others, each stretch once", () => {
  fc.assert(
    fc.property(naiveQuery, fc.array(naiveText, { minLength: 1, maxLength: 4 }), (naive, texts) => {
      const query = compiled(spell(naive));
      for (const { words, text } of texts) {
        const starts: number[] = [];
        for (const word of words) starts.push(text.indexOf(word, (starts.at(-1) ?? -1) + 1));
        const wanted = (marked(naive, words) ?? [])
          .map(({ from, to }) => ({
            start: starts[from] ?? 0,
            end: (starts[to] ?? 0) + (words[to] ?? "").length,
          }))
          .sort((a, b) => a.start - b.start || b.end - a.end);
        const outer = wanted.filter(({ end }, i) => wanted.slice(0, i).every((before) => before.end < end));
        const shown = query.positions(searchableMention({ title: text }, text));
        expect([text, shown.map(({ start, length }) => ({ start, end: start + length }))]).toEqual([
          text,
          outer,
        ]);
      }
    }),
    { numRuns: runs(1_000) },
  );
});

it("names terms that any matching text contains", () => {
  fc.assert(
    fc.property(naiveQuery, naiveText, (naive, { text }) => {
      const query = compiled(spell(naive));
      fc.pre(query.matches(searchableMention({}, text)));
      const folded = foldText(text);
      for (const alternatives of query.required) {
        expect(alternatives.some((term) => folded.includes(term.folded))).toBe(true);
      }
    }),
    { numRuns: runs(500) },
  );
});

it("an index of many queries finds what each query finds alone", () => {
  const extra = fc.constantFrom(
    "%",
    "site:example.com",
    "NOT sun AND moon",
    "NOT sun OR moon",
    "title:sun",
    "#sun",
    "#*un",
  );
  const queries = fc.array(fc.oneof({ weight: 5, arbitrary: naiveQuery.map(spell) }, extra), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(queries, fc.array(naiveText, { maxLength: 4 }), (texts, mentions) => {
      const all = texts.map((text, id) => ({ id, query: compiled(text) }));
      const index = createQueryIndex(all);
      for (const { text } of mentions) {
        const mention = searchableMention({ title: "Sun", domain: "example.com" }, text);
        const alone = all.filter(({ query }) => query.matches(mention)).map(({ id }) => id);
        expect(index.matching(mention)).toEqual(alone);
      }
    }),
    { numRuns: runs(150) },
  );
});

const fragment = fc.constantFrom(
  ...[
    "(",
    ")",
    '"',
    "{",
    "}",
    "[",
    "]",
    "~",
    "~5",
    "NEAR/3",
    "NEAR/2f",
    "NEAR",
    "AND",
    "OR",
    "NOT",
    "and",
    "*",
  ],
  ...[
    "?",
    "a*",
    "ab*",
    "word",
    "title:",
    "site:",
    "rating:",
    "[1 TO 5]",
    ":",
    "<<<",
    ">>>",
    "#",
    "@",
    "\\",
    "“",
    "”",
  ],
  ...[
    " ",
    "\n",
    "\0",
    "é",
    "e\u0301",
    "🎉",
    "👨‍👩‍👧",
    "\ud83d",
    "東",
    "ไทย",
    "ß",
    "İ",
    "%",
    "1.5",
    "wendy's",
  ],
);

it("reads any text without throwing, and points into it", () => {
  const anything = fc.oneof(
    fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join("")),
    fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join(" ")),
    fc.string({ unit: "binary", maxLength: 80 }),
  );
  fc.assert(
    fc.property(anything, anything, (text, other) => {
      const result = compile(text);
      const problems = result.ok ? result.query.problems : result.problems;
      expect(problems.some((problem) => problem.severity === "error")).toBe(!result.ok);
      for (const { start, end, message } of problems) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(start).toBeLessThanOrEqual(end);
        expect(end).toBeLessThanOrEqual(text.length);
        expect(message).toMatch(/^[^\n]+\.$|…"\.$/);
      }
      if (!result.ok) return;
      const mention = searchableMention({ title: text }, `${other} ${text}`);
      const positions = result.query.positions(mention);
      if (positions.length > 0) expect(result.query.matches(mention)).toBe(true);
    }),
    { numRuns: runs(1_500) },
  );
});

it("a text is found by itself as a phrase", () => {
  const plain = fc.array(
    fc.constantFrom("Sun", "niño", "東京", "🎉", "wendy's", "4.5", "#tag", "a_b", "ไทย", "C++", "24/7", "ß"),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  fc.assert(
    fc.property(plain, (words) => {
      const text = words.join(" ");
      const query = compiled(`"${text}"`);
      expect(query.positions(searchableMention({}, `before ${text} after`))[0]).toEqual({
        start: 7,
        text,
        length: text.length,
      });
    }),
    { numRuns: runs(150) },
  );
});
