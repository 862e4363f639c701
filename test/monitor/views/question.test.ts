import { expect, test } from "vitest";
import { chosenQueries, hasFilters, InsightsQuestion } from "../../../src/monitor/views/question.ts";

const ask = (asked: Record<string, unknown>) => InsightsQuestion.parse(asked);

test.each([
  [{ query: "7" }, ["7"]],
  [{ query: ["7", "", "8"] }, ["7", "8"]],
  [{ query: "" }, []],
  [{ query: "x".repeat(101) }, []],
  [{}, []],
])("the queries of %j", (asked, query) => {
  expect(ask(asked).query).toEqual(query);
});

test.each([
  [{ sentiment: "negative" }, { sentiment: "negative" }],
  [{ sentiment: "NEGATIVE" }, {}],
  [{ sentiment: "negatively" }, {}],
  [{ author: "@@Ann" }, { author: "Ann" }],
  [
    { country: "Norway", category: "Price" },
    { country: "Norway", category: "Price" },
  ],
  [
    { language: "DE", domain: " Daily.Example " },
    { language: "de", domain: "daily.example" },
  ],
  [{ author: " ", list: "vip" }, {}],
])("the filters of %j", (asked, filters) => {
  const question = ask(asked);
  expect(question.filters).toEqual(filters);
  expect(hasFilters(question)).toBe(Object.keys(filters).length > 0);
});

test("queries that are asked for are chosen by name, and all where none of them is known", () => {
  const active = ["Coyote", "acme", "Bolt"].map((name, n) => ({ name, queryId: String(n) }));
  const names = (query: string[]) => chosenQueries(active, { query }).chosen.map(({ name }) => name);
  expect(chosenQueries(active, { query: [] }).queries.map(({ name }) => name)).toEqual([
    "acme",
    "Bolt",
    "Coyote",
  ]);
  expect(names(["0", "2"])).toEqual(["Bolt", "Coyote"]);
  expect(names(["1", "gone"])).toEqual(["acme"]);
  expect(names(["gone"])).toEqual(["acme", "Bolt", "Coyote"]);
});
