import { expect, test } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import { MOST_TAGS, NO_WORKFLOW, readTags } from "../../../src/monitor/model/mention-workflow.ts";
import { press, UNDO_MS, undo } from "../../../src/monitor/workflow/press.ts";

const NOW = 1_000_000;
const ann = { via: "page", login: "ann", typed: null } as const;
const bob = { via: "page", login: "bob", typed: null } as const;

test("the last press counts, and a press that changes nothing is none", () => {
  const annHasIt = { ...NO_WORKFLOW, assignee: "ann" };
  expect(press(annHasIt, { do: "assign", to: "bob" })).toEqual({
    outcome: "Changed",
    after: { ...annHasIt, assignee: "bob" },
  });
  expect(press(annHasIt, { do: "assign", to: "ann" })).toEqual({ outcome: "Unchanged" });
  expect(press(annHasIt, { do: "assign", to: null })).toMatchObject({ after: NO_WORKFLOW });
  expect(press(NO_WORKFLOW, { do: "status", status: "done" })).toMatchObject({ after: { status: "done" } });
  expect(press(NO_WORKFLOW, { do: "status", status: "open" })).toEqual({ outcome: "Unchanged" });
});

test("tags differ by more than capitals, and there are not too many", () => {
  const vip = { ...NO_WORKFLOW, tags: ["VIP"] };
  expect(press(vip, { do: "tag", tags: ["vip"] })).toEqual({ outcome: "Unchanged" });
  expect(press(vip, { do: "tag", tags: ["press", "Press"] })).toMatchObject({
    after: { tags: ["VIP", "press"] },
  });
  expect(press(vip, { do: "untag", tags: ["vip", "none"] })).toMatchObject({ after: { tags: [] } });
  const many = Array.from({ length: MOST_TAGS }, (_, n) => `t${n}`);
  expect(press(vip, { do: "tag", tags: many })).toEqual({ outcome: "TooManyTags" });
  expect(press(vip, { do: "tag", tags: many.slice(1) })).toMatchObject({ outcome: "Changed" });
});

test("typed tags are one line each, without what would act or hide", () => {
  expect(readTags(" vip, press  office ,,\u202Egnp\n\u0000")).toEqual(["vip", "press office", "gnp \ufffd"]);
  expect(readTags("x".repeat(500))).toEqual(["x".repeat(40)]);
});

test("whoever pressed takes it back, soon, and if nobody has gone on from it", () => {
  const pressed = { at: NOW, actor: ann, changedBy: null };
  expect(undo([pressed], ann, NOW + MINUTE)).toEqual({ outcome: "Undone" });
  expect(undo([pressed], ann, NOW + UNDO_MS)).toEqual({ outcome: "Undone" });
  expect(undo([pressed], ann, NOW + UNDO_MS + 1)).toEqual({ outcome: "TooLate" });
  expect(undo([pressed], bob, NOW)).toEqual({ outcome: "OfSomebodyElse", by: ann });
  expect(undo([], ann, NOW)).toEqual({ outcome: "Gone" });
  expect(undo([pressed, { ...pressed, changedBy: bob }], ann, NOW)).toEqual({
    outcome: "ChangedSince",
    by: bob,
    mentions: 1,
  });
});

test("without a login everybody at the page is one, whatever name they type", () => {
  const nobody = { via: "page", login: null, typed: "Ann" } as const;
  const pressed = { at: NOW, actor: nobody, changedBy: null };
  expect(undo([pressed], { ...nobody, typed: null }, NOW)).toEqual({ outcome: "Undone" });
  expect(undo([{ ...pressed, actor: ann }], nobody, NOW)).toMatchObject({ outcome: "OfSomebodyElse" });
  // Nobody of Slack is somebody else; Ann is Ann wherever she presses.
  const ofSlack = { via: "slack", login: null, typed: "Ann" } as const;
  expect(undo([pressed], ofSlack, NOW)).toMatchObject({ outcome: "OfSomebodyElse" });
  expect(undo([{ ...pressed, actor: ann }], { ...ann, via: "slack" }, NOW)).toEqual({ outcome: "Undone" });
});
