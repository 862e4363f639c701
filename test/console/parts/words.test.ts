import { expect, it } from "vitest";
import { followed, formatMeasured } from "../../../src/console/parts/words.ts";

it.each([
  [1233.4, "1,233.4"],
  [40.912, "40.91"],
  [0.00123, "0.0012"],
  [4e-7, "4e-7"],
  [9e-41, "below 1 in a billion"],
  [0, "0"],
])("what was measured as %d is shown as %s", (value, text) => expect(formatMeasured(value)).toBe(text));

it("counts one follower, and more", () => {
  expect([followed(1), followed(2), followed(999)]).toEqual(["1 follower", "2 followers", "999 followers"]);
});
