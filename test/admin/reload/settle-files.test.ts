import { expect, test } from "vitest";
import { type FilesRead, judgeReading, type ReadOutcome } from "../../../src/admin/reload/settle-files.ts";

const DAY = 86_400_000;
const READ: FilesRead = { found: "Good", hasEmpty: false, unchangedMs: 0, changedAgoMs: DAY, waitedMs: 0 };

test.each<[string, Partial<FilesRead>, ReadOutcome]>([
  ["good files that nobody wrote lately load at once", {}, "Load"],
  ["faults in files that nobody wrote lately are refused at once", { found: "Faulty" }, "Refuse"],
  ["good files that were written just now may be a mixture", { changedAgoMs: 10 }, "ReadAgain"],
  ["good files load after a short rest", { changedAgoMs: 10, unchangedMs: 300 }, "Load"],
  ["faults in a file that was written just now", { found: "Faulty", changedAgoMs: 10 }, "ReadAgain"],
  ["a fresh edit with faults, after the short rest", { found: "Faulty", changedAgoMs: 400 }, "ReadAgain"],
  ["a file that was edited seconds ago", { found: "Faulty", changedAgoMs: 9_000 }, "ReadAgain"],
  [
    "faults that stay for a second are refused",
    { found: "Faulty", unchangedMs: 1_000, changedAgoMs: 1_000 },
    "Refuse",
  ],
  [
    "an empty template is valid, and often half of a change",
    { hasEmpty: true, changedAgoMs: 500 },
    "ReadAgain",
  ],
  [
    "an empty template that stays empty loads",
    { hasEmpty: true, unchangedMs: 1_000, changedAgoMs: 500 },
    "Load",
  ],
  [
    "a clock of the file system that is ahead: our own counts",
    { changedAgoMs: -DAY, unchangedMs: 300 },
    "Load",
  ],
  ["the same with faults", { found: "Faulty", changedAgoMs: -DAY, unchangedMs: 900 }, "ReadAgain"],
  [
    "a clock that is some seconds behind",
    { found: "Faulty", changedAgoMs: 5_000, unchangedMs: 0 },
    "ReadAgain",
  ],
  ["no earshot.yaml", { found: "Faulty", changedAgoMs: null, unchangedMs: 900 }, "ReadAgain"],
  ["no earshot.yaml for a second", { found: "Faulty", changedAgoMs: null, unchangedMs: 1_000 }, "Refuse"],
  ["files that were written while they were read", { found: "Changed", unchangedMs: 2_000 }, "ReadAgain"],
  ["files that are written all the time", { found: "Changed", waitedMs: 5_000 }, "Busy"],
  [
    "faults of files that change all the time",
    { found: "Faulty", changedAgoMs: 10, waitedMs: 5_000 },
    "Refuse",
  ],
  ["good files that change all the time", { changedAgoMs: 10, waitedMs: 5_000 }, "Load"],
])("%s", (_, read, outcome) => {
  expect(judgeReading({ ...READ, ...read })).toBe(outcome);
});
