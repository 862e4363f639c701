import { expect, test } from "vitest";
import { readDate } from "../../src/lib/read-date.ts";

test.each([
  ["2026-03-01", "2026-03-01T00:00:00Z"],
  ["2026-03-01T10:00:00.000+0100", "2026-03-01T09:00:00Z"],
  ["2015-02-24 11:35:52 -0800", "2015-02-24T19:35:52Z"],
  ["2026-03-01 10:00", "2026-03-01T10:00:00Z"],
  ["Sun, 01 Mar 2026 10:00:00 GMT", "2026-03-01T10:00:00Z"],
  ["Tue Feb 24 11:35:52 +0000 2015", "2015-02-24T11:35:52Z"],
  ["1772359200", "2026-03-01T10:00:00Z"],
])("the date %s is read", (text, expected) => {
  expect(readDate(text, {})).toBe(Date.parse(expected));
});

test("a date that may be read in two ways wants a format, and one without an offset a zone", () => {
  expect(readDate("03/04/2026", {})).toBeUndefined();
  expect(readDate("03/04/2026 10:00", { format: "dd/MM/yyyy HH:mm", timezone: "Europe/Berlin" })).toBe(
    Date.parse("2026-04-03T08:00:00Z"),
  );
});

test.each([
  "12:30",
  "12:30:00",
  "12",
  "0930",
  "1230",
  "2026",
  "202601",
  "250101",
  "0000-01-01",
  "-000001-01-01",
])("%j is no date: without its day it would be today, or another year", (text) => {
  expect(readDate(text, {})).toBeUndefined();
});

test("a day has the forms of ISO 8601, too, and begins where its zone does", () => {
  for (const text of ["20260301", "2026-W09-7", "2026-060", "2026-03-01", "1 Mar 2026", "2026/03/01"])
    expect([text, readDate(text, { timezone: "Asia/Kolkata" })]).toEqual([
      text,
      Date.parse("2026-02-28T18:30:00Z"),
    ]);
});
