import { describe, expect, test } from "vitest";
import { decideDate, readFeedDate } from "../../src/feeds/common/feed-date.ts";
import { namesOfMonths, readAgo, wordsOfAgo } from "../../src/feeds/common/local-date.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/lib/instant.ts";

const noon = Date.UTC(2026, 10, 23, 12);

describe("a date of a feed", () => {
  test.each([
    ["of JavaScript", "Mon Nov 23 2026 13:00:00 GMT+0100 (Central European Standard Time)"],
    ["of JavaScript without the name of its zone", "Mon Nov 23 2026 07:00:00 GMT-0500"],
    ["with a colon in its offset", "Mon, 23 Nov 2026 13:00:00 +01:00"],
    ["with an offset of hours", "Mon, 23 Nov 2026 13:00:00 GMT+1"],
    ["with an offset of UTC", "Mon, 23 Nov 2026 17:30:00 UTC+05:30"],
    ["in words with an offset of hours", "23 novembre 2026 14:00 UTC+2"],
    ["in words with a zone", "23 novembre 2026 13:00 CET"],
    ["of India", "Mon, 23 Nov 2026 17:30:00 IST"],
    ["of RFC 850", "Monday, 23-Nov-2026 12:00:00 GMT"],
    ["of a year with two digits", "Mon, 23 Nov 26 12:00:00"],
    ["of Unix without a zone", "Mon Nov 23 12:00:00 2026"],
    ["of Unix without a weekday", "Nov 23 12:00:00 2026"],
    ["of Unix with one", "Mon Nov 23 13:00:00 CET 2026"],
    ["between blanks", "  2026-11-23T12:00:00Z\n"],
    ["behind which something stands, 100 characters later", `2026-11-23T12:00:00Z${" ".repeat(100)}x`],
    ["in Catalan", "23 de novembre del 2026, 12:00"],
    ["in Czech, in numbers", "23. 11. 2026 12:00"],
    ["in Bulgarian, in numbers", "23.11.2026 г., 12:00 ч."],
    ["in Hungarian", "2026. november 23. 12:00"],
    ["in Lithuanian", "2026 m. lapkričio 23 d. 12:00"],
    ["in Latvian", "2026. gada 23. novembris, 12:00"],
    ["in Vietnamese", "23 tháng 11, 2026 12:00"],
    ["of ISO 8601 with a blank before its offset", "2026-11-23T13:00:00 +01:00"],
    ["of ISO 8601 with a blank before its zone", "2026-11-23T12:00:00 GMT"],
    ["of ISO 8601 with a blank before its Z", "2026-11-23T12:00:00.000 Z"],
    ["in German with `am`", "am 23. November 2026 um 12:00 Uhr"],
  ])("%s: %s", (_name, text) => {
    expect(readFeedDate(text)).toBe(noon);
  });

  test.each([
    ["November 23, 2026 12:30 AM", 0.5],
    ["November 23, 2026, 12.30 a.m.", 0.5],
    ["11/23/2026 12:30 AM", 0.5],
    ["11/23/2026 12:30:00am", 0.5],
    ["Mon, 23 Nov 2026 12:30:00 AM", 0.5],
    ["2026年11月23日 午前12:30", 0.5],
    ["November 23, 2026 9:30 AM", 9.5],
    ["November 23, 2026 12:30 PM", 12.5],
    ["November 23, 2026, 3:30 p.m.", 15.5],
    ["Mon, 23 Nov 2026 03:30:00 PM", 15.5],
    ["23 de noviembre de 2026, 3:30 p. m.", 15.5],
    ["11/23/2026 3:30:00PM", 15.5],
    ["11/23/2026 3:30 pm", 15.5],
    ["2026年11月23日 午後3:30", 15.5],
    ["2026年11月23日 下午3:30", 15.5],
    ["2026년 11월 23일 오후 3:30", 15.5],
    ["November 23, 2026 15:30 PM", 15.5],
    ["2026-11-23 03:30:00 PM", 15.5],
    ["2026-11-23 12:30 am", 0.5],
    ["2026-11-23T15:30:00 PM", 15.5],
    ["2026-11-23T9:30:00Z", 9.5],
    ["23 novembre 2026 9:30", 9.5],
    ["23 novembre 2026", 0],
    ["2026-11-23 (Monday)", 0],
  ])("%s is %d hours after midnight", (text, hours) => {
    expect(readFeedDate(text)).toBe(Date.UTC(2026, 10, 23) + hours * HOUR);
  });

  test("in Catalan has an apostrophe before a vowel", () => {
    for (const sign of ["'", "’"]) expect(readFeedDate(`23 d${sign}abril 2026`)).toBe(Date.UTC(2026, 3, 23));
  });

  test("counts its seconds", () => {
    expect(readFeedDate("23 novembre 2026 12:00:07")).toBe(noon + 7 * SECOND);
  });

  test.each([
    ["11/11/2026", Date.UTC(2026, 10, 11)],
    ["13/12/2026", Date.UTC(2026, 11, 13)],
    ["12/13/2026", Date.UTC(2026, 11, 13)],
    ["31.12.2026", Date.UTC(2026, 11, 31)],
    ["01.01.2026", Date.UTC(2026, 0, 1)],
    ["12/05/2026", null],
    ["05/12/2026", null],
    ["32.12.2026", null],
    ["00.12.2026", null],
    ["05.13.2026", null],
    ["05.00.2026", null],
    ["30 février 2026", null],
    ["November 23, 2026 25:00", null],
  ])("%s, in numbers or of a day that does not exist, is %s", (text, at) => {
    expect(readFeedDate(text)).toBe(at);
  });

  test.each(
    [
      ["CET 13:00", "CEST 14:00", "MET 13:00", "WET 12:00", "WEST 13:00", "BST 13:00", "EET 14:00"],
      [
        "EEST 15:00",
        "MSK 15:00",
        "JST 21:00",
        "KST 21:00",
        "AEST 22:00",
        "AEDT 23:00",
        "IST 17:30",
        "PKT 17:00",
      ],
      ["WIB 19:00", "SGT 20:00", "HKT 20:00", "AWST 20:00", "SAST 14:00", "BRT 09:00", "AKST 03:00"],
      ["AKDT 04:00", "HST 02:00", "Z 12:00", "UTC 12:00", "EST 07:00"],
    ].flat(),
  )("is noon in London at %s", (local) => {
    const [zone, time] = local.split(" ");
    expect(readFeedDate(`Mon, 23 Nov 2026 ${time} ${zone}`)).toBe(noon);
  });

  test("is of the next day where the day begins first", () => {
    expect(readFeedDate("Tue, 24 Nov 2026 00:00:00 NZST")).toBe(noon);
    expect(readFeedDate("Tue, 24 Nov 2026 01:00:00 NZDT")).toBe(noon);
  });
});

test("a month has its names of all languages, long and short, and none that is another month elsewhere", () => {
  const months = namesOfMonths();
  const monthOf = (names: string) => [...new Set(names.split(" ").map((name) => months.get(name)))];
  expect(
    monthOf(
      "май maig květen maj mai mayo μαΐου toukokuu touko maggio mag svibanj május gegužės maijs mei maio мая máj мај mayıs",
    ),
  ).toEqual([5]);
  expect(monthOf("janv january jan январь января янв ocak ιαν")).toEqual([1]);
  expect(monthOf("december dec décembre aralık ara prosinec")).toEqual([12]);
  // Croatian: October. Polish and Czech: November.
  expect(monthOf("listopad lis")).toEqual([null]);
  // Beginnings of long names. That of two months in a language means none.
  expect(monthOf("fév фев vel vee")).toEqual([2]);
  expect(monthOf("ное lap ноя")).toEqual([11]);
  expect(monthOf("jui")).toEqual([null]);
  // It is the beginning of November in Finnish.
  expect(monthOf("mar mars mart")).toEqual([3]);
  expect([...months.keys()].filter((name) => name.length < 3)).toEqual([]);
  expect([...months.keys()].filter((name) => !/^\p{L}+$/u.test(name))).toEqual([]);
});

test.each([
  "Mar, 3 mar 2026 12:00:00 GMT",
  "3 mar. 2026 12:00",
  "3 de mar. de 2026, 12:00",
  "3 MAR 2026 12:00",
])("in March, too, a short name is read: %s", (text) => {
  expect(readFeedDate(text)).toBe(Date.UTC(2026, 2, 3, 12));
});

test("words of a time before now are known for one, two, three, five and twenty of it", () => {
  const words = wordsOfAgo();
  const unitOf = (texts: string) => [...new Set(texts.split("/").map((text) => words.get(text)))];
  expect(unitOf(" # hour ago/ # hours ago/ # час назад/ # часа назад/ # часов назад/acum # de ore")).toEqual([
    HOUR,
  ]);
  expect(unitOf("pred # uro/pred # urama/pred # urami/ # 時間前/ # 시간 전/ # 小时前")).toEqual([HOUR]);
  expect(
    [" # second ago", " # minutes ago", " # day ago", " # weeks ago", " # month ago", " # years ago"].map(
      (text) => words.get(text),
    ),
  ).toEqual([SECOND, MINUTE, DAY, 7 * DAY, 30 * DAY, 365 * DAY]);
});

test.each([
  ["30 seconds ago", 30 * SECOND],
  ["1 minute ago", MINUTE],
  [`${" ".repeat(40)}3 hours ago\n`, 3 * HOUR],
  ["1 day ago", DAY],
  ["2 weeks ago", 14 * DAY],
  ["3 months ago", 90 * DAY],
  ["1 year ago", 365 * DAY],
  ["vor 2 Jahren", 730 * DAY],
  ["5 часов назад", 5 * HOUR],
  ["1 час назад", HOUR],
  ["pred 2 urama", 2 * HOUR],
  ["pred 3 urami", 3 * HOUR],
  ["acum 20 de ore", 20 * HOUR],
  ["3 時間前", 3 * HOUR],
  ["3시간 전", 3 * HOUR],
  ["3小时前", 3 * HOUR],
  ["3 hours later", null],
  ["hours ago", null],
  ["", null],
  ["1000 hours ago", null],
])("%j is %s milliseconds before now", (text, agoMs) => {
  expect(readAgo(text)).toBe(agoMs);
});

test.each([
  ["ten minutes ahead: clocks differ", noon + 10 * MINUTE, noon, "dated"],
  ["more than ten minutes ahead", noon + 10 * MINUTE + 1, noon, "dated in the future"],
  ["at the moment from which on the web is", Date.UTC(1995, 0, 1), Date.UTC(1995, 0, 1), "dated"],
  ["just before it", Date.UTC(1995, 0, 1) - 1, noon, "dated before the web"],
])("an item dated %s", (_name, published, at, doubt) => {
  expect(decideDate(published, noon)).toEqual({ at, doubt });
});
