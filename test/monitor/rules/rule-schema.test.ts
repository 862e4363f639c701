import fc from "fast-check";
import { expect, test } from "vitest";
import { compileRule } from "../../../src/monitor/rules/compile-rule.ts";
import { mentionConditions, windowConditions } from "../../../src/monitor/rules/conditions.ts";
import { RuleFile } from "../../../src/monitor/rules/rule-file.ts";
import { schemaFaults } from "../../schema-faults.ts";

/** Values of a key, right ones and wrong ones; a right one is far more frequent, else no rule would be valid. */
const some = (right: readonly unknown[], wrong: readonly unknown[] = []) =>
  fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...right) },
    { weight: 1, arbitrary: fc.constantFrom(...wrong, null, [], {}, "", 0, true, "word") },
  );

/** The required keys and at most `most` others, with values; seldom one is unknown or missing. */
function keys(
  values: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  required: readonly string[] = [],
  most = 4,
): fc.Arbitrary<Record<string, unknown>> {
  const others = Object.keys(values).filter((key) => !required.includes(key));
  const chosen = fc.subarray(others, {
    minLength: required.length === 0 ? 1 : 0,
    maxLength: Math.min(most, others.length),
  });
  return fc.tuple(chosen, fc.nat(60)).chain(([names, odd]) => {
    const used = [...(odd === 0 ? required.slice(1) : required), ...names, ...(odd === 1 ? ["oops"] : [])];
    return fc.record(Object.fromEntries(used.map((key) => [key, values[key] ?? fc.constant(1)])));
  });
}

const DURATIONS = ["5m", "30m", "1h", "2h", "1d", "3d", "30d", "1h30m", " 90m ", "1.5h"];
const duration = some(DURATIONS, [5, "5", "5 minutes", "-5m", "7m", "400d"]);
const share = some(["40%", "5%", "100%", "0.5%", " 15 %"], [0.4, 40, "140%", "0%", "0.0%", "40"]);
const percent = some(["30%", "150%", "5%"], ["3%", 30, "2000%"]);
const count = some([1, 2, 20, 50, 200], [-1, 1.5, "20", 1e9]);
const word = some(["Acme", 4711, "a b", ["a", "b"], ["Ä", 3]], [[[]], [""], [" "], { a: 1 }]);
const range = fc.oneof(
  { weight: 9, arbitrary: keys({ atLeast: some([1, 10, 1000]), atMost: some([10, 5000]) }) },
  { weight: 1, arbitrary: some([{ atLeast: 3 }], [12, "12"]) },
);
const zone = some(["Europe/Berlin", "UTC"], ["+02:00", "Mars/Base", 2]);
const unit = some(["mentions", "authors", "stories"], ["people"]);

const CONDITIONS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  sentiment: some(["negative", ["positive", "neutral"]], ["angry", ["sad"]]),
  category: word,
  keyword: some(["refund*", ["money back", 24], "日本"], ["...", ["-"]]),
  pattern: some(["order #[0-9]+", "x"], ["(", "x".repeat(1_001), 4]),
  author: word,
  verified: some([true, false], ["yes"]),
  followers: range,
  reach: range,
  impact: range,
  language: some(["en", ["DE", "fr"]], ["english", ["e"]]),
  country: word,
  pageType: some(["news", ["blog", "forum"], "ourOwnPages"], ["twiter", [""]]),
  tag: word,
  relevance: keys({ atLeast: some([0, 0.6, 1], [60, "0.6", -1]), atMost: some([0.9, 1], [1.1]) }),
};

const { tree } = fc.letrec((again) => {
  const list = fc.array(again("tree"), { maxLength: 2 });
  const nested = { ...CONDITIONS, all: list, any: list, not: again("tree") };
  return { tree: fc.oneof({ depthSize: "small" }, keys(CONDITIONS, [], 2), keys(nested, [], 3)) };
});

const COUNTED: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  volume: keys({ atLeast: count, within: duration, count: unit }, ["atLeast", "within"]),
  share: keys(
    {
      of: tree,
      atLeast: share,
      aboveUsual: share,
      unusual: some([true], [false]),
      oneFalseAlarmIn: duration,
      among: count,
      within: duration,
    },
    ["of", "among", "within"],
  ),
  spike: keys(
    {
      sensitivity: some(["remarkable", "any anomaly", "strict"], ["high"]),
      atLeast: count,
      authors: some([2, 10], [1]),
      count: unit,
      windows: some(["5m", ["15m", "60m"]], ["20m", 5]),
      cooldown: duration,
      oneFalseAlarmIn: duration,
      falseAlarmsPerDay: some([0.05, 1], [0, 2]),
      repeats: some(["alert"], ["never"]),
      timezone: zone,
    },
    ["atLeast"],
  ),
  absence: keys({
    within: duration,
    expected: some([5, 20.5], [3]),
    atMost: share,
    oneFalseAlarmIn: duration,
    timezone: zone,
  }),
  trend: keys({
    rising: percent,
    falling: percent,
    over: some(["2d", "3d", "48h", "1w"], ["1d", "50h"]),
    atLeast: count,
    count: unit,
    timezone: zone,
    oneFalseAlarmIn: duration,
  }),
  new: keys(
    {
      what: some(["hashtag", "domain", "author"], ["word"]),
      atLeast: count,
      within: duration,
      learn: duration,
    },
    ["what", "atLeast"],
  ),
};

const LIMITS = {
  atLeast: some([5, 100, "60%", 1_000]),
  within: some(["5m", "30m", "1h"]),
  score: some([3, 10.5]),
  mentions: some([2, 10, { atLeast: 5 }], [1]),
  followers: some([1_000, { atLeast: 10_000 }]),
  reach: some([500]),
  story: some([20]),
};
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant("always") },
  { weight: 6, arbitrary: keys(LIMITS, [], 2) },
  { weight: 2, arbitrary: some([[{ atLeast: 300 }, { score: 9 }], [{ followers: 900 }]]) },
);
const severity = fc.oneof(
  { weight: 3, arbitrary: some(["info", "warning", "critical"], ["high"]) },
  { weight: 2, arbitrary: keys({ info: step, warning: step, critical: step }) },
);

const plain = keys(
  {
    description: some(["d", 4], [" "]),
    severity,
    title: some(["A title"], ["x".repeat(81), " "]),
    name: some(["example", "other"]),
    queries: word,
    groupBy: some(["query", ["query"], "author", ["story", "query"]], ["auther"]),
    for: some(["10m", "0s", "1h"], [10, "8d"]),
    over: some([{ after: "6h" }], [{}, { after: 6 }, "6h"]),
    reopenWithin: duration,
    incident: some(["never", "one outage"], ["x".repeat(81), " "]),
    catchUp: some(["in-order", "newest-first"], ["newest"]),
    labels: some([{ team: "press", n: 3 }], [{ story: "a" }, ["a"], { a: [] }]),
  },
  ["description", "severity"],
  3,
);
const rule = fc
  .tuple(
    plain,
    fc.option(tree),
    fc.subarray(Object.keys(COUNTED), { maxLength: 1 }),
    fc.subarray(["volume", "new"]),
    fc.nat(30),
  )
  .chain(([file, when, one, more, odd]) =>
    fc
      .record(
        Object.fromEntries(
          [...one, ...(odd === 0 ? more : [])].map((type) => [type, COUNTED[type] ?? count]),
        ),
      )
      .map((counted) => ({ ...file, ...(when !== null && { when }), ...counted })),
  );

/** What JSON Schema cannot say; `earshot check` says it. */
const DIFFERENCES: readonly RegExp[] = [
  // Bounds of durations and percentages.
  /^expected (?:a multiple of )?\d+(?:ms|[smhd]).* to /,
  /^expected (?:at most )?\d+(?:ms|[smhd])/,
  /^expected (?:a day or more|whole days|one of 5m|5% to 1000%)/,
  /^nothing can fall by 100%/,
  // Two values compared.
  /^atLeast is above atMost/,
  /^(?:falls|is reached from the start|can never be reached):/,
  // What has to be looked up.
  /^expected the name of a time zone/,
  /^not a pattern:/,
  /^unknown page type/,
  /^the file is called example/,
];

test("a rule that the schema takes compiles, or its fault is one that JSON Schema cannot say", () => {
  const seen = { taken: 0, refused: 0, onlyCheck: 0 };
  fc.assert(
    fc.property(fc.array(rule, { minLength: 25, maxLength: 25 }), (rules) => {
      for (const content of rules) {
        const faults: string[] = [];
        const compiled = compileRule("example", content, ({ message }) => faults.push(message));
        const inEditor = schemaFaults("rule", content);
        if (inEditor.length > 0) {
          // An editor that warns of a rule that works is worse than one that says nothing.
          expect(compiled, `${JSON.stringify(content)}: ${inEditor.join("; ")}`).toBeUndefined();
          seen.refused++;
        } else {
          const unknown = faults.filter((fault) => !DIFFERENCES.some((known) => known.test(fault)));
          expect(unknown, JSON.stringify(content)).toEqual([]);
          if (compiled === undefined) seen.onlyCheck++;
          else seen.taken++;
        }
      }
    }),
    // The message names the rule already, and making so many rules smaller takes minutes.
    { endOnFailure: true },
  );
  // Else the property would say nothing.
  expect(seen.taken).toBeGreaterThan(30);
  expect(seen.refused).toBeGreaterThan(30);
  expect(seen.onlyCheck).toBeGreaterThan(3);
});

test("the pieces above are of every key of a rule, and of every condition", () => {
  const plainKeys = ["name", "title", "description", "queries", "severity", "when", "groupBy", "for", "over"];
  expect(Object.keys(RuleFile.shape).sort()).toEqual(
    [...plainKeys, "reopenWithin", "incident", "catchUp", "labels", ...Object.keys(COUNTED)].sort(),
  );
  expect(Object.keys(CONDITIONS).sort()).toEqual(mentionConditions.map(({ type }) => type).sort());
  expect(Object.keys(COUNTED).sort()).toEqual(windowConditions.map(({ type }) => type).sort());
});
