import { expect, test } from "vitest";
import { idPrefix, NO_PREFIX } from "../../../src/monitor/source/prefix-ids.ts";

const ids = idPrefix("feeds-");

test("the server is asked without the prefix, in every parameter with an id", () => {
  const scope = { projectId: "feeds-1", queryIds: ["feeds-2", "feeds-3"], pageSize: 5 };
  expect(ids.asked(scope)).toEqual({ projectId: "1", queryIds: ["2", "3"], pageSize: 5 });
  expect(ids.asked({ projectId: "feeds-1", queryId: "feeds-2", url: "feeds-x" })).toEqual({
    ...{ projectId: "1", queryId: "2", url: "feeds-x" },
  });
  expect(ids.asked(undefined)).toBeUndefined();
});

test("an id of another server is never sent", () => {
  for (const asked of [{ projectId: "1" }, { projectId: "feeds-1", queryIds: ["feeds-2", "3"] }])
    expect(() => ids.asked(asked)).toThrow("is no id of this source");
});

test("answers have the prefix in every record, and nothing else of them changes", () => {
  expect(ids.answered([{ projectId: "1", name: "1" }])).toEqual([{ projectId: "feeds-1", name: "1" }]);
  expect(
    ids.answered({
      mentions: [{ queryId: "2", resourceId: "2", author: null }],
      rejected: [{ index: 0, resourceId: null, reason: "x" }],
      nextCursor: "2",
    }),
  ).toEqual({
    mentions: [{ queryId: "feeds-2", resourceId: "2", author: null }],
    rejected: [{ index: 0, resourceId: null, reason: "x" }],
    nextCursor: "2",
  });
  expect(ids.answered({ known: true, queries: [{ queryId: "2" }] })).toEqual({
    ...{ known: true, queries: [{ queryId: "feeds-2" }] },
  });
  const answer = { queryId: "2" };
  expect(NO_PREFIX.answered(answer)).toBe(answer);
});
