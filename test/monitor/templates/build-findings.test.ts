import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import type { Explanation } from "../../../src/monitor/model/alert.ts";
import { buildFindings, describeListed } from "../../../src/monitor/templates/build-findings.ts";
import { aMention } from "../../mention.ts";
import { NO_EXPLANATION } from "../alerts/no-explanation.ts";
import { alertOf } from "../notify/alert-of.ts";

const AT = Date.UTC(2026, 1, 23, 3, 10);
const ALERT = alertOf({
  openedAt: AT,
  windowFrom: AT - 30 * MINUTE,
  windowTo: AT,
  values: { arrivedShare: 0.6 },
});

const lines = (explanation: Explanation | null, alert = ALERT) =>
  buildFindings(alert, explanation, "UTC").map(({ label, text }) => `${label}: ${text}`);

test("everything that was found out is a short line", () => {
  expect(
    lines({
      ...NO_EXPLANATION,
      since: AT - 45 * MINUTE,
      largest: { since: AT - 3 * DAY, knownFrom: AT - 9 * DAY },
      looked: { now: 62, before: 40 },
      authors: { count: 58, loudest: [{ name: "loud\none", mentions: 7 }] },
      reposts: { now: 0.4, before: 0.1 },
      negative: { now: 0.81, before: 0.42 },
      topics: [{ name: "Cancelled Flight", now: 0.58, before: 0.14 }],
      domains: [{ name: "news.example", now: 0.3, before: 0.02 }],
      words: ["cancelled", "hold"],
      completeUntil: AT - 5 * MINUTE,
    }),
  ).toEqual([
    "Who: 58 authors; most by loud one (7); 40% repeat another text (usually 10%)",
    "Where: news.example 30% (usually 2%)",
    "How big: more than usual since 02:25; the most in 30 min since Fri 20 Feb, 03:10 UTC",
    "Mood: 81% of all mentions negative (usually 42%)",
    "Topics: Cancelled Flight 58% (usually 14%)",
    "New words: cancelled, hold",
    "Counted: complete until 03:05 only",
  ]);
});

test("what is usual or unknown is left out", () => {
  expect(lines(null)).toEqual([]);
  const complete = alertOf({ ...ALERT, values: {} });
  expect(lines(NO_EXPLANATION, complete)).toEqual([]);
  expect(
    lines(
      {
        ...NO_EXPLANATION,
        negative: { now: 0.5, before: 0.45 },
        reposts: { now: 0.3, before: 0.28 },
        largest: { since: AT - HOUR, knownFrom: AT - 9 * DAY },
        completeUntil: AT,
      },
      complete,
    ),
  ).toEqual([]);
});

test("what the alert says itself is not repeated with another number", () => {
  const explanation = { ...NO_EXPLANATION, negative: { now: 0.77, before: 0.23 }, completeUntil: AT };
  const because = "75% of 292 negative mentions in 2 h are about Safety, usually 22%";
  const of = (values: Record<string, number>) => lines(explanation, alertOf({ ...ALERT, because, values }));
  expect(of({ share: 0.75, negativeShare: 0.75 })).toEqual([]);
  expect(of({ share: 0.75 })).toEqual(["Mood: 77% of all mentions negative (usually 23%)"]);
});

test("one new word alone says nothing", () => {
  expect(lines({ ...NO_EXPLANATION, words: ["let"], completeUntil: AT })).toEqual([]);
});

test("a single author is named, not counted", () => {
  const authors = { count: 1, loudest: [{ name: "bot", mentions: 40 }] };
  const explanation = { ...NO_EXPLANATION, looked: { now: 40, before: 40 }, authors };
  expect(lines(explanation)).toEqual(["Who: all by bot"]);
});

test("of a young query it is said how far back its counts go", () => {
  expect(
    lines(
      { ...NO_EXPLANATION, largest: { since: null, knownFrom: AT - 9 * DAY } },
      alertOf({ ...ALERT, values: {} }),
    ),
  ).toEqual(["How big: the most in 30 min since counting began on Sat 14 Feb 2026"]);
});

test("who is on our lists: one author with the note; of several the most followed, each once, without notes", () => {
  const says = (author: string, followers: number | null, ...lists: readonly string[]) => ({
    mention: aMention({ author, followers }),
    lists: lists.map((list) => ({ id: list, list, site: null, note: `about ${author}` })),
  });
  expect(describeListed([says("@ann", 10, "VIP", "press"), says("Ann", null, "VIP", "press")])).toBe(
    "@ann (VIP: about @ann, press: about @ann)",
  );
  const four = ["a", "b", "c", "d"].map((author, n) => says(author, n, "VIP"));
  expect(describeListed(four.slice(0, 2))).toBe("b (VIP), a (VIP)");
  expect(describeListed([...four, ...four])).toBe("d (VIP), c (VIP), b (VIP) and 1 more");
});
