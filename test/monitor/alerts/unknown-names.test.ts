import { expect, test } from "vitest";
import {
  refuseUnknownNames,
  refuseUnknownQueries,
  unknownName,
  unknownNamesInMatch,
} from "../../../src/monitor/alerts/unknown-names.ts";
import { AlertMatch } from "../../../src/monitor/model/alert-match.ts";
import { alertNames } from "../../../src/monitor/rules/alert-names.ts";
import type { Rule } from "../../../src/monitor/rules/rule.ts";

const NAMES = { rules: ["volume-spike", "crisis"], labels: ["author", "team"] };
const issues = (match: object) =>
  unknownNamesInMatch(AlertMatch.parse(match), NAMES, ["routes", 0]).map(({ path, message, suggestion }) => [
    path.join("."),
    message,
    suggestion,
  ]);

test.each([
  [{}, []],
  [{ rule: ["crisis", "volume-*"], labels: { author: "a" } }, []],
  // A pattern may mean rules that are still to come.
  [{ rule: "later-?" }, []],
  [
    { rule: ["crisis", "volume-spik"] },
    [["routes.0.rule.1", 'there is no rule "volume-spik"', "volume-spike"]],
  ],
  [
    { rule: "zzzzzz" },
    [["routes.0.rule.0", 'there is no rule "zzzzzz" (there are crisis, volume-spike)', undefined]],
  ],
  [{ labels: { athor: "a" } }, [["routes.0.labels.athor", 'no rule gives a label "athor"', "author"]]],
  [
    { labels: { severity: "info" } },
    [
      [
        "routes.0.labels.severity",
        '"severity" is no label: write it next to "labels", not inside',
        undefined,
      ],
    ],
  ],
  [
    { not: { rule: "crysis", labels: { teem: "x" } } },
    [
      ["routes.0.not.rule.0", 'there is no rule "crysis"', "crisis"],
      ["routes.0.not.labels.teem", 'no rule gives a label "teem"', "team"],
    ],
  ],
])("names that no alert can have in %j: %j", (match, expected) => {
  expect(issues(match)).toEqual(expected);
});

test("a label that is unknown is marked at its key, not at its value", () => {
  const places = unknownNamesInMatch(AlertMatch.parse({ labels: { athor: "a", rule: "b" } }), NAMES, []);
  expect(places.map(({ at }) => at)).toEqual(["key", "key"]);
});

test("the names of alerts are those of the rules and their labels, and Earshot's own", () => {
  const rule = { name: "mine", extraLabels: { team: "pr" } } as unknown as Rule;
  const { rules, labels } = alertNames([rule]);
  expect(rules[0]).toBe("mine");
  expect(rules.length).toBeGreaterThan(1);
  expect(labels).toEqual(expect.arrayContaining(["author", "story", "team", "feed"]));
  expect(new Set(labels).size).toBe(labels.length);
  expect(() =>
    refuseUnknownNames(AlertMatch.parse({ rule: "mine", labels: { team: "pr" } }), alertNames([rule])),
  ).not.toThrow();
  expect(() => refuseUnknownNames(AlertMatch.parse({ rule: "mina" }), alertNames([rule]))).toThrow(
    'there is no rule "mina" — did you mean "mine"?',
  );
});

test("a query has to be watched, by its name or its id; patterns may mean any", () => {
  const watched = [
    { queryId: "101", name: "United" },
    { queryId: "102", name: "Delta" },
  ];
  const refused = (match: object, among = watched) => {
    try {
      refuseUnknownQueries(AlertMatch.parse(match), among);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
  };
  for (const query of ["United", "united", "102", "Uni*", "?", "Earshot"])
    expect(refused({ query })).toBe(null);
  expect(refused({})).toBe(null);
  expect(refused({ query: ["United", "Unitd"] })).toBe(
    'no query "Unitd" is watched — did you mean "United"?',
  );
  expect(refused({ not: { query: "Unitd" } })).toMatch(/^no query "Unitd" is watched/);
  expect(refused({ query: "103" })).toMatch(/^no query "103"/);
  // Before the first poll nobody knows.
  expect(refused({ query: "Unitd" }, [])).toBe(null);
});

test("a name that is like no other comes with all there are, in order", () => {
  expect(unknownName(["a"], "what?", "zzzzzz", ["b", "a"])).toEqual({
    path: ["a"],
    message: "what? (there are a, b)",
  });
});
