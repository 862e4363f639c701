import { expect, test } from "vitest";
import { categoriesAfter } from "../../../src/monitor/model/source-edit.ts";

/** Our copy shows what the account had at this moment. */
const READ_AT = 1_000;

const edit = (
  state: "due" | "sent" | "given-up",
  at: number,
  addCategories: string[],
  removeCategories: string[] = [],
) => ({ ...{ state, at, edit: { addCategories, removeCategories } } });

test.each([
  ["none was corrected", ["1"], [], ["1"]],
  ["one waits to be written", ["1"], [edit("due", 900, ["2"], ["1"])], ["2"]],
  ["one was written after our copy was read", ["1"], [edit("sent", 1_001, ["2"])], ["1", "2"]],
  ["our copy shows one, and the account changed it since", ["1"], [edit("sent", 1_000, ["2"], ["1"])], ["1"]],
  ["one was given up", ["1"], [edit("given-up", 2_000, ["2"])], ["1"]],
  ["the later of two undoes the first", [], [edit("due", 900, ["2"]), edit("due", 901, [], ["2"])], []],
])("%s", (_, stored, edits, has) => {
  expect(categoriesAfter(stored, READ_AT, edits)).toEqual(has);
});

test("a corrected sentiment changes no category", () => {
  const corrected = { state: "due", at: 2_000, edit: { sentiment: "negative" } } as const;
  expect(categoriesAfter(["1"], READ_AT, [corrected])).toEqual(["1"]);
});
