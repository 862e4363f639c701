import { expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { PLAIN_PATH, type PollRequest } from "../../../src/monitor/model/poll-state.ts";
import type { WatchedQuery } from "../../../src/monitor/model/query.ts";
import { numberBehind, paramsOf, priorityOf } from "../../../src/monitor/polling/page-request.ts";
import { aMention } from "../../mention.ts";
import { aWindowRule } from "../rules/a-rule.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const QUERY = { projectId: "p", queryId: "7", watchFrom: NOON } as WatchedQuery;
const REQUEST: PollRequest = {
  startDate: NOON,
  endDate: NOON + HOUR,
  orderBy: "added",
  orderDirection: "asc",
  cursor: null,
  sinceAdded: NOON,
  path: PLAIN_PATH,
};

test("a page is asked for by its cursor, from the start of the range", () => {
  expect(paramsOf([QUERY, { ...QUERY, queryId: "8" }], REQUEST, 5_000, "c1")).toEqual({
    projectId: "p",
    queryIds: ["7", "8"],
    pageSize: 5_000,
    startDate: NOON,
    endDate: NOON + HOUR,
    orderBy: "added",
    orderDirection: "asc",
    cursor: "c1",
    sinceAdded: NOON,
  });
});

test("what a server ignores is not sent, and where it refuses its cursors a page has a number", () => {
  const request = { ...REQUEST, path: { ...PLAIN_PATH, since: "withheld", pages: "number" } } as const;
  const first = paramsOf([QUERY], request, 100, null);
  expect(first).toMatchObject({ page: 0, cursor: null });
  expect(first).not.toHaveProperty("sinceAdded");
  expect(paramsOf([QUERY], request, 100, "3")).toMatchObject({ page: 3, cursor: null });
});

test.each([
  ["as asked", 4_000, 2],
  ["fewer than asked", 1_000, 10],
])("pages are asked for by number as far as numbers reach (%s)", (_how, rows, pages) => {
  const page = { mentions: Array.from({ length: rows }, () => aMention({})), rejected: [] };
  const asked: number[] = [];
  for (let next: string | null = "0"; next !== null; next = numberBehind(page, Number(next), 4_000))
    asked.push(Number(next));
  expect(asked).toEqual(Array.from({ length: pages }, (_, number) => number));
});

test("history can wait, and a query of a crisis goes first", () => {
  const critical = { ...aWindowRule("volume: { atLeast: 9, within: 1h }"), severity: "critical" } as const;
  const history = { ...REQUEST, sinceAdded: NOON - 30 * 24 * HOUR };
  expect(priorityOf([QUERY], history, () => [critical])).toBe("background");
  expect(priorityOf([QUERY], REQUEST, () => [critical])).toBe("crisis");
  expect(priorityOf([QUERY], REQUEST, () => [])).toBe("live");
});
