import { expect, test } from "vitest";
import { mentionsLink } from "../../../src/console/insights/frame.ts";
import type { Scope } from "../../../src/console/insights/question.ts";
import { InsightsQuestion } from "../../../src/monitor/views/question.ts";

const queries = Array.from({ length: 30 }, (_, n) => ({ queryId: String(n) })) as unknown as Scope["queries"];
const linkOf = (chosen: number, own?: readonly string[]) =>
  mentionsLink(
    { question: InsightsQuestion.parse({}), queries, chosen: queries.slice(0, chosen) },
    { from: 0, to: 1, ...(own !== undefined && { queries: own }) },
  );
const queriesIn = (link: string | null) =>
  link === null ? null : new URL(link, "http://x").searchParams.getAll("query");

test("a number leads to the mentions of its queries, and nowhere if that page cannot show them alone", () => {
  expect(queriesIn(linkOf(30))).toEqual([]);
  expect(queriesIn(linkOf(20))).toHaveLength(20);
  expect(linkOf(21)).toBeNull();
  expect(queriesIn(linkOf(30, ["7"]))).toEqual(["7"]);
  expect(
    linkOf(
      30,
      queries.slice(0, 22).map(({ queryId }) => queryId),
    ),
  ).toBeNull();
});
