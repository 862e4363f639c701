import { monotonicMs } from "../../src/lib/clock.ts";
import { type CompiledQuery, compile } from "../../src/listening-api/query-language/compile.ts";
import { createQueryIndex } from "../../src/listening-api/query-language/query-index.ts";
import { searchableMention } from "../../src/listening-api/query-language/search-text.ts";
import { median } from "./median.ts";

// How many mentions a second are matched against 10, 1,000 and 10,000 queries: through the index, and by asking each
// query in turn. Both have to find the same; taking the mention apart is part of both.

const MENTIONS = 4_000;
const ROUNDS = 3;

let seed = 1;
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 4_294_967_296;
}

function pick<Value>(values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

const SYLLABLES = [
  "ka",
  "lo",
  "mi",
  "ren",
  "tas",
  "ver",
  "no",
  "ble",
  "dri",
  "sun",
  "gor",
  "pa",
  "ze",
  "qui",
];
const VOCABULARY = Array.from({ length: 30_000 }, (_, rank) => {
  let word = "";
  for (let left = rank + 14; left > 0; left = Math.floor(left / SYLLABLES.length)) {
    word += SYLLABLES[left % SYLLABLES.length];
  }
  return word;
});

/** Few words are frequent and most are rare, as in any language. */
function word(): string {
  return VOCABULARY[Math.floor(VOCABULARY.length ** random()) - 1] ?? "ka";
}

/** What people watch is rarer than what all texts are made of. */
function topic(): string {
  return VOCABULARY[1_000 + Math.floor(random() * (VOCABULARY.length - 1_000))] ?? "ka";
}

function queryText(): string {
  const [a, b, c, d] = [topic(), topic(), topic(), word()];
  return pick([
    () => `${a} AND ${d}`,
    () => `"${a} ${d}" OR #${a}`,
    () => `(${a} OR ${b} OR ${c}*) AND ${d} NOT ${word()}`,
    () => `((${a} OR ${b}) NEAR/5 (${d} OR ${word()})) NOT site:example.com`,
    () => `{${a.toUpperCase()}} OR (${b} AND language:en)`,
    () => `"${a} ${d}"~4 OR @${b}`,
  ])();
}

function mentionText(): string {
  const words = Array.from({ length: 12 + Math.floor(random() * 40) }, word);
  return words
    .map((each, i) => (i % 9 === 8 ? `#${each}.` : random() < 0.1 ? each.toUpperCase() : each))
    .join(" ");
}

function compiled(text: string): CompiledQuery {
  const result = compile(text);
  if (!result.ok) throw new Error(`${text}: ${result.problems[0]?.message}`);
  return result.query;
}

const texts = Array.from({ length: MENTIONS }, mentionText);
const known = { language: "en", domain: "example.org" };
const sample = texts.slice(0, 500).map((text) => searchableMention(known, text).text);

function perSecond(mentions: number, startedAt: number): number {
  return (mentions * 1_000) / (monotonicMs() - startedAt);
}

function say(cells: readonly (string | number)[]): void {
  console.log(cells.map((cell) => String(cell).padStart(16)).join(""));
}

say(["queries", "built in ms", "index, 1/s", "each, 1/s", "ratio", "candidates", "matches"]);
for (const count of [10, 1_000, 10_000]) {
  const readAt = monotonicMs();
  const queries = Array.from({ length: count }, (_, id) => ({ id, query: compiled(queryText()) }));
  const index = createQueryIndex(queries, sample);
  const builtMs = monotonicMs() - readAt;
  // Asking ten thousand queries takes so long that a part of the mentions has to do.
  const few = texts.slice(0, Math.max(100, Math.min(MENTIONS, Math.floor(2_000_000 / count))));
  const rates: { index: number; each: number }[] = [];
  let [candidates, matches] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const indexAt = monotonicMs();
    for (const text of texts) index.matching(searchableMention(known, text));
    const byIndex = perSecond(texts.length, indexAt);
    const eachAt = monotonicMs();
    const alone = few.map((text) => {
      const mention = searchableMention(known, text);
      return queries.filter(({ query }) => query.matches(mention)).length;
    });
    rates.push({ index: byIndex, each: perSecond(few.length, eachAt) });
    const found = few.map((text) => index.matching(searchableMention(known, text)).length);
    if (found.some((number, i) => number !== alone[i])) throw new Error("the index finds something else");
    matches = found.reduce((sum, number) => sum + number, 0) / few.length;
  }
  for (const text of few) candidates += index.candidates(searchableMention(known, text)).length / few.length;
  const [byIndex, each] = [median(rates.map((rate) => rate.index)), median(rates.map((rate) => rate.each))];
  const ratio = median(rates.map((rate) => rate.index / rate.each));
  say([
    count,
    Math.round(builtMs),
    Math.round(byIndex),
    Math.round(each),
    ratio.toFixed(1),
    candidates.toFixed(1),
    matches.toFixed(2),
  ]);
}
