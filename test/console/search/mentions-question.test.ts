import { expect, test } from "vitest";
import { MentionsQuestion, searchOf } from "../../../src/console/pages/mentions.ts";
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
