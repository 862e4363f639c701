import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { cleanLine, cleanText, escapeValue, shortenText } from "../../../src/monitor/templates/escape.ts";
import {
  formatAgainst,
  formatChange,
  formatDay,
  formatLength,
  formatPeriod,
  formatTime,
  formatTimeAfter,
} from "../../../src/monitor/templates/formatters.ts";

describe("shortening", () => {
  const graphemes = (text: string) => [...new Intl.Segmenter("en").segment(text)].length;

  it("never cuts an emoji, a flag or an accent apart", () => {
    const family = "👩‍👩‍👧‍👦";
    expect(shortenText(`${family}🇩🇪e\u0301x${family}`, 4)).toBe(`${family}🇩🇪e\u0301…`);
  });

  it("returns at most the given number of characters, and leaves shorter texts as they are", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 80 }),
        fc.integer({ min: 2, max: 40 }),
        (text, limit) => {
          const short = shortenText(text, limit);
          expect(graphemes(short)).toBeLessThanOrEqual(limit);
          if (graphemes(text) <= limit && text.length <= 8 * limit) expect(short).toBe(text);
          expect(short.length).toBeLessThanOrEqual(8 * limit);
        },
      ),
    );
  });

  it("a character with a thousand accents does not make a text long", () => {
    expect(shortenText(`a${"\u0301".repeat(100_000)}`, 20).length).toBeLessThanOrEqual(160);
  });
});

describe("cleaning", () => {
  it("is done after the first time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(cleanText(cleanText(text))).toBe(cleanText(text));
      }),
    );
  });

  it("keeps what people write", () => {
    const text = "Grüße, 你好, می‌خواهم, 👩‍👩‍👧‍👦 & <b> 100 %";
    expect(cleanLine(text)).toBe(text);
  });
});

describe("escaping", () => {
  it("is done once in Slack, where an entity of its own would show", () => {
    expect(escapeValue("a <b> & &lt;c", "mrkdwn")).toBe("a &lt;b&gt; &amp; &amp;lt;c");
  });
});

describe("moments and numbers", () => {
  const at = Date.UTC(2026, 1, 23, 16, 35);

  it("a time is shown in the reader's zone, with the zone's local name", () => {
    expect(formatTime(at, "America/Los_Angeles")).toBe("Mon 23 Feb, 08:35 PST");
    expect(formatTime(at, "Europe/Berlin")).toBe("Mon 23 Feb, 17:35 CET");
    expect(formatTime(at, "Asia/Kolkata")).toBe("Mon 23 Feb, 22:05 GMT+5:30");
    expect(formatTime(at, "UTC")).toBe("Mon 23 Feb, 16:35 UTC");
    expect(formatTime(at, "No/Where")).toBe("Mon 23 Feb, 16:35 UTC");
  });

  it("a time is shown in the reader's language, without spaces that break plain text", () => {
    expect(formatTime(at, "Europe/Berlin", "de")).toBe("Mo., 23. Feb., 17:35 MEZ");
    expect(formatDay(at, "Europe/Paris", "fr")).toBe("lun. 23 févr. 2026");
    expect(formatTimeAfter(at + 4 * MINUTE, at, "Europe/Berlin", "de")).toBe("17:39");
    expect(formatTime(at, "Europe/Berlin", "en-GB")).toBe(formatTime(at, "Europe/Berlin"));
  });

  it("summer time changes the name", () => {
    expect(formatTime(Date.UTC(2026, 6, 1, 12), "America/New_York")).toBe("Wed 1 Jul, 08:00 EDT");
  });

  it("a later moment repeats its day only when it is another one there", () => {
    expect(formatTimeAfter(at + 4 * MINUTE, at, "America/Los_Angeles")).toBe("08:39");
    expect(formatTimeAfter(at + 16 * HOUR, at, "America/Los_Angeles")).toBe("Tue 24 Feb, 00:35 PST");
    // It is Tuesday in UTC.
    expect(formatTimeAfter(at + 8 * HOUR, at, "America/Los_Angeles")).toBe("16:35");
    expect(formatDay(at, "Pacific/Auckland")).toBe("Tue 24 Feb 2026");
  });

  it("a later moment in the hour that comes twice in autumn says in which of the two it is", () => {
    const before = Date.parse("2026-10-25T02:50+02:00");
    expect(formatTime(before, "Europe/Berlin")).toBe("Sun 25 Oct, 02:50 CEST");
    expect(formatTimeAfter(before + 20 * MINUTE, before, "Europe/Berlin")).toBe("Sun 25 Oct, 02:10 CET");
    expect(formatTimeAfter(before + 5 * MINUTE, before, "Europe/Berlin")).toBe("02:55");
    expect(formatTimeAfter(before + 40 * MINUTE, before + 20 * MINUTE, "Europe/Berlin")).toBe("02:30");
  });

  it("a period is named by the days on which it begins", () => {
    const inBerlin = (from: string, to: string) =>
      formatPeriod(Date.parse(from), Date.parse(to), "Europe/Berlin");
    expect(inBerlin("2026-03-09T07:00Z", "2026-03-10T07:00Z")).toBe("Mon 9 Mar 2026");
    expect(inBerlin("2026-03-09T07:00Z", "2026-03-16T07:00Z")).toBe("9 to 15 March 2026");
    expect(inBerlin("2026-02-27T23:00Z", "2026-03-02T23:00Z")).toBe("28 February to 2 March 2026");
    expect(inBerlin("2026-02-28T23:00Z", "2026-03-31T22:00Z")).toBe("March 2026");
  });

  it("a period is named by the days on which it begins, also where clocks change on its last day", () => {
    const named = (zone: string, from: string, to: string) =>
      formatPeriod(Date.parse(from), Date.parse(to), zone);
    const berlin = "Europe/Berlin";
    expect([
      named(berlin, "2026-10-24T08:00+02:00", "2026-10-25T08:00+01:00"),
      named(berlin, "2026-10-18T08:00+02:00", "2026-10-25T08:00+01:00"),
      named(berlin, "2026-03-28T08:00+01:00", "2026-03-29T08:00+02:00"),
      // Clocks skip half past two, so it ends at three.
      named(berlin, "2026-03-28T02:30+01:00", "2026-03-29T03:00+02:00"),
      named("Australia/Lord_Howe", "2026-04-04T08:00+11:00", "2026-04-05T08:00+10:30"),
      // Clocks skip midnight.
      named("America/Santiago", "2026-08-30T00:00-04:00", "2026-09-06T01:00-03:00"),
      named("America/Santiago", "2026-09-06T01:00-03:00", "2026-09-07T00:00-03:00"),
    ]).toEqual([
      "Sat 24 Oct 2026",
      "18 to 24 October 2026",
      "Sat 28 Mar 2026",
      "Sat 28 Mar 2026",
      "Sat 4 Apr 2026",
      "30 August to 5 September 2026",
      "Sun 6 Sept 2026",
    ]);
  });

  it("a change says no multiple of a few, and nothing of less than half a percent", () => {
    expect([formatAgainst(30, 10, "the usual"), formatAgainst(30, 9, "the usual")]).toEqual([
      "3 times the usual 10",
      "against the usual 9",
    ]);
    expect([formatChange(1_004, 1_000), formatChange(1_005, 1_000)]).toEqual(["no change", "+1%"]);
  });

  it("changes, shares and lengths are short", () => {
    expect([
      formatChange(140, 100),
      formatChange(88, 100),
      formatChange(5, 5),
      formatChange(5, 0),
      formatChange(60, 10),
    ]).toEqual(["+40%", "-12%", "no change", "new", "6×"]);
    expect([formatLength(0), formatLength(200 * MINUTE), formatLength(49 * HOUR)]).toEqual([
      "1 min",
      "3 h 20 min",
      "2 d 1 h",
    ]);
    expect([formatLength(50 * HOUR + 50 * MINUTE), formatLength(24 * HOUR - 1)]).toEqual(["2 d 3 h", "1 d"]);
  });
});
