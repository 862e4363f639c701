import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import { WEEKDAYS } from "../../../src/lib/local-time.ts";
import type { WeeklyRange } from "../../../src/lib/weekly-range.ts";
import { describeSilence, type Silence, silencedAt } from "../../../src/monitor/model/silence.ts";
import { anAlert } from "../../console/make-a-story.ts";
import { runs } from "../../runs.ts";

const alert = anAlert({ openedAt: 0 });

/** Around both changes of the clocks of 2026, in zones that lie beside the full hour and change by half of one, too. */
const CHANGES = [
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["America/St_Johns", "2026-03-08"],
  ["America/St_Johns", "2026-11-01"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Asia/Kolkata", "2026-06-14"],
] as const;

/** What the clock on the wall shows, minute by minute, for some days around a change. */
interface Wall {
  readonly timezone: string;
  readonly from: Instant;
  readonly shown: readonly { readonly date: string; readonly weekday: string; readonly minutes: number }[];
}

const walls = new Map<string, Wall>();
function wallOf(timezone: string, date: string): Wall {
  const known = walls.get(timezone + date);
  if (known !== undefined) return known;
  const from = Date.parse(`${date}T00:00:00Z`) - 3 * DAY;
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    weekday: "short",
  });
  const shown = Array.from({ length: 6 * 24 * 60 }, (_, minute) => {
    const part = Object.fromEntries(
      format.formatToParts(from + minute * MINUTE).map(({ type, value }) => [type, value]),
    );
    return {
      date: `${part["year"]}-${part["month"]}-${part["day"]}`,
      weekday: (part["weekday"] ?? "").toLowerCase(),
      minutes: Number(part["hour"]) * 60 + Number(part["minute"]),
    };
  });
  const wall = { timezone, from, shown };
  walls.set(timezone + date, wall);
  return wall;
}

/** Every span that the range has on the wall, found by looking at each of its minutes. */
function spansOf({ shown, from }: Wall, range: WeeklyRange): [Instant, Instant][] {
  const dates = [...new Set(shown.map(({ date }) => date))];
  return dates.slice(1, -2).flatMap((date, index) => {
    const began = shown.find((one) => one.date === date);
    if (began === undefined || !range.days.some((day) => day === began.weekday)) return [];
    const next = dates[index + 2] ?? "";
    const start = firstAt(shown, date, range.from);
    const end = range.to <= range.from ? lastAt(shown, next, range.to) : lastAt(shown, date, range.to);
    // The clocks skip all of it: it begins behind the gap and keeps its length.
    const length = range.to - range.from + (range.to <= range.from ? 24 * 60 : 0);
    return [[from + start * MINUTE, from + (end > start ? end : start + length) * MINUTE]];
  });
}

/** The first minute of that date that shows this time or, where it is skipped, a later one. */
function firstAt(shown: Wall["shown"], date: string, minutes: number): number {
  return shown.findIndex((one) => one.date === date && one.minutes >= minutes);
}

/** The last minute that shows this time; where none does, the first that shows a later one. Midnight is the next day's. */
function lastAt(shown: Wall["shown"], date: string, minutes: number): number {
  if (minutes === 24 * 60) return shown.findLastIndex((one) => one.date === date) + 1;
  const last = shown.findLastIndex((one) => one.date === date && one.minutes === minutes);
  return last === -1 ? firstAt(shown, date, minutes) : last;
}

function silence(from: Instant, windows: readonly WeeklyRange[]): Silence {
  const times = { createdAt: from, startsAt: from, endsAt: from + 6 * DAY };
  return { id: "s", match: {}, author: "ann", comment: "", endedBy: null, ...times, windows };
}

const time = fc.integer({ min: 0, max: 47 }).map((half) => half * 30);
const days = fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 });

test("a range that the clocks skip whole begins behind the gap and keeps its length", () => {
  const wall = wallOf("America/New_York", "2026-03-08");
  const range = { timezone: "America/New_York", from: 120, to: 150, days: [...WEEKDAYS] };
  const held = (text: string): boolean =>
    silencedAt([silence(wall.from, [range])], alert, Date.parse(text)) !== null;
  // From 02:00 the clocks show 03:00.
  expect(["06:59", "07:00", "07:29", "07:30"].map((time) => held(`2026-03-08T${time}:00Z`))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test("a recurring silence holds exactly in the minutes that a clock on the wall says", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CHANGES),
      fc.array(fc.record({ from: time, to: time, days }), { minLength: 1, maxLength: 3 }),
      fc.array(fc.integer({ min: 60 * 60, max: 4 * 24 * 60 }), { minLength: 12, maxLength: 12 }),
      ([timezone, date], ranges, minutes) => {
        const wall = wallOf(timezone, date);
        const windows = ranges.filter(({ from, to }) => from !== to).map((range) => ({ ...range, timezone }));
        if (windows.length === 0) return;
        const spans = windows.flatMap((range) => spansOf(wall, range));
        const its = silence(wall.from, windows);
        for (const minute of minutes) {
          const at = wall.from + minute * MINUTE;
          const isInside = spans.some(([start, end]) => start <= at && at < end);
          const found = silencedAt([its], alert, at);
          expect([new Date(at).toISOString(), found !== null]).toEqual([
            new Date(at).toISOString(),
            isInside,
          ]);
        }
      },
    ),
    { numRuns: runs(40) },
  );
});

test("a silence ends when nothing is silenced any more, and nothing is heard before", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CHANGES),
      fc.array(fc.record({ from: time, to: time, days }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 60 * 60, max: 4 * 24 * 60 }),
      ([timezone, date], ranges, minute) => {
        const wall = wallOf(timezone, date);
        const windows = ranges.filter(({ from, to }) => from !== to).map((range) => ({ ...range, timezone }));
        fc.pre(windows.length > 0);
        const all = [silence(wall.from, windows)];
        const at = wall.from + minute * MINUTE;
        const found = silencedAt(all, alert, at);
        fc.pre(found !== null);
        expect(silencedAt(all, alert, found.until)).toBeNull();
        for (let part = 0; part < 8; part++)
          expect(silencedAt(all, alert, at + ((found.until - at) * part) / 8)).not.toBeNull();
      },
    ),
    { numRuns: runs(40) },
  );
});

const plain = (startsAt: number, endsAt: number): Silence => ({
  ...silence(startsAt, []),
  ...{ id: `${startsAt}-${endsAt}`, endsAt },
});

test.each<[string, [number, number][], number | null, string | null]>([
  ["none", [], null, null],
  ["one that begins now", [[10, 20]], 20, "10-20"],
  ["one that begins later", [[11, 20]], null, null],
  ["one that ends now", [[1, 10]], null, null],
  [
    "the longest of several",
    [
      [1, 15],
      [2, 30],
      [3, 12],
    ],
    30,
    "2-30",
  ],
  [
    "the first of two that end together",
    [
      [1, 30],
      [2, 30],
    ],
    30,
    "1-30",
  ],
  [
    "one after the other",
    [
      [1, 15],
      [15, 25],
      [20, 40],
    ],
    40,
    "1-15",
  ],
  [
    "a gap between two",
    [
      [1, 15],
      [16, 25],
    ],
    15,
    "1-15",
  ],
])("how long silences hold an alert: %s", (_, ranges, until, silence) => {
  const found = silencedAt(
    ranges.map(([startsAt, endsAt]) => plain(startsAt, endsAt)),
    alert,
    10,
  );
  expect([found?.until ?? null, found?.silence.id ?? null]).toEqual([until, silence]);
});

test("a silence is described by who made it, why, and when it holds", () => {
  const night = { timezone: "Asia/Kolkata", from: 22 * 60, to: 7 * 60, days: [...WEEKDAYS] };
  const noon = { ...night, from: 12 * 60, to: 13 * 60 };
  expect(describeSilence(silence(0, []))).toBe("silence by ann");
  expect(describeSilence({ ...silence(0, [night, noon]), comment: "release day" })).toBe(
    "silence by ann: release day (22:00–07:00 Asia/Kolkata; 12:00–13:00 Asia/Kolkata)",
  );
});
