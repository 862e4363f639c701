import { readFile } from "node:fs/promises";
import { z } from "zod";
import { closestWord } from "../lib/closest-word.ts";
import { describeIssues } from "../lib/describe-issues.ts";
import { parseDuration } from "../lib/duration.ts";
import type { Fault, Issue } from "../lib/errors.ts";
import { whyUnread } from "../lib/errors.ts";
import { DAY, HOUR, MINUTE } from "../lib/instant.ts";
import { TimeZone } from "../lib/local-time.ts";
import { byPlace, readYaml } from "../lib/read-yaml.ts";
import { Severity } from "../model/severity.ts";

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
  if (
    date !== undefined &&
    named.success &&
    !Number.isNaN(Date.parse(date)) &&
    Number(hour) < 24 &&
    Number(minute) < 60
  )
    return { date, minutes: Number(hour) * 60 + Number(minute), zone };
  context.addIssue({
    code: "custom",
    message: `expected a local time with its time zone, such as "2026-03-02T08:00 Europe/Berlin", got "${text}"`,
  });
  return z.NEVER;
});

const Usual = z.strictObject({
  /** How often the query is mentioned before the story begins, and during it. */
  mentions: Rate,
  negative: Share.default(0.2),
  positive: Share.default(0.2),
  /** How long before the start. */
  days: z.int().min(1).max(60).default(14),
  /** Different authors; default: everybody writes once. */
  authors: z.int().min(1).exactOptional(),
  /** False: it ends when the story begins, so that the story has only what it names. */
  goesOn: z.boolean().default(true),
});
export type Usual = z.output<typeof Usual>;

const Mentions = {
  query: Text.exactOptional(),
  /** Used in turn. Mentions with the same text belong to one story. */
  text: Texts.exactOptional(),
  title: Text.exactOptional(),
  sentiment: Sentiment.default("neutral"),
  /** How many different authors write, or their handles, used in turn; default: everybody writes once. */
  authors: z.union([z.int().min(1), z.array(Text).min(1)]).exactOptional(),
  followers: z.int().min(0).exactOptional(),
  verified: z.boolean().exactOptional(),
  reach: z.int().min(0).exactOptional(),
  impact: z.number().min(0).max(100).exactOptional(),
  language: Text.exactOptional(),
  /** Three letters, as `DEU`. */
  country: z
    .string()
    .regex(/^[A-Z]{3}$/, "expected a country in three letters, such as DEU")
    .exactOptional(),
  pageType: Text.default("twitter"),
  domain: Text.exactOptional(),
  url: z.url().exactOptional(),
  category: Texts.exactOptional(),
  tags: Texts.exactOptional(),
  /** How long before its time it was published: the source found it late. */
  publishedBefore: LongerThanZero.exactOptional(),
};

const Step = z
  .strictObject({
    at: Moment,
    mentions: Amount.exactOptional(),
    ...Mentions,
    /** The source changes the sentiment of the story's mentions so far. */
    reclassify: Reclassify.exactOptional(),
    /** Somebody acts on the open alert of this rule. */
    acknowledge: Text.exactOptional(),
    resolve: Text.exactOptional(),
    notRelevant: Text.exactOptional(),
    /** Somebody silences the rule for a time. */
    silence: z.strictObject({ rule: Text, for: LongerThanZero }).exactOptional(),
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
  /** Another rule than that of the test, or `any`. */
  rule: Text.exactOptional(),
  query: Text.exactOptional(),
  alert: z.enum(["firing", "acknowledged", "resolved", "any"]).exactOptional(),
  severity: Severity.exactOptional(),
  /** Receivers, all of which were notified. */
  to: Texts.exactOptional(),
  slack: Pattern.exactOptional(),
  email: Pattern.exactOptional(),
  webhook: Pattern.exactOptional(),
};

const Never = z
  .strictObject({ ...Expected, after: Moment.exactOptional(), before: Moment.exactOptional() })
  .refine(saysSomething, "say what must never happen: alert, severity, to, slack, email or webhook");
export type Never = z.output<typeof Never>;

const Met = z
  .strictObject({
    by: Moment,
    /** Not earlier than this. */
    after: Moment.exactOptional(),
    ...Expected,
    /** How many messages each receiver got by then, digests left out. */
    messages: z
      .record(Text, z.union([z.int().min(0), z.strictObject({ atMost: z.int().min(0) })]))
      .exactOptional(),
  })
  .refine(
    (met) => met.messages !== undefined || saysSomething(met),
    "say what has happened by then: alert, severity, to, slack, email, webhook or messages",
  );
export type Met = z.output<typeof Met>;

const Expectation = z.union([z.strictObject({ never: Never }), Met]);
export type Expectation = z.output<typeof Expectation>;

function saysSomething(expected: Partial<Record<keyof typeof Expected, unknown>>): boolean {
  const { alert, severity, to, slack, email, webhook } = expected;
  return [alert, severity, to, slack, email, webhook].some((one) => one !== undefined);
}

/** A rule test as written. */
export const RuleTestFile = z.strictObject({
  /** The rule that it tests. All rules of the folder are active. */
  rule: Text,
  /** What it shows, in a sentence. */
  description: Text.exactOptional(),
  start: Start,
  /** The watched queries; default: one that the rule applies to. */
  queries: Texts.exactOptional(),
  usual: Usual.exactOptional(),
  story: z.array(Step).min(1, "a story has at least one step"),
  /** The end of the test; default: an hour after the last moment that it names. */
  until: Moment.exactOptional(),
  expect: z.array(Expectation).min(1, "expect at least one thing"),
});
export type RuleTestFile = z.output<typeof RuleTestFile>;

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
    issues.push({ path, message, ...(suggestion !== undefined && { suggestion }) });
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
