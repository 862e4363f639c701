import { expect, test } from "vitest";
import { html } from "../../../src/console/common/html.ts";
import { createTimes } from "../../../src/console/common/times.ts";
import { MentionsQuestion, mentionsPage, searchOf } from "../../../src/console/pages/mentions.ts";
import { createManualClock } from "../../../src/lib/clock.ts";
import { DAY } from "../../../src/lib/instant.ts";

const NOW = Date.UTC(2026, 2, 3, 12);
const search = (question: Record<string, unknown>) =>
  searchOf({ question: MentionsQuestion.parse(question), me: null }, NOW);

test("of the last days, and of a time that an address has kept, the last days count, also on the page", () => {
  const question = { last: "7d", from: String(NOW - 60 * DAY), to: String(NOW - 50 * DAY) };
  expect(search(question).filter).toMatchObject({ from: NOW - 7 * DAY, to: NOW + DAY });
  expect(MentionsQuestion.parse(question)).toMatchObject({ last: "7d", from: null, to: null });
  expect(search({ ...question, last: "" }).filter).toMatchObject({
    from: NOW - 60 * DAY,
    to: NOW - 50 * DAY,
  });
});

test("a name is looked for whole, however long: Insights leads here with it", () => {
  const author = "ಅ".repeat(600);
  expect(search({ author }).filter.author).toBe(author);
});

test.each([
  ["letters", { contains: "x".repeat(1_001) }, "A search has at most 1,000 letters."],
  ["words", { contains: "x ".repeat(21) }, "At most 20 words are searched for at once."],
])("a search of too many %s says so, and is not one for less", (_, question, because) => {
  expect(search(question).search).toEqual({ kind: "Fault", because: [because] });
});

test("the queries of a chart stay when the form is sent, until one is chosen", () => {
  const question = MentionsQuestion.parse({ query: ["1", "2"] });
  const queries = [
    { projectId: "7", queryId: "1", name: "Acme" },
    { projectId: "7", queryId: "2", name: "Rival" },
  ];
  const parts = { times: createTimes(createManualClock(NOW), "UTC") } as Parameters<typeof mentionsPage>[1];
  const page = mentionsPage(
    "/mentions?query=1&query=2",
    parts,
    { question, me: null },
    { list: html``, queries },
  );
  const form = /<form class="filters".*?<\/form>/s.exec(page.body.toString())?.[0] ?? "";
  const kept = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(
    ([, name, value]) => [name, value],
  );
  expect(kept).toEqual([
    ["queries", "1"],
    ["queries", "2"],
  ]);
  const sent = { query: "", queries: ["1", "2"], contains: "fire" };
  expect(MentionsQuestion.parse(sent)).toMatchObject({ query: null, queries: ["1", "2"] });
  expect(MentionsQuestion.parse({ ...sent, query: "2" })).toMatchObject({ query: "2", queries: [] });
  expect(MentionsQuestion.parse({ queries: "1" }).queries).toEqual(["1"]);
  expect(MentionsQuestion.parse({}).queries).toEqual([]);
});
