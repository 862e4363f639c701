import { expect, test } from "vitest";
import { findProblems } from "../../../../src/monitor/health/checks.ts";
import { compareVersions, isLoopLate } from "../../../../src/monitor/model/process.ts";
import { aProcess } from "../../model/a-process.ts";
import { aLine, NOW, SETTINGS } from "../pipeline.ts";

const MINUTE = 60_000;

test("a loop is late if it is so on average, or if it paused for long", () => {
  expect(isLoopLate({ meanMs: 250, maxMs: 5_000 })).toBe(false);
  expect(isLoopLate({ meanMs: 251, maxMs: 300 })).toBe(true);
  expect(isLoopLate({ meanMs: 2, maxMs: 5_001 })).toBe(true);
});

test("each process whose loop is late is a problem of its own that says where, how late and what to do", () => {
  const versions = compareVersions(
    [aProcess(), aProcess({ id: "p2", pid: 13, loop: { meanMs: 420.4, maxMs: 2_100 } })],
    null,
  );
  expect(findProblems(aLine({ versions }), SETTINGS)).toEqual([
    {
      rule: "loop-late",
      labels: { process: "web-1 13" },
      since: NOW - MINUTE,
      values: { meanMs: 420, maxMs: 2_100 },
      because:
        "the loop of process 13 on web-1 (poll, tick) is late: 420 ms on average in the last minute, 2100 ms at most. Its work goes on, but late. The machine has too little processor time, or too much is asked of this process: give it more, or run its roles in several processes",
    },
  ]);
});
