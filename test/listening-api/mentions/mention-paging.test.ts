import { expect, test } from "vitest";
import type { Cursor } from "../../../src/listening-api/mentions/cursor-codec.ts";
import { isPinned, neighbours } from "../../../src/listening-api/mentions/mention-paging.ts";
import type { MentionsRequest } from "../../../src/listening-api/mentions/mentions-request.ts";
import { MENTION_ORDERS } from "../../../src/listening-api/store/mention-orders.ts";

const AT = 5_000;
const position = { key: 7, resourceId: "seven", queryId: 1 };

function request(orderBy: string, direction: "asc" | "desc"): MentionsRequest {
  const order = MENTION_ORDERS.get(orderBy);
  if (order === undefined) throw new Error(`there is no order by ${orderBy}`);
  const range = { queryIds: [1], from: 0, to: AT, conditions: [] };
  return { range, order, direction, page: 0, pageSize: 2, cursor: undefined };
}

test("only orders in which a mention may jump back show the state of one moment", () => {
  const pinned = ["date", "added", "updated", "impact"].map((name) =>
    (["asc", "desc"] as const).map((direction) => isPinned(request(name, direction))),
  );
  expect(pinned).toEqual([
    [false, false],
    [false, false],
    [false, true],
    [true, true],
  ]);
});

test.each([true, false])(
  "from an empty page before the first mention (inclusive: %s) the way forward shows each mention once",
  (inclusive) => {
    const cursor: Cursor = {
      ...{ position, toward: "previous", inclusive, page: 0 },
      ...{ pinnedAt: null, newSince: null },
    };
    const { next, previous, page } = neighbours(request("date", "asc"), cursor, [], AT);
    expect(page).toBe(0);
    // What this page would have had is not on the next one.
    expect(next).toMatchObject({ position, toward: "next", inclusive: !inclusive, page: 1 });
    expect(previous).toMatchObject({ position, toward: "previous", inclusive, page: 0 });
  },
);
