import { expect, test } from "vitest";
import { MINUTE, SECOND } from "../../../src/lib/instant.ts";
import { delayOf, describeRule, formatDelay } from "../../../src/monitor/rules/describe-rule.ts";
import { parseRule } from "../../../src/monitor/rules/parse-rule.ts";

function rule(text: string) {
  const read = parseRule("a", "a.yaml", `description: x\n${text}`);
  if ("faults" in read) throw new Error(read.faults[0]?.message);
  return read.rule;
}
const says = (text: string) =>
  Object.fromEntries(describeRule(rule(text)).map(({ label, text: said }) => [label, said]));
const delay = (text: string, pollMs: number | null) => formatDelay(delayOf(rule(text), pollMs));

test("each kind of rule is said in plain words", () => {
  expect(
    says(
      "severity: info\nwhen: { sentiment: negative, followers: { atLeast: 5000 } }\ngroupBy: author\nover: { after: 12h }",
    ),
  ).toEqual({
    "What alerts": "Each mention that is: negative, at least 5,000 followers.",
    Queries: "All queries.",
    Severity: "Info.",
    "One alert for": "The same query, author.",
    "Is resolved": "After 12h without another such mention.",
  });
  const what = (text: string) => says(`severity: info\n${text}`)["What alerts"];
  expect(what("volume: { atLeast: 50, within: 30m }")).toBe("50 or more mentions in 30 min.");
  expect(what("when: { sentiment: negative }\nspike: { atLeast: 20, authors: 5 }")).toBe(
    "Far more negative mentions than this query usually has at this hour of the week, and 20 at least, by 5 different authors or more.",
  );
  expect(
    what("share: { of: { sentiment: negative }, atLeast: 40%, aboveUsual: 15%, among: 30, within: 1h }"),
  ).toBe(
    "40% or more of the mentions in 1 h are negative; 15 percentage points above what is usual for this query; judged once there are 30.",
  );
  expect(what("absence: { within: 4h, atMost: 10%, expected: 20 }")).toBe(
    "10% or less of the usual mentions in 4 h, at hours for which 20 or more are usual.",
  );
  expect(what("trend: { rising: 30%, over: 3d }")).toBe(
    "On each of the last 3 days more mentions than on the same weekdays before, together by 30% or more, and 20 a day at least.",
  );
  expect(what("new: { what: hashtag, atLeast: 20 }")).toBe(
    "A hashtag that was never seen before, with 20 different authors within 24 h; it only learns for the first 3d.",
  );
});

test("severity steps, waits, queries and labels are said", () => {
  const said = says(
    "severity: { warning: always, critical: { atLeast: 200 } }\nvolume: { atLeast: 50, within: 30m }\nfor: 10m\nqueries: [Acme*]\nreopenWithin: 2h\ncatchUp: newest-first\nlabels: { team: press }",
  );
  expect(said["Severity"]).toBe("Warning at first; critical from at least 200 in 30 min.");
  expect(said["Waits"]).toBe("It must stay so for 10 min before anybody is notified.");
  expect([said["Queries"], said["Labels"], said["Returns"]]).toEqual([
    "Acme*.",
    "Team: press.",
    "Within 2h after its end it is the same alert, firing again.",
  ]);
});

test("the delay is the step, the poll and what the rule itself waits", () => {
  expect(delay("severity: info\nwhen: { tag: a }", 70 * SECOND)).toBe(
    "An alert comes at the earliest some seconds after the mention can be read at the source; while polls are on time, at the latest 2 min after it.",
  );
  expect(delay("severity: info\nvolume: { atLeast: 5, within: 1h }\nfor: 15m", MINUTE)).toBe(
    "An alert comes at the earliest 15 min after the mention that reaches the limit; while polls are on time, at the latest 21 min after it.",
  );
  expect(delay("severity: info\nabsence: { within: 4h }", MINUTE)).toBe(
    "An alert comes at the earliest 4 h after it began to be so; while polls are on time, at the latest 4 h 6 min after it.",
  );
  expect(delay("severity: info\nwhen: { tag: a }", null)).toContain(
    "how late is known after the first polls",
  );
  const { parts } = delayOf(
    rule("severity: info\nspike: { atLeast: 5, windows: [15m, 30m] }\nfor: 5m"),
    MINUTE,
  );
  expect(parts.map(({ what, ms }) => [what, ms])).toEqual([
    ["Window", 30 * MINUTE],
    ["Step", 5 * MINUTE],
    ["Poll", MINUTE],
    ["For", 5 * MINUTE],
  ]);
});
