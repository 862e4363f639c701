import fc from "fast-check";
import { expect, test } from "vitest";
import {
  answerOf,
  compareVersions,
  type RunningProcess,
  whyOther,
} from "../../../src/monitor/model/process.ts";
import { aProcess } from "./a-process.ts";

const REQUEST = { id: "r1", version: "new", at: 100 };
const OTHER_FILES = { at: 110, faults: ["its files are version old"], filesAre: "old" };

function others(processes: readonly RunningProcess[], request: typeof REQUEST | null = REQUEST) {
  const { asked, processes: compared } = compareVersions(processes, request);
  return { asked, differ: compared.map(({ differsSince }) => differsSince) };
}

test("a process that has not loaded what was asked for differs since the request", () => {
  const old = aProcess({ version: "old", startedAt: 1, since: 1 });
  const took = aProcess({ version: "new", startedAt: 1, since: 105 });
  expect(others([old, took])).toEqual({ asked: "new", differ: [100, null] });
  expect(others([old])).toEqual({ asked: "new", differ: [100] });
});

test("a process that was started later with other files differs since its start", () => {
  const took = aProcess({ version: "new", startedAt: 1, since: 105 });
  const restarted = aProcess({ version: "old", startedAt: 500, since: 500 });
  expect(others([took, restarted])).toEqual({ asked: "new", differ: [null, 500] });
});

test("a request is out of date once all were restarted with other files", () => {
  const both = [200, 210].map((at) => aProcess({ version: "newer", startedAt: at, since: at }));
  expect(others(both)).toEqual({ asked: "newer", differ: [null, null] });
});

test("without a request, all are compared with the one that was started last", () => {
  const first = aProcess({ version: "old", startedAt: 1, since: 1 });
  const last = aProcess({ version: "new", startedAt: 9, since: 9 });
  expect(others([first, last], null)).toEqual({ asked: "new", differ: [9, null] });
  expect(others([], null)).toEqual({ asked: null, differ: [] });
});

test("a process that was started at the moment of the request does not make it out of date by itself", () => {
  const at = aProcess({ version: "newer", startedAt: REQUEST.at, since: REQUEST.at });
  expect(others([at])).toEqual({ asked: "newer", differ: [null] });
});

test("without a request, a process differs since the first that runs the newest version", () => {
  const [first, second] = [3, 9].map((at) => aProcess({ version: "new", startedAt: at, since: at }));
  const old = aProcess({ version: "old", startedAt: 1, since: 1 });
  expect(others([first, second, old] as RunningProcess[], null).differ).toEqual([null, null, 3]);
});

test("why a process runs another version: its faults, or how it was started", () => {
  expect(whyOther(aProcess({ version: "old" }))).toBe("it was started with version old");
  const faults = ["rules/a.yaml is wrong", "rules/b.yaml is wrong"];
  expect(whyOther(aProcess({ refused: { ...OTHER_FILES, faults } }))).toBe(
    "rules/a.yaml is wrong; rules/b.yaml is wrong",
  );
});

test("whatever runs: what differs runs another version than was asked for, and nothing else differs", () => {
  const process = fc.record({
    version: fc.constantFrom("new", "old", "older"),
    startedAt: fc.nat(200),
    since: fc.nat(200),
  });
  fc.assert(
    fc.property(fc.array(process), fc.boolean(), (made, isAsked) => {
      const { asked, processes } = compareVersions(made.map(aProcess), isAsked ? REQUEST : null);
      for (const { version, differsSince } of processes) {
        expect(differsSince === null).toBe(version === asked);
        if (differsSince !== null) expect(Number.isFinite(differsSince)).toBe(true);
      }
    }),
  );
});

test.each([
  ["has not looked yet", aProcess({ version: "old" }), "waits"],
  ["took it up", aProcess({ version: "new", answered: "r1" }), "took-up"],
  ["has other files", aProcess({ version: "old", answered: "r1", refused: OTHER_FILES }), "refused"],
  ["tries again", aProcess({ version: "old", refused: OTHER_FILES }), "waits"],
  ["was started with it", aProcess({ version: "new", startedAt: 100 }), "took-up"],
  ["ran it before", aProcess({ version: "new" }), "waits"],
  ["answered, and was started with other files since", aProcess({ version: "old", answered: "r1" }), "waits"],
  ["was started later with other files", aProcess({ version: "old", startedAt: 100 }), "waits"],
])("a process that %s", (_, process, answer) => {
  expect(answerOf(process, REQUEST)).toBe(answer);
});
