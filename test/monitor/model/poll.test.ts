import { expect, test } from "vitest";
import { CLOCK_AHEAD_MS, clockAheadMs, worstDelayMs } from "../../../src/monitor/model/poll.ts";

test.each([
  ["before the first poll", null, 100, null],
  ["with a poll to come", 40, 120, 80],
  ["with a poll that is late", 40, 60, 60],
])("the longest delay of a mention %s", (_, polledAt, nextPollAt, delay) => {
  expect(worstDelayMs({ polledAt, nextPollAt }, 100)).toBe(delay);
});

test.each([
  ["no moment", [null], null],
  ["moments of before", [1, 2], null],
  ["clocks that differ by the limit", [100 + CLOCK_AHEAD_MS], null],
  ["clocks that differ by more", [7, 101 + CLOCK_AHEAD_MS, 100], CLOCK_AHEAD_MS + 1],
])("how far a clock was ahead: %s", (_, stamps, ahead) => {
  expect(clockAheadMs(stamps, 100)).toBe(ahead);
});
