import { expect, test } from "vitest";
import { afterSocket } from "../../../../../src/monitor/notify/notifiers/slack/listen-socket.ts";

/** The pauses in a row before each next socket, after sockets that were open for the given times. */
function pausesAfter(...open: readonly (number | null)[]): number[] {
  let row = { pauses: 0, quick: 0 };
  return open.map((openMs) => {
    row = afterSocket(row, { openMs });
    return row.pauses;
  });
}

test("a socket that lasted is followed at once, however often", () => {
  expect(pausesAfter(3_600_000, 3_600_000, 90_000)).toEqual([0, 0, 0]);
});

test("a socket that cannot be opened is retried after longer and longer pauses", () => {
  expect(pausesAfter(null, null, null, 3_600_000, null)).toEqual([1, 2, 3, 0, 1]);
});

test("one that is closed immediately is followed at once only one time", () => {
  expect(pausesAfter(50, 50, 50, 50, 3_600_000, 50)).toEqual([0, 1, 2, 3, 0, 0]);
});
