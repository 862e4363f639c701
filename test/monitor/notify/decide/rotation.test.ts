import { expect, test } from "vitest";
import { onCall, Rotation } from "../../../../src/monitor/notify/decide/rotation.ts";

const weekly = (timezone: string) =>
  Rotation.parse({
    name: "phone",
    timezone,
    at: "09:00",
    from: "2026-01-05",
    receivers: ["ann", "bo", "cy"],
  });
const who = (rotation: Rotation, at: string) => onCall(rotation, Date.parse(at));

test.each([
  // Monday 23 March 09:00 in Berlin is 08:00 UTC, a week later, after the change of the clocks, 07:00 UTC.
  ["2026-03-23T07:59:59Z", "bo"],
  ["2026-03-23T08:00:00Z", "cy"],
  ["2026-03-30T06:59:59Z", "cy"],
  ["2026-03-30T07:00:00Z", "ann"],
  // And back: Monday 26 October 09:00 is 08:00 UTC again.
  ["2026-10-26T07:59:59Z", "cy"],
  ["2026-10-26T08:00:00Z", "ann"],
  // Before the first date the turns continue backwards.
  ["2026-01-05T07:59:59Z", "cy"],
  ["2026-01-05T08:00:00Z", "ann"],
])("in Berlin at %s it is the turn of %s", (at, name) => {
  expect(who(weekly("Europe/Berlin"), at)).toBe(name);
});

test("a zone with a half-hour offset changes turns at the half hour", () => {
  expect(who(weekly("Asia/Kolkata"), "2026-01-05T03:29:59Z")).toBe("cy");
  expect(who(weekly("Asia/Kolkata"), "2026-01-05T03:30:00Z")).toBe("ann");
});

test("a daily rotation changes every day at its local time, whichever day it is", () => {
  const daily = Rotation.parse({
    ...{ name: "phone", timezone: "Europe/Berlin", every: "day", at: "02:30", from: "2026-03-27" },
    receivers: ["ann", "bo"],
  });
  // 02:30 does not exist on 29 March; the turn changes with the first moment after the gap, 01:00 UTC.
  expect(["2026-03-27T01:30:00Z", "2026-03-28T01:30:00Z"].map((at) => who(daily, at))).toEqual(["ann", "bo"]);
  expect(who(daily, "2026-03-29T00:59:59Z")).toBe("bo");
  expect(who(daily, "2026-03-29T01:00:00Z")).toBe("ann");
});

test("weekly turns change on their day, from the week of the first date on, whichever day that is", () => {
  const onThursdays = Rotation.parse({
    ...{ name: "phone", timezone: "UTC", on: "thu", at: "09:00", from: "2026-01-06" },
    receivers: ["ann", "bo", "cy"],
  });
  // The handover of the week of 6 January is that of Thursday 1 January.
  const turns = ["2026-01-01T09:00Z", "2026-01-08T08:59Z", "2026-01-08T09:00Z", "2026-01-14T23:00Z"];
  expect(turns.map((at) => who(onThursdays, at))).toEqual(["ann", "ann", "bo", "bo"]);
  expect(who(onThursdays, "2026-01-01T08:59Z")).toBe("cy");
  expect(who(onThursdays, "2026-01-15T09:00Z")).toBe("cy");
});

test("a day before its handover belongs to the day before, a week to the week before, however many take turns", () => {
  const five = ["ann", "bo", "cy", "di", "ed"];
  const daily = Rotation.parse({
    ...{ name: "phone", timezone: "UTC", every: "day", at: "09:00", from: "2026-01-05", receivers: five },
  });
  expect(who(daily, "2026-01-07T08:59Z")).toBe("bo");
  expect(who(daily, "2026-01-07T09:00Z")).toBe("cy");
  const weeks = Rotation.parse({ name: "phone", timezone: "UTC", from: "2026-01-05", receivers: five });
  expect(who(weeks, "2026-01-12T08:59Z")).toBe("ann");
  expect(["2026-01-12T09:00Z", "2026-01-19T09:00Z"].map((at) => who(weeks, at))).toEqual(["bo", "cy"]);
});
