import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { baselineOf, momentIn, startOf, storyOf } from "../../../src/lab/rule-tests/story.ts";
import { type RuleTest, readRuleTest, unknownNames } from "../../../src/lab/rule-tests/test-file.ts";
import { describeFault } from "../../../src/lib/errors.ts";
import { DAY, HOUR, MINUTE, toIso } from "../../../src/lib/instant.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-rule-tests-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const STORM = `rule: storm
start: 2026-03-28T22:00 Europe/Berlin
usual: { mentions: 20 per hour, negative: 25%, days: 2 }
story:
  - at: "23:00"
    mentions: 60 within 20m
    text: [Where is my refund?, I want my money back]
    sentiment: negative
    authors: 55
  - { at: "day 2 08:00", reclassify: negative to neutral }
  - { at: "2026-03-29T09:00", acknowledge: storm }
expect:
  - { by: "23:15", alert: firing, severity: critical, to: [comms] }
  - { never: { alert: any, rule: other } }
`;

async function read(text: string): Promise<RuleTest> {
  const result = await readText(text);
  if ("faults" in result) throw new Error(result.faults.map(describeFault).join("\n"));
  return result.test;
}

async function readText(text: string) {
  const file = join(folder, "storm.test.yaml");
  await writeFile(file, text);
  return readRuleTest(file);
}

test("times are local, also over a change of clocks and over midnight", async () => {
  const storm = await read(STORM);
  expect(toIso(startOf(storm))).toBe("2026-03-28T21:00:00.000Z");
  expect(toIso(momentIn(storm, "23:00"))).toBe("2026-03-28T22:00:00.000Z");
  // On the next day, an hour of which does not exist.
  expect(toIso(momentIn(storm, "08:00"))).toBe("2026-03-29T06:00:00.000Z");
  expect(toIso(momentIn(storm, "day 2 08:00"))).toBe("2026-03-29T06:00:00.000Z");
  expect(toIso(momentIn(storm, "2026-03-30T08:00"))).toBe("2026-03-30T06:00:00.000Z");
});

test("a story is what the file says, the same every time", async () => {
  const storm = await read(STORM);
  const story = storyOf(storm, ["Acme"]);
  expect(storyOf(storm, ["Acme"])).toEqual(story);
  const told = story.mentions.filter(({ resourceId }) => resourceId.startsWith("story-"));
  expect(told).toHaveLength(60);
  expect(new Set(told.map(({ author }) => author)).size).toBe(55);
  expect(new Set(told.map(({ text }) => text)).size).toBe(2);
  expect(told[0]?.at).toBe(momentIn(storm, "23:00"));
  expect((told.at(-1)?.at ?? 0) - (told[0]?.at ?? 0)).toBeLessThan(20 * MINUTE);
  expect(story.changes).toHaveLength(60);
  expect(story.actions).toEqual([{ at: momentIn(storm, "09:00"), do: "acknowledge", rule: "storm" }]);
  expect(story.end).toBe(momentIn(storm, "09:00") + HOUR);
  for (const named of ["23:00", "23:15", "08:00", "09:00"])
    expect(story.stops, named).toContain(momentIn(storm, named));
});

test("what is usual is as much as it says, but not exactly, and no two mentions are alike", async () => {
  const storm = await read(STORM);
  const baseline = baselineOf(storm, ["Acme"]);
  expect(baseline.length).toBeGreaterThan(48 * 20 * 0.85);
  expect(baseline.length).toBeLessThan(48 * 20 * 1.15);
  const negative = baseline.filter(({ sentiment }) => sentiment === "negative").length / baseline.length;
  expect(negative).toBeGreaterThan(0.2);
  expect(negative).toBeLessThan(0.3);
  expect(new Set(baseline.map(({ text }) => text)).size).toBe(baseline.length);
  expect(new Set(baseline.map(({ resourceId }) => resourceId)).size).toBe(baseline.length);
  expect(Math.min(...baseline.map(({ at }) => at))).toBeGreaterThanOrEqual(startOf(storm) - 2 * DAY);
  expect(Math.max(...baseline.map(({ at }) => at))).toBeLessThan(startOf(storm));
});

test("reclassified is what had that mood at the time, later steps included", async () => {
  const text = `rule: storm
start: 2026-03-02T08:00
story:
  - { at: "09:00", mentions: 2, sentiment: negative }
  - { at: "09:10", reclassify: negative to positive }
  - { at: "09:20", mentions: 1, sentiment: negative }
  - { at: "09:30", reclassify: all to neutral }
expect: [{ by: "10:00", alert: firing }]
`;
  const { changes } = storyOf(await read(text), ["Acme"]);
  expect(changes.map(({ resourceId, sentiment }) => `${resourceId} ${sentiment}`)).toEqual([
    "story-000001 positive",
    "story-000002 positive",
    "story-000001 neutral",
    "story-000002 neutral",
    "story-000003 neutral",
  ]);
});

test.each<[string, string, string]>([
  ["mentions: 60 within 20m", "mentions: sixty", '6:15 expected a number, or "60 within 20m", got "sixty"'],
  ["sentiment: negative", "sentiment: angry", "8:16 expected one of positive, neutral, negative, got"],
  ["sentiment: negative", "sentimnt: negative", '8:5 unknown key "sentimnt"'],
  [
    "start: 2026-03-28T22:00 Europe/Berlin",
    "start: tomorrow",
    "2:8 expected a local time with its time zone",
  ],
  ["start: 2026-03-28T22:00 Europe/Berlin", "start: 2026-03-28T22:00 Berlin", "2:8 expected a local time"],
  ['by: "23:15"', 'by: "25:15"', '13:11 there is no time "25:15"'],
  ['by: "23:15"', "by: 2026-03-01T10:00", "13:11 this is before the start"],
  ['at: "2026-03-29T09:00"', 'at: "2027-03-29T09:00"', "a test lasts 14 days at most"],
  ["negative: 25%", "negative: 25", 'expected a share such as "25%"'],
  ["20 per hour", "20 a lot", 'expected "20 per hour" or "300 per day"'],
  ["acknowledge: storm", "acknowledge: storm, resolve: storm", "a step has one of mentions"],
  [", severity: critical, to: [comms] }", " }", "met"],
  ["alert: firing, severity: critical, to: [comms] ", "", "say what has happened by then"],
  ["never: { alert: any, rule: other }", "never: { rule: other }", "say what must never happen"],
  [
    "to: [comms]",
    'slack: contains "WARNING Acme: 5"',
    "13:62 a text with a colon and a blank in it needs quotation",
  ],
])("%s → %s", async (before, after, fault) => {
  expect(STORM).toContain(before);
  const result = await readText(STORM.replace(before, after));
  if ("test" in result) expect(fault).toBe("met");
  else expect(result.faults.map(describeFault).join("\n")).toContain(fault);
});

test("names that do not exist are faults, with what was probably meant", async () => {
  const storm = await read(STORM);
  const known = { rules: ["storms"], receivers: ["coms", "crisis"], queries: ["Acme"] };
  const faults = unknownNames(storm, known).map((issue) =>
    describeFault(storm.locate(issue)).replace(/^.*yaml:/, ""),
  );
  expect(faults).toEqual([
    expect.stringMatching(/^1:7 there is no rule "storm".*did you mean "storms"\?$/),
    expect.stringMatching(/^11:\d+ there is no rule "storm"/),
    expect.stringMatching(/^13:\d+ there is no receiver "comms".*did you mean "coms"\?$/),
    expect.stringMatching(/^14:\d+ there is no rule "other"/),
  ]);
});

test("whatever stands in a file, reading it gives a test or faults with a place", async () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.double());
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      scalar,
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom("rule", "start", "story", "expect", "at", "by", "never", "mentions", "to"),
        tie("node"),
      ),
    ),
  })).node;
  await fc.assert(
    fc.asyncProperty(value, async (content) => {
      const result = await readText(JSON.stringify(content));
      if ("faults" in result) {
        expect(result.faults.length).toBeGreaterThan(0);
        for (const { line, message } of result.faults) {
          expect(line).toBeGreaterThan(0);
          expect(message).not.toBe("");
        }
      }
    }),
  );
});

test("a fault of an expectation names the wrong word, and what was probably meant", async () => {
  const faultsOf = async (text: string) => {
    const result = await readText(text);
    return "faults" in result ? result.faults.map(describeFault).join("\n") : "";
  };
  expect(await faultsOf(STORM.replace("alert: firing", "alert: fireing"))).toMatch(
    /:13:.*expected one of firing, acknowledged, resolved, any, got "fireing".*did you mean "firing"/,
  );
  expect(await faultsOf(STORM.replace("severity: critical", "severty: critical"))).toMatch(
    /:13:.*unknown key "severty".*did you mean "severity"/,
  );
});

test.each([
  ["a day that no month has", "2026-02-31T08:00 UTC"],
  ["an hour that the clocks skip", "2026-03-29T02:30 Europe/Berlin"],
  ["an hour that no day has", "2026-03-02T25:00 UTC"],
])("%s is no start", async (_, start) => {
  const result = await readText(STORM.replace("2026-03-28T22:00 Europe/Berlin", start));
  expect("faults" in result && result.faults.map(describeFault).join()).toContain("that clocks there show");
});
