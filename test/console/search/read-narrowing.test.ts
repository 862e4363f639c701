import { expect, test } from "vitest";
import { readNarrowing } from "../../../src/console/search/read-narrowing.ts";

test.each([
  ["assignee:me", "", { assignee: "me" }],
  ["battery status:to-do fire", "battery  fire", { status: "to-do" }],
  ['tag:"press office" AND battery', "battery", { tag: "press office" }],
  ["(battery OR fire) AND Status:DONE", "(battery OR fire)", { status: "done" }],
  ["tag:vip AND assignee:ann", "", { tag: "vip", assignee: "ann" }],
  ["tag:vip AND fire AND assignee:ann", "fire", { tag: "vip", assignee: "ann" }],
  ['"see status:open here"', '"see status:open here"', {}],
  ["hashtag:vip title:fire", "hashtag:vip title:fire", {}],
  ["", "", {}],
])("%s", (typed, rest, narrowing) => {
  expect(readNarrowing(typed)).toEqual({ rest, narrowing, faults: [] });
});

test.each([
  "NOT status:done",
  "battery OR tag:vip",
  "tag:vip OR battery",
  "(battery tag:vip)",
  "status:late",
])("%s is explained, not guessed", (typed) => {
  expect(readNarrowing(typed).faults).toHaveLength(1);
});
