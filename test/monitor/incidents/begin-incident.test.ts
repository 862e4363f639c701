import { expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import { beginIncident } from "../../../src/monitor/incidents/begin-incident.ts";
import type { Bucket } from "../../../src/monitor/incidents/incident-life.ts";
import type { StoryMention } from "../../../src/monitor/model/mention.ts";
import { aMention } from "../../mention.ts";
import { alertOf, NOON } from "./incident-of.ts";

const QUERY = { projectId: "1", queryId: "7", name: "Acme" };

function mentions(negative: number, others: number): StoryMention[] {
  const sentiments = [...Array(negative).fill("negative"), ...Array(others).fill("neutral")] as string[];
  return sentiments.map((sentiment, index) => ({
    mention: aMention({ resourceId: `m${index}`, sentiment }),
    story: `story ${index}`,
  }));
}

/** Full five minutes of [from, to), each with as many as `of` says for its begin. */
function bucketsOf(from: Instant, to: Instant, of: (at: Instant) => { negative: number; total: number }) {
  const buckets: Bucket[] = [];
  for (let at = from; at < to; at += 5 * MINUTE) buckets.push({ at, ...of(at) });
  return buckets;
}

const begin = (alert = alertOf(), counted = mentions(4, 0), buckets: readonly Bucket[] = []) =>
  beginIncident(QUERY, alert, "recall", counted, buckets);

test("an incident begins as its alert is", () => {
  const alert = alertOf({ severity: "warning", notifyCount: 2, lastSeenAt: NOON + MINUTE });
  const { id, ...incident } = begin(alert);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(incident).toEqual({
    ...{ projectId: "1", queryId: "7", queryName: "Acme", group: "recall", leaderId: "leader" },
    ...{ status: "open", severity: "warning", alerts: 1, openedAt: NOON, countedFrom: NOON - HOUR / 2 },
    ...{ lastSeenAt: NOON + MINUTE, uncalmUntil: NOON, calmSince: null, endedAt: null, checkedUntil: NOON },
    ...{
      notifyCount: 1,
      renotifyReason: null,
      waves: 1,
      notified: { at: NOON, count: 0 },
      measure: "negative",
    },
    ...{
      usual: null,
      peak: { negative: 0, total: 0 },
      day: 1,
      factAt: NOON,
      handling: { callingSince: NOON },
    },
  });
});

test("it is measured by what is negative where two of five are, and by all where fewer or none are", () => {
  const measure = (negative: number, others: number) => begin(alertOf(), mentions(negative, others)).measure;
  expect([measure(2, 3), measure(4, 7), measure(0, 0), measure(1, 0)]).toEqual([
    ...["negative", "total", "total", "negative"],
  ]);
});

test("it is counted from the window of its alert, and never from more than an hour before", () => {
  const from = (windowMs: number) =>
    begin(alertOf({ windowFrom: NOON - windowMs, windowTo: NOON })).countedFrom;
  expect([from(10 * MINUTE), from(HOUR), from(6 * HOUR)]).toEqual([
    NOON - 10 * MINUTE,
    NOON - HOUR,
    NOON - HOUR,
  ]);
  // An alert on one mention has no window before it.
  const single = alertOf({ windowFrom: NOON + MINUTE, windowTo: NOON + MINUTE, lastSeenAt: NOON + MINUTE });
  expect(begin({ ...single, firedAt: NOON + MINUTE }).countedFrom).toBe(NOON);
});

test("what people are told first is the quarter of an hour before, and its largest hour is the last one", () => {
  const late = bucketsOf(NOON - 2 * HOUR, NOON + HOUR, (at) =>
    at < NOON - HOUR ? { negative: 100, total: 200 } : { negative: at < NOON ? 2 : 50, total: 3 },
  );
  expect(begin(alertOf(), mentions(4, 0), late)).toMatchObject({
    notified: { at: NOON, count: 6 },
    peak: { negative: 24, total: 36 },
  });
  expect(begin(alertOf(), mentions(0, 4), late).notified.count).toBe(9);
});

test("what is usual is the mean of each hour of the day, but no less than the mean of all hours", () => {
  // Two days up to an hour before the window. From 18:00 to 19:00 one in five minutes is negative, else one an hour.
  const to = NOON - HOUR / 2;
  const before = bucketsOf(to - HOUR - 2 * DAY, NOON, (at) => {
    if (at >= to - HOUR) return { negative: 99, total: 99 };
    const isEvening = Math.floor((at % DAY) / HOUR) === 18;
    return { negative: isEvening ? 1 : 0, total: isEvening ? 2 : 1 };
  });
  const { usual } = begin(alertOf(), mentions(4, 0), before);
  expect(usual).toHaveLength(24);
  expect(usual?.[18]).toEqual({ negative: 12, total: 24 });
  // Twelve in a day are half a mention an hour.
  expect(usual?.[3]).toEqual({ negative: 0.5, total: 12.5 });
  expect(usual?.[17]).toEqual(usual?.[19]);
});

test("of less than a day nothing is usual, and of an uneven time its hours are weighed by it", () => {
  const to = NOON - HOUR / 2;
  const quiet = (days: number) =>
    begin(
      alertOf(),
      mentions(4, 0),
      bucketsOf(to - days * DAY, NOON, () => ({ negative: 1, total: 1 })),
    ).usual;
  expect(quiet(1 - 5 / (24 * 60))).toBeNull();
  expect(quiet(1)?.[3]).toEqual({ negative: 12.52, total: 12.52 });
  expect(begin().usual).toBeNull();
});
