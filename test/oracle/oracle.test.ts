import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import type { RawMessage } from "./message.ts";
import { formatMessages } from "./message-table.ts";
import { daysBefore } from "./times.ts";
import { type Attempt, DAY, type Fact, HOUR, MINUTE, type World } from "./world.ts";

const NOON = Date.parse("2026-03-16T12:00:00Z");

/** Two weeks with two negative mentions an hour; then thirty in half an hour before noon, and ten after it. */
function facts(): readonly Fact[] {
  const at = (when: number, index: number): Fact => ({
    ...{ query: "Acme", id: `m${when}-${index}`, from: when, to: null, at: when, sentiment: "negative" },
    ...{ author: `reader_${index}`, name: null, site: null, domain: null, followers: null, reach: null },
    ...{ verified: false, title: null, text: "Terrible", url: null, hashtags: [], categories: [] },
    ...{ isDeleted: false, isRepost: false },
  });
  const usual = Array.from({ length: 14 * 48 }, (_, i) => at(NOON - 14 * DAY + i * 30 * MINUTE, i));
  const storm = Array.from({ length: 30 }, (_, i) => at(NOON - 30 * MINUTE + i * MINUTE + 1, i));
  const after = Array.from({ length: 10 }, (_, i) => at(NOON + i * 2 * MINUTE + 1, i));
  return [...usual, ...storm, ...after];
}

const WORLD: World = {
  ...{ name: "small", timezone: "UTC", brands: ["Acme"], facts: facts() },
  ...{ from: NOON - HOUR, to: NOON + DAY, lagMs: 5 * MINUTE },
};

const slack = (minutes: number, ...lines: string[]): Extract<RawMessage, { kind: "slack" }> => ({
  ...{
    kind: "slack",
    at: NOON + minutes * MINUTE,
    channel: "alerts",
    ts: "1",
    threadTs: null,
    isEdit: minutes > 0,
  },
  ...{ text: lines[0] ?? "", blocks: lines.slice(1).map((text) => ({ type: "section", text: { text } })) },
});

async function findingsOf(...messages: RawMessage[]) {
  const { findings } = await judge(WORLD, {
    messages,
    answers: { "http://127.0.0.1/alerts/1": "ECONNREFUSED" },
  });
  return findings.map(({ kind, statement, said, because }) => [statement ?? kind, said, because].slice(0, 2));
}

const FIRST = slack(
  5,
  "WARNING Acme: 31 negative mentions in 30 min, 1 expected at this hour (31×). Since Mon 16 Mar, 12:00 UTC.",
);

test("true numbers are no findings", async () => {
  const end = slack(
    60,
    "Resolved: Acme, Wave of negative mentions after 45 min: 41 mentions, peak 31 in 30 min at 12:00.",
  );
  expect(await findingsOf(FIRST, end)).toEqual([]);
});

test("each false number is found, with what it says", async () => {
  const of = async (...messages: RawMessage[]) => (await findingsOf(...messages)).map(([name]) => name);
  expect(
    await of(slack(5, "WARNING Acme: 45 negative mentions in 30 min. Since Mon 16 Mar, 12:00 UTC.")),
  ).toEqual(["count in a window"]);
  expect(
    await of(FIRST, slack(60, "Resolved: Acme, Wave after 45 min: 52 mentions, peak 46 in 30 min.")),
  ).toEqual(["peak", "end and count"]);
  expect(await of(FIRST, slack(120, "*Still going on:* Acme: 31 negative in 30 min now"))).toEqual([
    "count now",
  ]);
  expect(await of(FIRST, slack(240, "*Counted:* complete until 12:00 only"))).toEqual(["complete until"]);
  expect(await of(FIRST, slack(30, "Who: 75 authors"))).toEqual(["authors"]);
  const normal = (factor: number) =>
    `Negative mentions are about ${factor} times what is normal on a Monday noon.`;
  const measured = "Measured: 31 negative mentions in 30 min, 1 expected at this hour (31×).";
  expect(await of(FIRST, slack(10, `${normal(30)}\n${measured}`))).toEqual([]);
  expect(await of(FIRST, slack(10, `${normal(70)}\n${measured}`))).toEqual(["times normal"]);
  // Hours later it is not so any more.
  expect(await of(FIRST, slack(240, `${normal(30)}\n${measured}`))).toContain("times normal");
  expect(await of(FIRST, slack(30, "Since Mon 16 Mar, 11:00 UTC"))).toEqual(["since when"]);
  expect(await of(slack(5, "By chance about once a day"))).toEqual(["chance"]);
});

test("what operators are told is recounted from what came and when", async () => {
  const of = async (text: string, world: Partial<World> = {}) => {
    const messages = [{ ...slack(120, text), at: NOON + 2 * HOUR }];
    const { findings } = await judge({ ...WORLD, ...world }, { messages, answers: {} });
    return findings.map(({ kind, statement, said }) => statement ?? `${kind} ${said}`);
  };
  const flood = (opened: number, more: number, limit = opened) =>
    `the rule loud is held: it opened ${opened} alerts for Acme within 10 minutes, and ${more} more would have opened since. It goes on by itself after ten minutes with fewer than ${limit}`;
  expect(await of(flood(10, 12))).toEqual([]);
  expect(await of(flood(12, 3))).toEqual(["flood"]);
  expect(await of(flood(10, 4_000))).toEqual(["flood"]);
  expect(await of(flood(10, 12, 20))).toEqual(["end of a flood"]);
  const silent = (length: string, usual: number) =>
    `Acme: no new mention for ${length}. In the same hours of the last 7 days there were ${usual} or more on three days of four.`;
  expect(await of(silent("1h 42m", 3))).toEqual([]);
  expect(await of(silent("12h", 3))).toEqual(["silence of a query"]);
  expect(await of(silent("1h 42m", 30))).toEqual(["silence of a query"]);
  expect(await of("1 queries that are usually busy at this hour bring no new mention")).toEqual([]);
  expect(await of("3 queries that are usually busy at this hour bring no new mention")).toEqual([
    "silent queries",
  ]);
  const steps = [NOON - HOUR, NOON, NOON + 90 * MINUTE];
  expect(await of("nothing was watched for 1h 30m: no process ran", { steps })).toEqual([]);
  expect(await of("nothing was watched for 3h: no process ran", { steps })).toEqual(["not watched"]);
  const behind = (all: number, by: string) =>
    `alerts come late: 1 of ${all} queries are behind, by up to ${by} (limit 10m)`;
  expect(await of(behind(1, "40m"))).toEqual([]);
  expect(await of(behind(4, "40m"))).toEqual(["queries behind"]);
  expect(await of(behind(1, "5m"))).toEqual(["queries behind"]);
});

test("what operators are told of messages and mentions that failed is recounted from the tries", async () => {
  const at = (minutes: number) => NOON + minutes * MINUTE;
  const attempts: readonly Attempt[] = [
    { receiver: "on-call", message: "a", at: at(10), answer: "taken" },
    ...[60, 80, 100, 115].map((minutes): Attempt => {
      return { receiver: "on-call", message: "b", at: at(minutes), answer: "later" };
    }),
    ...[90, 95].map((minutes): Attempt => {
      return { receiver: "program", message: `at ${minutes}`, at: at(minutes), answer: "never" };
    }),
    // A correction of a message that it has.
    { receiver: "program", message: "c", at: at(85), answer: "taken" },
    { receiver: "program", message: "c", at: at(96), answer: "never" },
  ];
  const cameBack = [20, 30].map((minutes) => ({ address: "ann@acme.example", at: at(minutes) }));
  const trouble = { attempts, cameBack, unstorable: [at(20), at(80)] };
  const of = async (text: string, without: Partial<typeof trouble> = {}) => {
    const messages = [{ ...slack(120, text), at: NOON + 2 * HOUR }];
    const world = { ...WORLD, trouble: { ...trouble, ...without } };
    const { findings } = await judge(world, { messages, answers: {} });
    return findings.map(({ kind, statement, said }) => statement ?? `${kind} ${said}`);
  };
  const fails = (tries: number, length: string) =>
    `receiver on-call gets no messages: ${tries} tries have failed in ${length}. The last error: it answered 451 4.3.2 closed`;
  expect(await of(fails(4, "1h"))).toEqual([]);
  expect(await of(fails(9, "1h"))).toEqual(["tries that failed"]);
  expect(await of(fails(4, "3h"))).toEqual(["tries that failed"]);
  expect(await of(fails(4, "1h"), { attempts: [], cameBack: [] })).toEqual([
    "tries that failed",
    "answer of a vendor",
  ]);
  const refused = (count: number) => `${count} messages did not reach program and are not tried again`;
  expect(await of(refused(2))).toEqual([]);
  expect(await of(refused(3))).toEqual(["messages that were refused"]);
  expect(await of("1 message was tried for two days and given up")).toEqual(["messages that were given up"]);
  expect(await of("2 to ann@acme.example came back")).toEqual([]);
  expect(await of("5 to ann@acme.example came back")).toEqual(["mails that came back"]);
  // In the same step it may take the next one after this was said.
  const then = { receiver: "on-call", message: "b", at: at(120), answer: "taken" } as const;
  expect(await of(fails(4, "55m"), { attempts: [...attempts, then] })).toEqual([]);
  const leftOut = (what: string) => `${what} failed at every try in the last hour and`;
  expect(await of(`${leftOut("1 mention")} is left out`)).toEqual([]);
  expect(await of(`${leftOut("3 mentions")} are left out`)).toEqual(["left out"]);
  const waits = (length: string) => `3 messages are not sent: no process has taken the oldest for ${length}`;
  expect(await of(waits("4m"))).toEqual([]);
  expect(await of(waits("30m"))).toEqual(["messages that wait"]);
  expect(await of("the queue has stood still for 30m")).toEqual(["queue stands still"]);
  const due = (count: number) => `${count} query is due, and no process has read any for 20m`;
  expect(await of(due(1))).toEqual([]);
  expect(await of(due(4))).toEqual(["polls that wait"]);
  expect(await of("the digest day of 2026-03-16 is late by 40m")).toEqual([]);
  expect(await of("the digest day of 2026-03-17 is late by 40m")).toEqual(["late digest"]);
});

test("a thread is about the alert that its message names first, also if that was another one before", async () => {
  const neutral = facts().map((fact) => ({
    ...fact,
    id: `n${fact.id}`,
    sentiment: "neutral",
    author: "one",
  }));
  const world = { ...WORLD, facts: [...facts(), ...neutral] };
  const first = slack(
    5,
    "WARNING Acme: 62 mentions in 30 min. Since Mon 16 Mar, 12:00 UTC.",
    "*Who:* 31 authors",
  );
  const later = slack(10, "CRITICAL Acme: 31 negative mentions in 30 min. Since Mon 16 Mar, 12:00 UTC.");
  const judged = async (authors: number) => {
    const who = { type: "section", text: { text: `*Who:* ${authors} authors` } };
    const messages = [first, { ...later, blocks: [who] }];
    const { findings } = await judge(world, { messages, answers: {} });
    return findings.map(({ at, statement }) => [at === first.at ? "first" : "later", statement]);
  };
  expect(await judged(32)).toEqual([]);
  expect(await judged(60)).toEqual([["later", "authors"]]);
});

test("what is counted has its name: all mentions are more than the negative ones", async () => {
  const neutral = [1, 2, 3, 4, 5].flatMap((n) =>
    facts().map((fact) => ({ ...fact, id: `n${n}${fact.id}`, sentiment: "neutral" })),
  );
  const world = { ...WORLD, facts: [...facts(), ...neutral] };
  const first = slack(5, "WARNING Acme: 31 negative mentions in 30 min. Since Mon 16 Mar, 12:00 UTC.");
  const of = async (text: string) => {
    const { findings } = await judge(world, { messages: [first, slack(60, text)], answers: {} });
    return findings.map(({ statement }) => statement);
  };
  expect(await of("Resolved: Acme, Wave after 45 min: 41 negative mentions")).toEqual([]);
  expect(await of("Resolved: Acme, Wave after 45 min: 41 mentions")).toEqual(["end and count"]);
  expect(await of("Since Mon 16 Mar, 12:00 UTC, 41 negative mentions so far")).toEqual([]);
  expect(await of("Since Mon 16 Mar, 12:00 UTC, 41 mentions so far")).toEqual(["mentions so far"]);
});

test("a number that nobody can explain is a finding, and digits of names are none", async () => {
  expect(await findingsOf(slack(5, "Acme: score 12 by reader_7"))).toEqual([["unexplained", "12"]]);
});

test("a dead link is found", async () => {
  expect(await findingsOf(slack(5, "Acme: <http://127.0.0.1/alerts/1|Open>"))).toEqual([
    ["dead link", "http://127.0.0.1/alerts/1"],
  ]);
});

test("what judges imports nothing of the product", () => {
  const folders = [import.meta.dirname, join(import.meta.dirname, "statements")];
  for (const folder of folders)
    for (const file of readdirSync(folder).filter((name) => /^(?!main\.ts).*(?<!\.test)\.ts$/.test(name)))
      expect(readFileSync(join(folder, file), "utf8"), file).not.toMatch(
        /from "(?:#|(?:\.\.\/)+src\/|\.\/plays\/)/,
      );
});

test("after the end comes nothing but news that it goes on", async () => {
  const end = { ...slack(60, "Resolved: Acme, Wave of negative mentions after 45 min"), isEdit: false };
  const later = (minutes: number, text: string) => ({ ...slack(minutes, text), isEdit: false });
  const reminder = later(70, "Still going on, Acme");
  expect(await findingsOf(FIRST, end, reminder)).toEqual([["after the end", "Still going on, Acme"]]);
  expect(await findingsOf(FIRST, end, { ...reminder, isEdit: true })).toEqual([]);
  const wave = later(70, "Another wave, Acme: it goes on");
  const secondEnd = later(80, "Resolved: Acme, Wave of negative mentions after 1 h 5 min");
  expect(await findingsOf(FIRST, end, wave, secondEnd)).toEqual([]);
  expect(await findingsOf(FIRST, end, secondEnd)).toEqual([["after the end", secondEnd.text]]);
});

test("messages are counted by receiver and day, and shown as they are read", async () => {
  const recording = {
    messages: [FIRST, slack(5, "an edit"), { ...slack(DAY / MINUTE, "Day 2"), threadTs: "1" }],
    answers: {},
  };
  const lines = await formatMessages(WORLD, recording, "alerts");
  expect(lines.slice(2, 5)).toEqual([
    "| slack #alerts | 2026-03-16 | 0 | 0 | 2 |",
    "| slack #alerts | 2026-03-17 | 0 | 0 | 1 |",
    "| slack #alerts | all | 0 | 0 | 3 |",
  ]);
});

/** The row of an incident in the text of a digest's mail. */
function digest(length: string, alerts: number, count: number | string): RawMessage {
  const text = [
    "Day: Brands, Mon 16 Mar 2026",
    "",
    "Incidents",
    "---------",
    `- CRITICAL Acme, Wave of negative mentions: Mon 16 Mar, 12:00 UTC, over after ${length}; ${alerts} alerts in it`,
    typeof count === "string"
      ? `  ${count}`
      : `  ${count} negative mentions from Mon 16 Mar, 11:30 UTC to 12:20`,
    "",
    "Mon 16 Mar, 00:00 UTC to Tue 17 Mar, 00:00 UTC, data complete until Tue 17 Mar, 00:00 UTC.",
  ];
  const raw = ["From: a@b.example", "To: c@d.example", "Subject: Day", "", ...text].join("\r\n");
  return { kind: "email", at: NOON + DAY, to: "team", raw };
}

test("an incident of two brands is one row, as long as the longer of them", async () => {
  const both = `41 negative mentions from Mon 16 Mar, 11:30 UTC to 12:20. Brell, too: 41 negative mentions from Mon 16 Mar, 11:30 UTC to 13:00`;
  const brell = facts().map((fact) => ({ ...fact, query: "Brell" }));
  const world = { ...WORLD, brands: ["Acme", "Brell"], facts: [...facts(), ...brell] };
  const of = async (length: string) => {
    const one = digest(length, 2, both);
    return (await judge(world, { messages: [one], answers: {} })).findings.map(({ statement }) => statement);
  };
  expect(await of("1 h")).toEqual([]);
  expect(await of("20 min")).toEqual(["incident"]);
});

test("the rows of incidents in a digest are recounted", async () => {
  expect(await findingsOf(digest("20 min", 2, 41))).toEqual([]);
  expect(await findingsOf(digest("2 h", 2, 41))).toEqual([
    ["incident", "41 negative mentions from Mon 16 Mar, 11:30 UTC to 12:20"],
  ]);
  expect(await findingsOf(digest("20 min", 1, 41))).toEqual([["alerts of an incident", "1 alerts in it"]]);
  expect((await findingsOf(digest("20 min", 2, 52))).map(([name]) => name)).toEqual(["incident"]);
});

test("the day before one in which the clocks changed begins at the same hour", () => {
  const at = (text: string) => Date.parse(text);
  const before = daysBefore(at("2026-03-29T06:00:00Z"), 1, "Europe/Berlin");
  expect(before).toBe(at("2026-03-28T07:00:00Z"));
});
