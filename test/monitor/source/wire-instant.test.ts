import fc from "fast-check";
import { DateTime } from "luxon";
import { expect, test } from "vitest";
import { formatWireInstant, parseWireInstant, toWireId } from "../../../src/monitor/source/wire-values.ts";
import { runs } from "../../runs.ts";

const moments = fc.integer({ min: Date.UTC(1, 0, 1), max: Date.UTC(9999, 11, 30) });
const offsets = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });

test("a moment written for the wire reads as the same moment", () => {
  fc.assert(
    fc.property(moments, (at) => {
      expect(parseWireInstant(formatWireInstant(at))).toBe(at);
    }),
  );
});

test("every offset is read as luxon reads it", () => {
  fc.assert(
    fc.property(moments, offsets, fc.constantFrom("ZZ", "ZZZ"), (at, offset, zone) => {
      const text = DateTime.fromMillis(at)
        .setZone(
          `UTC${offset < 0 ? "-" : "+"}${Math.trunc(Math.abs(offset) / 60)}:${String(Math.abs(offset) % 60).padStart(2, "0")}`,
        )
        .toFormat(`yyyy-MM-dd'T'HH:mm:ss.SSS${zone}`);
      if (/^\d{4}-/.test(text)) expect(parseWireInstant(text)).toBe(at);
    }),
  );
});

test("every accepted text is the same moment for Date", () => {
  const upTo = (max: number, length: number) =>
    fc.integer({ min: 0, max }).map((value) => String(value).padStart(length, "0"));
  const parts = fc.tuple(
    upTo(9999, 4),
    upTo(13, 2),
    upTo(32, 2),
    upTo(24, 2),
    upTo(60, 2),
    upTo(60, 2),
    upTo(999, 3),
  );
  fc.assert(
    fc.property(parts, ([year, month, day, hour, minute, second, ms]) => {
      const stem = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}`;
      const parsed = parseWireInstant(`${stem}+0000`);
      if (parsed !== null) expect(new Date(parsed).toISOString()).toBe(`${stem}Z`);
      else if (year !== "0000" && hour !== "24") {
        const date = new Date(`${stem}Z`);
        // Date rolls some days over (30 February) and refuses others; both are no moments here.
        expect(Number.isNaN(date.getTime()) || date.toISOString() !== `${stem}Z`).toBe(true);
      }
    }),
    { numRuns: runs(2_000) },
  );
});

test.each([
  ["2026-02-17T07:36:05.000+0000", Date.UTC(2026, 1, 17, 7, 36, 5)],
  ["2026-02-17T07:36:05+0000", Date.UTC(2026, 1, 17, 7, 36, 5)],
  ["2026-02-17T07:36:05.1Z", Date.UTC(2026, 1, 17, 7, 36, 5, 100)],
  ["2026-02-17T07:36:05.123456+01:00", Date.UTC(2026, 1, 17, 6, 36, 5, 123)],
  ["2024-02-29T00:00:00.000-0500", Date.UTC(2024, 1, 29, 5)],
])("%s is read", (text, at) => {
  expect(parseWireInstant(text)).toBe(at);
});

test.each([
  "",
  "now",
  "2026-02-17",
  "2026-02-17T07:36:05.000",
  "2026-02-30T07:36:05.000+0000",
  "2023-02-29T07:36:05.000+0000",
  "2026-13-01T07:36:05.000+0000",
  "2026-02-17T24:00:00.000+0000",
  "2026-02-17T07:36:05.+0000",
  "2026-02-17T07:36:05.000+00000",
  "2026-02-17T07:36:05.000+00",
  "2026-02-17T07:36:05.000 0000",
  "0000-01-01T00:00:00.000+0000",
  "２026-02-17T07:36:05.000+0000",
])("%j is no moment", (text) => {
  expect(parseWireInstant(text)).toBeNull();
});

test("each month ends with its last day, in common, leap and round years", () => {
  for (const year of [2023, 2024, 1900, 2000, 2100, 1996])
    for (let month = 1; month <= 12; month++) {
      const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
      const text = (day: number) =>
        `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}T23:59:59.999+0000`;
      expect(parseWireInstant(text(last))).toBe(Date.UTC(year, month, 1) - 1);
      expect(parseWireInstant(text(last + 1))).toBeNull();
      expect(parseWireInstant(text(1))).toBe(Date.UTC(year, month - 1, 1, 23, 59, 59, 999));
      expect(parseWireInstant(text(0))).toBeNull();
    }
});

test("the first year and the largest offsets are read, and what is one more is not", () => {
  const first = new Date("0001-01-01T00:00:00Z").getTime();
  expect(parseWireInstant("0001-01-01T00:00:00Z")).toBe(first);
  expect(parseWireInstant("2026-02-17t07:36:05z")).toBe(Date.UTC(2026, 1, 17, 7, 36, 5));
  expect(parseWireInstant("2026-02-17T07:36:05-23:59")).toBe(Date.UTC(2026, 1, 18, 7, 35, 5));
  for (const offset of ["+24:00", "+23:60", "+2a:00", "+00:0a", "+0:000", "+00:00Z", "Z0", "+0000 ", "/0000"])
    expect(parseWireInstant(`2026-02-17T07:36:05${offset}`)).toBeNull();
  for (const time of ["07:60:05", "07:36:60", "0a:36:05", "07:a6:05", "07:3a:05", "07:36:0:", "07:36:/5"])
    expect(parseWireInstant(`2026-02-17T${time}.000+0000`)).toBeNull();
});

test("a sign at a wrong place is no moment, and neither is a text that is too long", () => {
  const text = "2026-02-17T07:36:05.000+0000";
  for (const at of [4, 7, 10, 13, 16, 19, 23])
    for (const sign of ["x", " ", "5", "_"])
      expect([sign, parseWireInstant(`${text.slice(0, at)}${sign}${text.slice(at + 1)}`)]).toEqual([
        sign,
        null,
      ]);
  const fraction = (digits: number) => `2026-02-17T07:36:05.${"1".repeat(digits)}Z`;
  expect(parseWireInstant(fraction(19))).toBe(Date.UTC(2026, 1, 17, 7, 36, 5, 111));
  expect(parseWireInstant(fraction(20))).toBeNull();
});

test("ids are numbers for the wire where that loses nothing", () => {
  expect(["7", "0", "999999999999999"].map(toWireId)).toEqual([7, 0, 999_999_999_999_999]);
  for (const id of ["007", "00", "1234567890123456", "-7", "7a", ""]) expect(toWireId(id)).toBe(id);
});
