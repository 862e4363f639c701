import { readFile } from "node:fs/promises";
import { z } from "zod";
import { Severity } from "#monitor";
import { closestWord } from "../../lib/closest-word.ts";
import { describeIssues } from "../../lib/describe-issues.ts";
import { parseDuration } from "../../lib/duration.ts";
import type { Fault, Issue } from "../../lib/errors.ts";
import { whyUnread } from "../../lib/errors.ts";
import { DAY, HOUR, MINUTE, toIso } from "../../lib/instant.ts";
import { editorSchema, type JsonSchema } from "../../lib/json-schema.ts";
import { instantOf, offsetAt, TimeZone } from "../../lib/local-time.ts";
import { byPlace, readYaml } from "../../lib/read-yaml.ts";

const Text = z.string().trim().min(1);
const oneOrMore = <Schema extends z.ZodType>(one: Schema) =>
  z.union([one.transform((value) => [value]), z.array(one).min(1)]);
const Texts = oneOrMore(Text);
const Sentiment = z.enum(["positive", "neutral", "negative"]);

const LongerThanZero = z.string().transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  context.addIssue({ code: "custom", message: `expected a duration such as "20m", got "${text}"` });
  return z.NEVER;
});

/** `60`, or `60 within 20m`: spread evenly over that time. */
const Amount = z.union([z.int().min(1).max(100_000), z.string()]).transform((value, context) => {
  if (typeof value === "number") return { count: value, withinMs: 0 };
  const [, count, within] = /^\s*(\d{1,6})(?:\s+(?:with)?in\s+(\S.*))?$/.exec(value) ?? [];
  const withinMs = within === undefined ? 0 : parseDuration(within);
  if (count !== undefined && Number(count) > 0 && Number(count) <= 100_000 && withinMs !== undefined)
    return { count: Number(count), withinMs };
  context.addIssue({ code: "custom", message: `expected a number, or "60 within 20m", got "${value}"` });
  return z.NEVER;
});

/** `20 per hour` or `300 per day`; answers mentions an hour. */
const Rate = z.union([z.string(), z.number()]).transform((value, context) => {
  const text = String(value);
  const [, count, unit] = /^\s*(\d+(?:\.\d+)?)\s+per\s+(hour|day)\s*$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) / (unit === "day" ? 24 : 1);
  context.addIssue({ code: "custom", message: `expected "20 per hour" or "300 per day", got "${text}"` });
  return z.NEVER;
});

/** `25%`; answers 0 to 1. */
const Share = z.union([z.string(), z.number()]).transform((value, context) => {
  const text = String(value);
  const [, percent] = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(text) ?? [];
  if (percent !== undefined && Number(percent) <= 100) return Number(percent) / 100;
  context.addIssue({ code: "custom", message: `expected a share such as "25%", got "${text}"` });
  return z.NEVER;
});

/** `all to neutral`, `negative to neutral`. */
const Reclassify = z.string().transform((text, context) => {
  const [, from, to] =
    /^\s*(all|positive|neutral|negative)\s+to\s+(positive|neutral|negative)\s*$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined) return { from: from === "all" ? null : from, to };
  context.addIssue({
    code: "custom",
    message: `expected "all to neutral" or "negative to neutral", got "${text}"`,
  });
  return z.NEVER;
});

/**
 * A moment of the story: `09:00` (on the day of the start, or on the next day where that is before the start),
 * `day 2 09:00`, or `2026-03-03T09:00`, in the time zone of the test. Read with the start, see `momentIn`.
 */
const Moment = z
  .string()
  .regex(
    /^(?:day \d{1,3} )?\d{1,2}:\d{2}$|^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/,
    'expected a time such as "09:15", "day 2 09:15" or "2026-03-03T09:15"',
  );

/** `2026-03-02T08:00 Europe/Berlin`. */
const Start = z.string().transform((text, context) => {
  const [, date, hour, minute, zone = "UTC"] =
    /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?:\s+(\S+))?$/.exec(text.trim()) ?? [];
  const named = TimeZone.safeParse(zone);
  if (date !== undefined && named.success && isShown(date, Number(hour) * 60 + Number(minute), zone))
    return { date, minutes: Number(hour) * 60 + Number(minute), zone };
  context.addIssue({
    code: "custom",
    message: `expected a local time with its time zone, such as "2026-03-02T08:00 Europe/Berlin", that clocks there show, got "${text}"`,
  });
  return z.NEVER;
});

/** Whether clocks of the zone ever show it: not 31 February, and no time that they skip in spring. */
function isShown(date: string, minutes: number, zone: string): boolean {
  const midnight = Date.parse(date);
  if (Number.isNaN(midnight) || toIso(midnight).slice(0, 10) !== date || minutes >= 24 * 60) return false;
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const at = instantOf(zone, { year, month, day }, minutes);
  return at + offsetAt(at, zone) === midnight + minutes * MINUTE;
}

const Usual = z.strictObject({
  mentions: Rate.describe("How often a query is mentioned anyway. Example: 20 per hour, 300 per day"),
  negative: Share.prefault("20%").describe("The negative part of it."),
  positive: Share.prefault("20%").describe("The positive part of it. The rest is neutral."),
  days: z.int().min(1).max(60).default(14).describe("How many days before the start, 1 to 60."),
  authors: z.int().min(1).exactOptional().describe("How many different authors; else everybody writes once."),
  goesOn: z
    .boolean()
    .default(true)
    .describe("false: it ends at the start, so that the story has only what it names."),
});
export type Usual = z.output<typeof Usual>;

const Mentions = {
  query: Text.exactOptional().describe("The query that finds them; else the first."),
  text: Texts.exactOptional().describe(
    "One text or several, used in turn; else each mention has another. Equal texts are one story.",
  ),
  title: Text.exactOptional().describe("The title of each mention."),
  sentiment: Sentiment.default("neutral").describe("The mood of each mention."),
  authors: z
    .union([z.int().min(1), z.array(Text).min(1)])
    .exactOptional()
    .describe("How many different people write, or their handles, used in turn; else everybody writes once."),
  followers: z.int().min(0).exactOptional().describe("How many followers each author has; else unknown."),
  verified: z.boolean().exactOptional().describe("Whether the authors have a badge; else unknown."),
  reach: z.int().min(0).exactOptional().describe("The reach of each mention; else unknown."),
  impact: z.number().min(0).max(100).exactOptional().describe("The impact of each mention, 0 to 100."),
  language: Text.exactOptional().describe("Two letters; else en."),
  country: z
    .string()
    .regex(/^[A-Z]{3}$/, "expected a country in three letters, such as DEU")
    .exactOptional()
    .describe("Three letters. Example: DEU"),
  pageType: Text.default("twitter").describe("The kind of site or network."),
  domain: Text.exactOptional().describe("The domain of each address."),
  url: z.url().exactOptional().describe("The address of each mention."),
  category: Texts.exactOptional().describe("Categories of each mention, by name."),
  tags: Texts.exactOptional().describe("Tags of each mention."),
  publishedBefore: LongerThanZero.exactOptional().describe(
    "How long before its time each was published: the source found it late. Example: 2h",
  ),
};

const Step = z
  .strictObject({
    at: Moment.describe('When it happens, in the time zone of the test. Example: "09:00"'),
    mentions: Amount.exactOptional().describe("How many mentions come. Example: 60 within 20m"),
    ...Mentions,
    reclassify: Reclassify.exactOptional().describe(
      "The source changes the mood of the story's mentions so far. Example: negative to neutral",
    ),
    acknowledge: Text.exactOptional().describe("Somebody acknowledges the open alert of this rule."),
    resolve: Text.exactOptional().describe("Somebody resolves the open alert of this rule."),
    notRelevant: Text.exactOptional().describe("Somebody calls the newest alert of this rule not relevant."),
    silence: z
      .strictObject({
        rule: Text.describe("The rule that is silenced."),
        for: LongerThanZero.describe("How long. Example: 2h"),
      })
      .exactOptional()
      .describe("Somebody silences a rule for a time."),
  })
  .superRefine((step, context) => {
    const acts = (
      ["mentions", "reclassify", "acknowledge", "resolve", "notRelevant", "silence"] as const
    ).filter((name) => step[name] !== undefined);
    if (acts.length !== 1)
      context.addIssue({
        code: "custom",
        message: `a step has one of mentions, reclassify, acknowledge, resolve, notRelevant, silence; this one has ${acts.length === 0 ? "none" : acts.join(" and ")}`,
      });
  });
export type Step = z.output<typeof Step>;

/** `contains "60"`, `*refund*`, or a text that must stand in the message as it is. */
const Pattern = z.string().min(1);

const Expected = {
  rule: Text.exactOptional().describe("Another rule than that of the test, or any."),
  query: Text.exactOptional().describe("Only alerts of this query."),
  alert: z
    .enum(["firing", "acknowledged", "resolved", "any"])
    .exactOptional()
    .describe("The state of an alert of the rule; any: it has fired."),
  severity: Severity.exactOptional().describe("The severity that the alert has."),
  incident: z
    .enum(["open", "handled", "watching", "over", "any", "none"])
    .exactOptional()
    .describe(
      "The status of the incident that the alert is in; any: it is in one, none: it stands alone. An incident calms down (watching) before it is over.",
    ),
  to: Texts.exactOptional().describe("Receivers, all of which got a message about the rule."),
  slack: Pattern.exactOptional().describe('What a Slack message says. Example: *refund*, or contains "60"'),
  email: Pattern.exactOptional().describe('What an email says. Example: *refund*, or contains "60"'),
  webhook: Pattern.exactOptional().describe('What the JSON to a webhook says. Example: contains "60"'),
};

const Never = z
  .strictObject({
    ...Expected,
    after: Moment.exactOptional().describe("Only from this time on."),
    before: Moment.exactOptional().describe("Only up to this time."),
  })
  .refine(
    saysSomething,
    "say what must never happen: alert, severity, incident, to, slack, email or webhook",
  );
export type Never = z.output<typeof Never>;

const Met = z
  .strictObject({
    by: Moment.describe('At this time at the latest. Example: "09:15"'),
    after: Moment.exactOptional().describe("Not before this time."),
    ...Expected,
    messages: z
      .record(
        Text,
        z.union([
          z.int().min(0),
          z.strictObject({ atMost: z.int().min(0).describe("No more messages than this.") }),
        ]),
      )
      .exactOptional()
      .describe(
        "How many messages each receiver got by then in all. Example: { comms: 1, crisis: { atMost: 2 } }",
      ),
  })
  .refine(
    (met) => met.messages !== undefined || saysSomething(met),
    "say what has happened by then: alert, severity, incident, to, slack, email, webhook or messages",
  );
export type Met = z.output<typeof Met>;

const Expectation = z.union([
  z.strictObject({ never: Never.describe("What must not happen at any time.") }),
  Met,
]);
export type Expectation = z.output<typeof Expectation>;

function saysSomething(expected: Partial<Record<keyof typeof Expected, unknown>>): boolean {
  const { alert, severity, incident, to, slack, email, webhook } = expected;
  return [alert, severity, incident, to, slack, email, webhook].some((one) => one !== undefined);
}

/** A rule test as written. */
export const RuleTestFile = z.strictObject({
  rule: Text.describe("The rule that it is about. All rules of the folder are active."),
  description: Text.exactOptional().describe("What it shows, in a sentence."),
  start: Start.describe(
    "Local time and time zone at which it starts. Example: 2026-03-02T08:00 Europe/Berlin",
  ),
  queries: Texts.exactOptional().describe(
    "The watched queries; else those of the story, or one that the rule applies to.",
  ),
  usual: Usual.exactOptional().describe("What is written anyway, before the start and during the story."),
  story: z.array(Step).min(1, "a story has at least one step").describe("What happens, step by step."),
  until: Moment.exactOptional().describe("The end; else an hour after the last time in the file."),
  expect: z
    .array(Expectation)
    .min(1, "expect at least one thing")
    .describe("What must have happened, and what must never happen."),
});
export type RuleTestFile = z.output<typeof RuleTestFile>;

/** A rule test as a JSON Schema, for editors. */
export function ruleTestJsonSchema(): JsonSchema {
  const { $schema, ...file } = editorSchema(RuleTestFile);
  return {
    $schema,
    title: "Rule test",
    description: "A story in time, and what must and must not be sent.",
    ...file,
  };
}

/** A valid file, and where its parts stand in it. */
export interface RuleTest extends RuleTestFile {
  readonly file: string;
  readonly locate: (issue: Issue) => Fault;
}

/** Reads one file. Returns all its faults, with line and column; never throws. */
export async function readRuleTest(
  file: string,
): Promise<{ readonly test: RuleTest } | { readonly faults: readonly Fault[] }> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    return { faults: [{ file, line: 1, column: 1, message: `cannot be read: ${whyUnread(error)}` }] };
  }
  const yaml = readYaml(file, text);
  if (yaml.faults.length > 0) return { faults: yaml.faults };
  const parsed = RuleTestFile.safeParse(yaml.content);
  const issues: Issue[] = parsed.success
    ? momentIssues(parsed.data)
    : [...describeIssues(parsed.error, RuleTestFile, yaml.content)];
  if (!parsed.success || issues.length > 0) return { faults: issues.map(yaml.locate).sort(byPlace) };
  return { test: { ...parsed.data, file, locate: yaml.locate } };
}

/** What a test names that does not exist: its rule, other rules, receivers, queries. */
export function unknownNames(
  test: RuleTestFile,
  known: {
    readonly rules: readonly string[];
    readonly receivers: readonly string[];
    readonly queries: readonly string[];
  },
): Issue[] {
  const issues: Issue[] = [];
  const look = (
    kind: string,
    names: readonly string[],
    name: string | undefined,
    path: Issue["path"],
  ): void => {
    if (name === undefined || names.includes(name)) return;
    const suggestion = closestWord(name, names);
    const message = `there is no ${kind} "${name}"; known are ${names.join(", ")}`;
    issues.push({ path, message, suggestion });
  };
  look("rule", known.rules, test.rule, ["rule"]);
  test.story.forEach((step, index) => {
    const path = ["story", index];
    look("query", known.queries, step.query, [...path, "query"]);
    look("rule", known.rules, step.silence?.rule, [...path, "silence", "rule"]);
    for (const name of ["acknowledge", "resolve", "notRelevant"] as const)
      look("rule", known.rules, step[name], [...path, name]);
  });
  test.expect.forEach((one, index) => {
    const path = "never" in one ? ["expect", index, "never"] : ["expect", index];
    const expected = "never" in one ? one.never : one;
    if (expected.rule !== "any") look("rule", known.rules, expected.rule, [...path, "rule"]);
    look("query", known.queries, expected.query, [...path, "query"]);
    for (const name of expected.to ?? []) look("receiver", known.receivers, name, [...path, "to"]);
    for (const name of "never" in one ? [] : Object.keys(one.messages ?? {}))
      look("receiver", known.receivers, name, [...path, "messages", name]);
  });
  return issues;
}

/** A test must end, and its story and expectations must not be before its start. */
function momentIssues({ story, expect, until, start }: RuleTestFile): Issue[] {
  const issues: Issue[] = [];
  const look = (text: string | undefined, path: Issue["path"]): void => {
    if (text === undefined) return;
    const minutes = minutesAfter(start, text);
    if (minutes === null) issues.push({ path, message: `there is no time "${text}"` });
    else if (minutes < 0) issues.push({ path, message: "this is before the start" });
    else if (minutes > LONGEST_DAYS * (DAY / MINUTE))
      issues.push({ path, message: `a test lasts ${LONGEST_DAYS} days at most` });
  };
  for (const [index, { at }] of story.entries()) look(at, ["story", index, "at"]);
  expect.forEach((one, index) => {
    const path = ["expect", index];
    if ("never" in one) {
      look(one.never.after, [...path, "never", "after"]);
      look(one.never.before, [...path, "never", "before"]);
    } else {
      look(one.by, [...path, "by"]);
      look(one.after, [...path, "after"]);
    }
  });
  look(until, ["until"]);
  return issues;
}

const LONGEST_DAYS = 14;

/** Minutes on the clock from the midnight before the start; null if there is no such time. */
function minutesAfter(start: RuleTestFile["start"], text: string): number | null {
  const dated = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})$/.exec(text);
  const [, day, hour, minute] = /^(?:day (\d+) )?(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  if (Number(dated?.[2] ?? hour) > 24 || Number(dated?.[3] ?? minute) > 59) return null;
  const ofDay = Number(dated?.[2] ?? hour) * 60 + Number(dated?.[3] ?? minute);
  if (dated !== null) {
    const days = (Date.parse(dated[1] ?? "") - Date.parse(start.date)) / DAY;
    return Number.isNaN(days) ? null : days * 24 * (HOUR / MINUTE) + ofDay - start.minutes;
  }
  if (day !== undefined) return (Number(day) - 1) * 24 * (HOUR / MINUTE) + ofDay - start.minutes;
  return ofDay >= start.minutes ? ofDay - start.minutes : ofDay + 24 * (HOUR / MINUTE) - start.minutes;
}

/** The minutes on the clock after midnight of the start's day that a moment names. */
export function clockMinutes(start: RuleTestFile["start"], text: string): number {
  return (minutesAfter(start, text) ?? 0) + start.minutes;
}
