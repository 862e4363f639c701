import { expect, test } from "vitest";
import { nextSeverity, Severity } from "../../../src/monitor/model/severity.ts";

test("severities rise from info to critical, and no further", () => {
  expect(Severity.options.map(nextSeverity)).toEqual(["warning", "critical", null]);
});

test.each([
  ["HIGH", 'expected one of info, warning, critical, got "HIGH" — did you mean "critical"?'],
  ["minor", 'expected one of info, warning, critical, got "minor" — did you mean "info"?'],
])("a name of another tool, %s, is explained", (typed, message) => {
  expect(Severity.safeParse(typed).error?.issues[0]?.message).toBe(message);
});

test.each(["blue", 7])("a name that nobody uses, %s, is refused without a guess", (typed) => {
  expect(Severity.safeParse(typed).error?.issues[0]?.message).not.toContain("did you mean");
});
