import fc from "fast-check";
import { DateTime } from "luxon";
import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE, toIso } from "../../../../src/lib/instant.ts";
import {
  describeQuietHours,
  QuietHours,
  quietAt,
} from "../../../../src/monitor/notify/decide/quiet-hours.ts";

const hours = (given: Record<string, unknown>) =>
  QuietHours.parse({ timezone: "Europe/Berlin", from: "22:00", to: "07:00", ...given });
const until = (ranges: QuietHours[], at: string, severity: "info" | "warning" | "critical" = "warning") => {
  const quiet = quietAt(ranges, severity, Date.parse(at));
  return quiet && toIso(quiet.until);
};

const NIGHT = hours({});

test.each([
  ["before it begins", "2026-02-10T20:59:59.999Z", null],
  ["when it begins", "2026-02-10T21:00:00Z", "2026-02-11T06:00:00.000Z"],
  ["before midnight", "2026-02-10T22:30:00Z", "2026-02-11T06:00:00.000Z"],
  ["after midnight", "2026-02-10T23:30:00Z", "2026-02-11T06:00:00.000Z"],
  ["just before its end", "2026-02-11T05:59:59.999Z", "2026-02-11T06:00:00.000Z"],
  ["at its end", "2026-02-11T06:00:00Z", null],
  ["over the end of February", "2026-02-28T22:00:00Z", "2026-03-01T06:00:00.000Z"],
])("a range that crosses midnight, %s", (_name, at, end) => {
  expect(until([NIGHT], at)).toBe(end);
});

test.each([
  ["is an hour shorter on the clock in spring", "2026-03-28T22:00:00Z", "2026-03-29T05:00:00.000Z"],
  ["is an hour longer on the clock in autumn", "2026-10-24T22:00:00Z", "2026-10-25T06:00:00.000Z"],
])("the night %s", (_name, at, end) => {
  expect(until([NIGHT], at)).toBe(end);
});

test("an end that is skipped in spring is the moment after the gap", () => {
  const early = hours({ to: "02:30" });
  expect(until([early], "2026-03-29T00:30:00Z")).toBe("2026-03-29T01:00:00.000Z");
});

test("a range whose borders are shown twice in autumn holds from the first to the second", () => {
  expect(until([hours({ to: "02:30" })], "2026-10-25T00:45:00Z")).toBe("2026-10-25T01:30:00.000Z");
  expect(until([hours({ from: "02:30" })], "2026-10-25T00:30:00Z")).toBe("2026-10-25T06:00:00.000Z");
});

test("a range belongs to the day on which it began", () => {
  const friday = hours({ days: ["fri"] });
  expect(until([friday], "2026-02-13T23:30:00Z")).toBe("2026-02-14T06:00:00.000Z"); // Saturday 00:30
  expect(until([friday], "2026-02-12T23:30:00Z")).toBe(null); // Friday 00:30, the night of Thursday
});

test("whole days run from 00:00 to 24:00, and touching ranges are one", () => {
  const weekend = hours({ from: "00:00", to: "24:00", days: ["sat", "sun"] });
  expect(until([NIGHT, weekend], "2026-02-13T21:30:00Z")).toBe("2026-02-16T06:00:00.000Z");
  expect(until([weekend], "2026-02-14T10:00:00Z")).toBe("2026-02-15T23:00:00.000Z");
});

test("ranges that together never end are checked again in about a week", () => {
  const day = hours({ from: "00:00", to: "12:00" });
  const rest = hours({ from: "12:00", to: "24:00" });
  const at = Date.parse("2026-02-10T10:00:00Z");
  const quiet = quietAt([day, rest], "info", at);
  expect(quiet?.until).toBeGreaterThanOrEqual(at + 7 * DAY);
  expect(quiet?.until).toBeLessThan(at + 8 * DAY);
});

test("a severe enough alert breaks through", () => {
  expect(until([NIGHT], "2026-02-10T23:30:00Z", "critical")).toBe(null);
  expect(until([hours({ breakThrough: "nothing" })], "2026-02-10T23:30:00Z", "critical")).not.toBe(null);
  expect(until([hours({ breakThrough: "info" })], "2026-02-10T23:30:00Z", "info")).toBe(null);
});

test("the cause is named with its zone", () => {
  expect(describeQuietHours(NIGHT)).toBe("quiet hours 22:00–07:00 Europe/Berlin");
});

const zones = fc.constantFrom(
  "Europe/Berlin",
  "America/St_Johns",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "UTC",
);

test("away from clock changes an instant is quiet exactly if its local time is in the range", () => {
  fc.assert(
    fc.property(
      zones,
      fc.integer({ min: 0, max: 1_439 }),
      fc.integer({ min: 0, max: 1_439 }),
      fc.integer({ min: 0, max: 365 * 24 * 60 }),
      (timezone, from, to, minute) => {
        fc.pre(from !== to);
        const at = Date.parse("2026-01-01T00:00:00Z") + minute * MINUTE;
        const here = DateTime.fromMillis(at, { zone: timezone });
        fc.pre([-2, 2].every((days) => here.plus({ days }).offset === here.offset));
        const range: QuietHours = { ...NIGHT, timezone, from, to };
        const local = here.hour * 60 + here.minute;
        const inside = from < to ? from <= local && local < to : local >= from || local < to;
        expect(quietAt([range], "info", at) !== null).toBe(inside);
      },
    ),
  );
});

test("quiet hours include the instant before their end, not the end, and are shorter than 26 hours", () => {
  fc.assert(
    fc.property(
      zones,
      fc.integer({ min: 0, max: 1_439 }),
      fc.integer({ min: 1, max: 1_439 }),
      fc.integer({ min: 0, max: 365 * 24 * 60 }),
      (timezone, from, length, minute) => {
        const range: QuietHours = { ...NIGHT, timezone, from, to: (from + length) % 1_440 };
        const at = Date.parse("2026-01-01T00:00:00Z") + minute * MINUTE;
        const quiet = quietAt([range], "info", at);
        fc.pre(quiet !== null);
        if (quiet === null) return;
        expect(quiet.until).toBeGreaterThan(at);
        expect(quiet.until - at).toBeLessThan(26 * HOUR);
        expect(quietAt([range], "info", quiet.until)).toBe(null);
        expect(quietAt([range], "info", quiet.until - 1)?.until).toBe(quiet.until);
      },
    ),
  );
});

test.each([
  [{ from: "22:00", to: "22:00" }, `for whole days write from "00:00" to "24:00"`],
  [{ from: "00:00", to: "24:00" }, "would never end"],
  [{ timezone: "Berlin" }, `such as "Europe/Berlin"`],
  [{ from: "25:00" }, "expected a time of day"],
  [{ days: [] }, "at least one day"],
  [{ days: ["Montag"] }, '"mon"'],
  [{ breakThru: "info" }, "breakThru"],
])("a fault in %j is reported", (given, message) => {
  const result = QuietHours.safeParse({ timezone: "Europe/Berlin", from: "22:00", to: "07:00", ...given });
  expect(result.error?.issues.map((issue) => issue.message).join("; ")).toContain(message);
});
