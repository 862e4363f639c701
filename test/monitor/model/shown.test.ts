import { expect, test } from "vitest";
import { DAY } from "../../../src/lib/instant.ts";
import { isByArrival, type MentionFilter } from "../../../src/monitor/model/shown.ts";

test.each<[string, Partial<MentionFilter>, boolean]>([
  ["all mentions", {}, true],
  ["those of a query", { queryId: "7" }, false],
  ["those of several queries", { queryIds: ["7"] }, false],
  ["those of eight days", { from: 0, to: 8 * DAY }, false],
  ["those of more than eight days", { from: DAY, to: 9 * DAY + 1 }, true],
  ["those since a day", { from: DAY }, true],
  ["those until a day", { to: DAY }, true],
  ["those of a query in a long time", { queryId: "7", from: 0, to: 90 * DAY }, false],
])("a list of %s", (_, filter, byArrival) => {
  expect(isByArrival({ queryId: null, ...filter } as MentionFilter)).toBe(byArrival);
});
