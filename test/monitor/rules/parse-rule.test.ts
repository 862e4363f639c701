import { readdir, readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeFault } from "../../../src/lib/errors.ts";
import { mentionConditions } from "../../../src/monitor/rules/conditions.ts";
import { parseRule } from "../../../src/monitor/rules/parse-rule.ts";

const FOLDER = new URL("../../fixtures/rules/", import.meta.url);
/** Stands for all keys of `when` in the fixtures, so that a new condition changes none of them. */
const EVERY_CONDITION = [...mentionConditions.map(({ type }) => type), "all", "any", "not"].join(", ");

describe("parseRule", async () => {
  for (const entry of (await readdir(FOLDER)).sort()) {
    it(`reports every fault of ${entry}, each at its position`, async () => {
      const text = await readFile(new URL(entry, FOLDER), "utf8");
      const expected = [...text.matchAll(/^# expect (.*)$/gm)].map(
        ([, fault = ""]) => `${entry}:${fault.replace("<every condition>", EVERY_CONDITION)}`,
      );
      const read = parseRule(entry.replace(".yaml", ""), entry, text);
      expect("faults" in read ? read.faults.map(describeFault) : []).toEqual(expected);
    });
  }

  it("never throws, for any text", () => {
    const words = fc.constantFrom(
      "when",
      "all",
      "any",
      "not",
      "- ",
      ": ",
      "\n",
      "  ",
      "spike",
      "[",
      "{",
      "*a",
      "&a",
      "40%",
      "!!js",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((parts) => parts.join("")),
        ),
        (text) => {
          const read = parseRule("a-rule", "a-rule.yaml", text);
          fc.pre("faults" in read);
          expect(read.faults.length).toBeGreaterThan(0);
          for (const { line, column } of read.faults)
            expect(Math.min(line, column)).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });

  it("refuses a file whose aliases would grow without end", () => {
    const lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (const [from, to] of ["ab", "bc", "cd", "de"])
      lines.push(`${to}: &${to} [${`*${from}, `.repeat(10)}]`);
    const read = parseRule("a-rule", "a-rule.yaml", lines.join("\n"));
    expect("faults" in read && read.faults.length).toBeTruthy();
  });

  it("refuses conditions that are nested without end", () => {
    const text = `description: d\nseverity: info\nwhen: ${"{not: ".repeat(60)}{sentiment: negative}${"}".repeat(60)}`;
    const read = parseRule("a-rule", "a-rule.yaml", text);
    expect("faults" in read && read.faults[0]?.message).toBe("conditions are nested too deeply");
  });
});
