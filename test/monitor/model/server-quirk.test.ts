import { expect, test } from "vitest";
import { formatQuirk, inOrder, isQuirkName, QUIRKS } from "../../../src/monitor/model/server-quirk.ts";

const NAMES = Object.keys(QUIRKS).filter(isQuirkName);

test("quirks are listed in one order, however they were found", () => {
  const found = NAMES.map((quirk) => ({ quirk })).toReversed();
  expect(inOrder(found).map(({ quirk }) => quirk)).toEqual(NAMES);
});

test("each value of a quirk has words, and one of a later Earshot is shown as it is", () => {
  for (const quirk of NAMES) {
    for (const [value, words] of Object.entries(QUIRKS[quirk]))
      expect(formatQuirk({ quirk, value })).toBe(words);
    expect(formatQuirk({ quirk, value: "never seen" })).toBe("never seen");
  }
});
