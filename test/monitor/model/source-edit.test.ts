import { expect, test } from "vitest";
import { editToCategories } from "../../../src/monitor/model/source-edit.ts";

const earlier = (
  state: "due" | "sent" | "given-up",
  addCategories: string[],
  removeCategories: string[] = [],
) => ({
  ...{ state, edit: { addCategories, removeCategories } },
});

test.each([
  ["a first correction", ["2"], ["1"], [], { addCategories: ["2"], removeCategories: ["1"] }],
  [
    "a second one, before a poll has read the first",
    ["3"],
    [],
    [earlier("sent", ["2"])],
    { addCategories: ["3"], removeCategories: ["2"] },
  ],
  [
    "back to what is stored, while the first waits",
    ["1"],
    ["1"],
    [earlier("due", ["2"], ["1"])],
    { addCategories: ["1"], removeCategories: ["2"] },
  ],
  [
    "after one that was given up",
    ["3"],
    [],
    [earlier("given-up", ["2"])],
    { addCategories: ["3"], removeCategories: [] },
  ],
])("%s leaves the mention in just what was wanted", (_, wanted, stored, edits, edit) => {
  expect(editToCategories(wanted, stored, edits)).toEqual(edit);
});
