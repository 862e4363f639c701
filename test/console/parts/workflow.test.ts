import { expect, test } from "vitest";
import { describePress } from "../../../src/console/parts/workflow.ts";
import type { Workflow } from "../../../src/monitor/model/mention-workflow.ts";

const OPEN: Workflow = { status: "open", assignee: null, tags: [] };
const change = (before: Partial<Workflow>, after: Partial<Workflow>, kind: "change" | "undo" = "change") => ({
  kind,
  before: { ...OPEN, ...before },
  after: { ...OPEN, ...after },
});
const of = (...names: (string | null)[]) => names.map((assignee) => ({ assignee }));

test.each([
  ["one mention", [change({}, { status: "done" })], "The mention: done."],
  [
    "two that become the same",
    [change({}, { status: "done" }), change({ tags: ["vip"] }, { status: "done", tags: ["vip"] })],
    "2 mentions: done.",
  ],
  [
    "who had them before",
    of("bob", "cy", null).map((before) => change(before, { assignee: "ann" })),
    "3 mentions: assigned to ann; before, bob, cy had 2 of them.",
  ],
  [
    "nobody has those of two people any more",
    of("bob", "bob", "cy").map((before) => change(before, {})),
    "2 mentions: nobody has it, bob had it before; 1 mention: nobody has it, cy had it before.",
  ],
  [
    "a tag that one of them had",
    [change({ tags: ["a"] }, { tags: ["a", "b"] }), change({}, { tags: ["a", "b"] })],
    "1 mention: tagged b; 1 mention: tagged a, b.",
  ],
  [
    "an undo gives them back to those who had them",
    of("bob", "cy").map((after) => change({ assignee: "ann" }, after, "undo")),
    "Undone. 1 mention: assigned to bob; before, ann had it; 1 mention: assigned to cy; before, ann had it.",
  ],
  [
    "more ways than anybody reads",
    of("a", "b", "c", "d", "e", "f", "g").map((before) => change(before, {})),
    `${["a", "b", "c", "d", "e"].map((name) => `1 mention: nobody has it, ${name} had it before`).join("; ")}; and 2 other mentions.`,
  ],
  ["none", [], "Nothing is left of it."],
] as const)("a press says what it changed in each of its mentions: %s", (_, changes, sentence) => {
  expect(describePress(changes)).toBe(sentence);
});
