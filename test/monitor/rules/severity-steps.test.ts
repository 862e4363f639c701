import { expect, test } from "vitest";
import { describeFault } from "../../../src/lib/errors.ts";
import { parseRule } from "../../../src/monitor/rules/parse-rule.ts";
import { aRule } from "./a-rule.ts";

function faultsOf(lines: string): string[] {
  const read = parseRule("a-rule", "a-rule.yaml", `description: d\n${lines}\n`);
  return "rule" in read ? [] : read.faults.map(describeFault);
}

const VOLUME = "volume: { atLeast: 20, within: 1h }";

test("a rule has what is always true first, and all that its alerts can have", () => {
  const read = parseRule(
    "a-rule",
    "a-rule.yaml",
    `description: d\nseverity: { critical: { atLeast: 200, within: 30m }, info: always, warning: { atLeast: 50 } }\n${VOLUME}\n`,
  );
  expect("rule" in read && [read.rule.severity, read.rule.severities]).toEqual([
    "info",
    ["info", "warning", "critical"],
  ]);
  expect(aRule(VOLUME).severities).toEqual(["info"]);
});

test.each([
  ["severity: { warning: { atLeast: 50 } }", VOLUME, 'one severity has to be "always"'],
  ["severity: { info: always, warning: always }", VOLUME, 'only one severity can be "always"'],
  ["severity: { info: always, waring: { atLeast: 50 } }", VOLUME, 'did you mean "warning"'],
  [
    "severity: { info: always, warning: { atLeast: 100 }, critical: { atLeast: 50 } }",
    VOLUME,
    "it asks for no more than warning",
  ],
  [
    "severity: { info: always, warning: { atLeast: 50, within: 30m }, critical: { atLeast: 50 } }",
    VOLUME,
    "falls",
  ],
  ["severity: { info: always, warning: { atLeast: 20 } }", VOLUME, "is reached from the start"],
  ["severity: { critical: always, warning: { atLeast: 50 } }", VOLUME, "can never be reached"],
  [
    "severity: { info: always, warning: { reach: 50 } }",
    VOLUME,
    'unknown key "reach" (known here: atLeast, within)',
  ],
  [
    "severity: { info: always, warning: 50 }",
    VOLUME,
    'expected "always" or what a rule with volume has to reach',
  ],
  ["severity: { info: always, warning: { atLeast: 50, within: 7m } }", VOLUME, "a multiple of 5m"],
  [
    "severity: { info: always, warning: { atLeast: 50 } }",
    "when: { sentiment: negative }",
    'unknown key "atLeast"',
  ],
  [
    "severity: { info: always, warning: { followers: 5000 } }",
    "when: { followers: { atMost: 1000 } }",
    "can never be reached",
  ],
  [
    "severity: { info: always, warning: { followers: 5000 } }",
    "when: { followers: { atLeast: 5000 } }",
    "is reached from the start",
  ],
  [
    "severity: { info: always, warning: { followers: lots } }",
    "when: { verified: true }",
    "expected a number of 1 or more",
  ],
  [
    "severity: { info: always, warning: { score: 1 } }",
    "spike: { atLeast: 20 }",
    "is reached from the start",
  ],
  [
    "severity: { info: always, warning: { within: 5m } }",
    "spike: { atLeast: 20 }",
    "expected atLeast or score",
  ],
  [
    "severity: { info: always, warning: { atLeast: 90, within: 7m } }",
    "spike: { atLeast: 20 }",
    "expected one of 5m",
  ],
  [
    "severity: { info: always, warning: { atLeast: 30% } }",
    "share: { of: { sentiment: negative }, atLeast: 40%, among: 20, within: 1h }",
    "is reached from the start",
  ],
  ["severity: { info: always, warning: { atLeast: 5 } }", "trend: { rising: 30% }", "has one severity"],
  ["severity: {}", VOLUME, 'one severity has to be "always"'],
])("%s with %s is a fault in plain words", (severity, condition, words) => {
  const faults = faultsOf(`${severity}\n${condition}`);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(words);
});

test.each([
  ["severity: { info: always, critical: { atLeast: 60, within: 2h } }", VOLUME],
  [
    "severity: { info: always, warning: { atLeast: 60% }, critical: { atLeast: 80% } }",
    "share: { of: { sentiment: negative }, atLeast: 40%, among: 20, within: 1h }",
  ],
  ["severity: { warning: always, critical: [{ atLeast: 100 }, { score: 20 }] }", "spike: { atLeast: 20 }"],
  ["severity: { critical: always }", VOLUME],
  [
    "severity: { info: always, warning: { reach: { atLeast: 5000 } }, critical: { reach: 90000 } }",
    "when: { sentiment: negative }",
  ],
])("%s is valid with %s", (severity, condition) => {
  expect(faultsOf(`${severity}\n${condition}`)).toEqual([]);
});
