import { expect, test } from "vitest";
import { checkVersions } from "../../../../src/monitor/health/checks/check-versions.ts";
import { findProblems } from "../../../../src/monitor/health/checks.ts";
import { compareVersions } from "../../../../src/monitor/model/process.ts";
import { aProcess } from "../../model/a-process.ts";
import { aLine, NOW, SETTINGS } from "../pipeline.ts";

const MINUTE = 60_000;
const took = aProcess({ version: "new", since: NOW - 10 * MINUTE });
const stale = aProcess({ version: "old", host: "web-2", pid: 7 });
const faults = ["its files are version old, and new was asked for: copy the new files there"];
const versions = compareVersions([took, { ...stale, refused: { at: NOW, faults, filesAre: "old" } }], {
  id: "r1",
  version: "new",
  at: NOW - 10 * MINUTE,
});

test("processes that differ for three minutes are a problem that says where, why and what to do", () => {
  expect(checkVersions(versions, NOW - 8 * MINUTE)).toEqual({ outcome: "DifferForAMoment" });
  const [problem] = findProblems(aLine({ versions, wall: NOW }), SETTINGS);
  expect(problem).toMatchObject({
    rule: "versions-differ",
    since: NOW - 10 * MINUTE,
    values: { processes: 1 },
  });
  expect(problem?.because).toBe(
    "1 process of 2 runs another version of the configuration than new, which was asked for: web-2 process 7 (old). Its files are version old, and new was asked for: copy the new files there. So the same mention may be judged and sent in two ways. Correct the files there, and run earshot reload",
  );
});

test("several processes that differ are one problem since the first of them", () => {
  const since = (at: number) => ({ differsSince: at, since: at });
  const differing = { ...versions.processes[1], ...since(NOW - 3 * MINUTE) } as never;
  const later = { ...versions.processes[1], ...since(NOW - MINUTE), host: "web-3" } as never;
  const three = { ...versions, processes: [...versions.processes.slice(0, 1), later, differing] };
  expect(checkVersions(three, NOW)).toMatchObject({ outcome: "Differ", forMs: 3 * MINUTE, others: 2 });
  expect(checkVersions(three, NOW - 1)).toEqual({ outcome: "DifferForAMoment" });
  const [problem] = findProblems(aLine({ versions: three, wall: NOW }), SETTINGS);
  expect(problem?.because).toMatch(
    /^2 processes of 3 run another version of the configuration than new, which was asked for: web-3 process 7 \(old\), web-2 process 7/,
  );
});

test("processes that run the same are none", () => {
  expect(checkVersions(compareVersions([took, took], null), NOW)).toEqual({ outcome: "Same" });
});
