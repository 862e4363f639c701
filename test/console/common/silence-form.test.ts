import { expect, test } from "vitest";
import { readSilenceForm } from "../../../src/console/common/silence-form.ts";

const FORM = { query: "Acme*", severity: "any", length: "4h" };

test.each([
  [{ rule: "x".repeat(201) }, "rule: at most 200 letters"],
  [{ label: `author=${"x".repeat(200)}` }, "label: at most 200 letters"],
  [{ comment: "x".repeat(301) }, "because: at most 300 letters"],
  [{ from: "22:00:00", to: "07:00:00", timezone: "UTC" }, "from: at most 5 letters"],
  [{ severity: "below-critcal" }, "severity: "],
])("what cannot be read is refused, and never mutes more than was asked for: %j", (wrong, because) => {
  expect(readSilenceForm({ ...FORM, ...wrong })).toEqual({
    ok: false,
    because: expect.stringContaining(because),
  });
});

test("fields that are left out ask for nothing", () => {
  expect(readSilenceForm({ query: "Acme*" })).toMatchObject({
    ...{ ok: true, match: { query: ["Acme*"] }, comment: "", windows: [] },
  });
});
