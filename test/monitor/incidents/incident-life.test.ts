import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import {
  activeUntil,
  advance,
  type Bucket,
  calmFrom,
  countIn,
  grow,
  isCalm,
  isHandled,
  renotified,
  rouse,
  watchMs,
} from "../../../src/monitor/incidents/incident-life.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { Incident } from "../../../src/monitor/model/incident.ts";
import { alertOf, incidentOf, NOON } from "./incident-of.ts";

/** `perHour` negative mentions an hour, evenly, in [from, to) hours from noon. */
function said(from: number, to: number, perHour: number): Bucket[] {
  return Array.from({ length: Math.round((to - from) * 12) }, (_, index) => ({
    at: NOON + from * HOUR + index * 5 * MINUTE,
    negative: Math.round((perHour * (index + 1)) / 12) - Math.round((perHour * index) / 12),
    total: Math.round((perHour * (index + 1)) / 12) - Math.round((perHour * index) / 12),
  }));
}

const hours = (count: number): Instant => NOON + count * HOUR;
const resolvedAfter = (count: number) =>
  alertOf({ state: "resolved", lastSeenAt: hours(count), resolvedAt: hours(count) });
const live = (
  incident: Incident,
  members: readonly Alert[],
  buckets: readonly Bucket[],
  until: Instant,
  zone = "UTC",
) => advance(incident, members, buckets, until, zone);
const kindsOf = ({ entries }: { entries: readonly { kind: string }[] }) => entries.map(({ kind }) => kind);

test("an incident is watched when its alerts are resolved and it is calm, and over when it stays calm", () => {
  const step = live(incidentOf(), [resolvedAfter(2)], said(0, 1, 40), hours(12));
  expect(kindsOf(step)).toEqual(["Watching", "Over"]);
  expect(step.incident).toMatchObject({ status: "over", calmSince: hours(2), endedAt: hours(6) });
});

test("it does not end while more is said than usual before it began, even if every alert is resolved", () => {
  const step = live(incidentOf(), [resolvedAfter(2)], said(0, 30, 15), hours(30));
  expect(step.incident.status).toBe("open");
  expect(kindsOf(step)).toEqual(["DayBegan"]);
});

test("a quiet night does not end it, and the next day is said with the count of its hour", () => {
  const crisis = [...said(0, 9, 40), ...said(20.5, 24, 36)];
  const night = live(incidentOf(), [resolvedAfter(10)], crisis, hours(20.5));
  expect(night.incident.status).toBe("watching");
  const { incident, entries } = live(night.incident, [resolvedAfter(10)], crisis, hours(24));
  expect(incident).toMatchObject({ status: "open", day: 2, renotifyReason: "DayBegan", notifyCount: 2 });
  expect(entries.map(({ detail }) => detail)).toEqual([
    "day 2 begins: 21 negative mentions in the last hour",
  ]);
});

test("an alert that joins in a calm begins no day and no wave", () => {
  const night = live(incidentOf(), [resolvedAfter(10)], [...said(0, 9, 40), ...said(20, 24, 3)], hours(20.5));
  const late = alertOf({ id: "late", openedAt: hours(21), firedAt: hours(21) });
  const step = live(night.incident, [resolvedAfter(10), late], said(20, 24, 3), hours(22));
  expect(night.incident.status).toBe("watching");
  expect(step.incident).toMatchObject({ status: "open", day: 1, notifyCount: 1 });
  expect(kindsOf(step)).toEqual([]);
});

test("an alert on single mentions keeps nothing open and wakes nothing: somebody spoke, and it is calm", () => {
  const famous = (openedAt: number, resolvedAt: number | null) =>
    alertOf({ id: "famous", openedAt, windowFrom: openedAt, windowTo: openedAt, resolvedAt });
  const calm = live(incidentOf(), [resolvedAfter(2), famous(hours(1), null)], said(0, 1, 40), hours(3));
  expect(calm.incident).toMatchObject({ status: "watching", calmSince: hours(2) });
  expect(calm.entries.at(-1)?.detail).toBe("1 alert resolved, and it is calm");
  const joined = live(calm.incident, [resolvedAfter(2), famous(hours(3), null)], [], hours(4));
  expect(joined.incident).toMatchObject({ status: "watching", calmSince: hours(2) });
  const over = live(joined.incident, [resolvedAfter(2), famous(hours(3), null)], [], hours(7));
  expect(over.incident).toMatchObject({ status: "over", endedAt: hours(6) });
});

test("the end of what is counted is a full five minutes, as its mentions are counted", () => {
  const seen = hours(1) + 2 * MINUTE + 1_234;
  expect(calmFrom(incidentOf({ calmSince: hours(4), lastSeenAt: seen, uncalmUntil: NOON }))).toBe(
    hours(1) + 5 * MINUTE,
  );
});

test("a flare on the same day is another wave; one after a short pause is not", () => {
  const flare = [...said(0, 1, 40), ...said(5, 6, 40)];
  expect(kindsOf(live(incidentOf(), [resolvedAfter(2)], flare, hours(6)))).toEqual(["Watching", "NewWave"]);
  const pause = [...said(0, 1, 40), ...said(2.5, 3.5, 40)];
  expect(kindsOf(live(incidentOf(), [resolvedAfter(2)], pause, hours(3.5)))).toEqual(["Watching"]);
});

test("what is said is its own while it is open, for an hour after its last sign, and not in its calm", () => {
  const open = incidentOf({ lastSeenAt: hours(1), uncalmUntil: hours(1.5) });
  expect(activeUntil(open)).toBe(hours(2.5));
  expect(activeUntil({ ...open, calmSince: hours(6), status: "watching" })).toBe(hours(1.5));
});

test("what is said of something else opens no watched incident again, and lets it end", () => {
  const watched = live(incidentOf(), [resolvedAfter(2)], said(0, 1, 40), hours(5)).incident;
  const other = advance(watched, [resolvedAfter(2)], said(4, 6, 40), hours(6), "UTC", false);
  expect(other.incident).toMatchObject({ status: "over", calmSince: hours(2), endedAt: hours(6) });
  expect(live(watched, [resolvedAfter(2)], said(4, 6, 40), hours(6)).incident.status).toBe("open");
});

test("one small alert ends with its alert, without being watched", () => {
  const small = incidentOf({ severity: "warning", alerts: 1 });
  const { incident } = live(small, [resolvedAfter(2)], said(0, 1, 40), hours(3));
  expect(incident).toMatchObject({ status: "over", endedAt: hours(2) });
});

test("what is not read does not end it: without new windows nothing changes", () => {
  const watched = live(incidentOf(), [resolvedAfter(2)], said(0, 1, 40), hours(3)).incident;
  expect(live(watched, [resolvedAfter(2)], [], hours(3)).incident).toBe(watched);
});

test("it is harder to end than to begin: a long one is watched for a day", () => {
  expect(watchMs(incidentOf({ calmSince: hours(7) }))).toBe(DAY);
  expect(watchMs(incidentOf({ calmSince: hours(2) }))).toBe(4 * HOUR);
  expect(watchMs(incidentOf({ calmSince: hours(0.2) }))).toBe(HOUR);
  expect(watchMs(incidentOf({ calmSince: hours(2.5) }))).toBe(DAY);
  expect(watchMs(incidentOf({ calmSince: hours(2.5), alerts: 1 }))).toBe(5 * HOUR);
  expect(watchMs(incidentOf({ calmSince: hours(3), severity: "warning", alerts: 2 }))).toBe(6 * HOUR);
});

test("growth does not put off an escalation; another wave and another day call anew", () => {
  const called = incidentOf({ handling: { callingSince: hours(0) } });
  const since = (reason: NonNullable<typeof called.renotifyReason>) =>
    renotified(called, reason, hours(1), 20).handling.callingSince;
  expect([since("Doubled"), since("NewFact")]).toEqual([hours(0), hours(0)]);
  expect([since("NewWave"), since("DayBegan")]).toEqual([hours(1), hours(1)]);
});

test("a rise in severity goes through an acknowledgement", () => {
  const handled = incidentOf({ severity: "warning", status: "handled", handling: { acknowledgedBy: "Ann" } });
  const { incident, entries } = grow(handled, [alertOf()], hours(1), 20);
  expect(incident).toMatchObject({
    severity: "critical",
    status: "open",
    handling: { callingSince: hours(1) },
  });
  expect(incident.handling.acknowledgedBy).toBeUndefined();
  expect(entries[0]).toMatchObject({ kind: "SeverityRose", detail: "warning to critical" });
});

test("an alert that waits four hours for its own end makes a crisis no longer, and its watch no shorter", () => {
  const waits = alertOf({ state: "resolved", lastSeenAt: hours(2.5), resolvedAt: hours(6.5) });
  const { incident } = live(incidentOf({ lastSeenAt: hours(2.5) }), [waits], said(0, 2, 40), hours(31));
  expect(incident).toMatchObject({ status: "over", endedAt: hours(30.5) });
  expect(calmFrom(incident)).toBe(hours(2.5));
});

test("people are notified of growth if the incident itself has grown, and once", () => {
  const negative = alertOf({ notifyCount: 2, renotifyReason: "Doubled", lastSeenAt: hours(0.5) });
  const all = alertOf({ id: "all", notifyCount: 2, renotifyReason: "Doubled", lastSeenAt: hours(0.6) });
  const first = grow(incidentOf(), [negative, alertOf({ id: "all" })], hours(0.5), 32);
  expect(first.incident).toMatchObject({ notifyCount: 2, renotifyReason: "Doubled" });
  expect(first.entries).toMatchObject([
    { kind: "Grew", detail: "Tripled: 32 negative mentions in 15 min, up from 10 (30 min earlier)" },
  ]);
  // Five minutes later an alert on all mentions says the same in other numbers.
  const second = grow(first.incident, [negative, all], hours(0.6), 40);
  expect(second.incident).toMatchObject({ notifyCount: 2, waves: 2 });
  expect(second.entries).toEqual([]);
  // An hour later another alert grew, and the incident did not.
  const later = grow(second.incident, [{ ...negative, notifyCount: 3 }, all], hours(1.5), 33);
  expect(later.entries).toEqual([]);
});

test("the only alert of an incident is the incident: it grows as its rule says", () => {
  const lone = alertOf({ severity: "warning", notifyCount: 2, renotifyReason: "NewWave" });
  const before = incidentOf({ severity: "warning", alerts: 1 });
  expect(grow(before, [lone], hours(1), 2).incident).toMatchObject({
    notifyCount: 2,
    renotifyReason: "NewWave",
  });
});

/** With four negative mentions in a usual hour, up to 16 in an hour are calm and from 30 on it is open again. */
const FOUR = {
  usual: Array.from({ length: 24 }, () => ({ negative: 4, total: 9 })),
  peak: { negative: 0, total: 0 },
};
/** So many negative mentions in the five minutes from this many minutes after noon. */
const burst = (minute: number, negative: number, total = negative): Bucket => ({
  ...{ at: NOON + minute * MINUTE, negative, total },
});
const minutes = (count: number): Instant => NOON + count * MINUTE;

test("it is calm up to twice the usual hour, its chance and two more, or to a tenth of its largest hour", () => {
  const isCalmWith = (changes: Partial<Incident>, inHalfAnHour: number) =>
    live(incidentOf({ ...FOUR, ...changes }), [resolvedAfter(-1)], [burst(40, inHalfAnHour)], hours(1))
      .incident.calmSince !== null;
  expect([8, 9].map((count) => isCalmWith({ checkedUntil: minutes(55) }, count))).toEqual([true, false]);
  const usual = FOUR.usual.map(() => ({ negative: 2.25, total: 9 }));
  const of = { usual, checkedUntil: minutes(55) };
  expect([5, 6].map((count) => isCalmWith(of, count))).toEqual([true, false]);
  const peak = { negative: 400, total: 400 };
  const large = { checkedUntil: minutes(55), peak };
  expect([20, 21].map((count) => isCalmWith(large, count))).toEqual([true, false]);
  // At one o'clock it is measured by what is usual from twelve to one.
  const noon = FOUR.usual.map((one, hour) => (hour === 12 ? one : { negative: 0, total: 0 }));
  expect(isCalmWith({ usual: noon, checkedUntil: minutes(55) }, 8)).toBe(true);
  // Of an incident of which too little is known before, nothing is more than usual.
  expect(isCalmWith({ usual: null, checkedUntil: minutes(55) }, 900)).toBe(true);
});

test("a watched one is open again from four times the usual hour, its chance and eight more, in both measures", () => {
  const watched = incidentOf({
    ...FOUR,
    ...{ status: "watching", calmSince: minutes(-30), checkedUntil: minutes(55), uncalmUntil: minutes(-30) },
  });
  const statusWith = (changes: Partial<Incident>, ...buckets: readonly Bucket[]) =>
    live({ ...watched, ...changes }, [resolvedAfter(-1)], buckets, hours(1)).incident.status;
  expect(statusWith({}, burst(10, 15), burst(40, 15))).toBe("open");
  expect(statusWith({}, burst(10, 14), burst(40, 15))).toBe("watching");
  // What was said half an hour ago is over.
  expect(statusWith({}, burst(10, 30), burst(40, 14))).toBe("watching");
  // A large one needs three tenths of its largest hour.
  const peak = { negative: 200, total: 200 };
  expect(statusWith({ peak }, burst(10, 30), burst(40, 30))).toBe("open");
  expect(statusWith({ peak }, burst(10, 29), burst(40, 30))).toBe("watching");
});

test("more than is calm and less than opens it again lets it wait from then on", () => {
  const watched = incidentOf({
    ...FOUR,
    status: "watching",
    calmSince: hours(-1),
    checkedUntil: minutes(55),
  });
  const { incident } = live(watched, [resolvedAfter(-1)], [burst(40, 10)], hours(1));
  expect(incident).toMatchObject({ status: "watching", calmSince: hours(1), lastSeenAt: hours(1) });
  const other = advance(watched, [resolvedAfter(-1)], [burst(40, 10)], hours(1), "UTC", false).incident;
  expect(other).toMatchObject({ calmSince: hours(-1), lastSeenAt: NOON });
});

test("it is watched from the end of its last alert, or from when it became calm after it", () => {
  const ends = (minute: number) => alertOf({ state: "resolved", resolvedAt: minutes(minute) });
  const quiet = live(incidentOf(FOUR), [ends(62)], [], minutes(65));
  expect(quiet.incident).toMatchObject({ status: "watching", calmSince: minutes(62) });
  expect(quiet.entries.map(({ at }) => at)).toEqual([minutes(62)]);
  // Resolved at this very moment, it is not open any more.
  expect(live(incidentOf(FOUR), [ends(65)], [], minutes(65)).incident.status).toBe("watching");
  expect(live(incidentOf(FOUR), [ends(66)], [], minutes(65)).incident.status).toBe("open");
  const said = [burst(40, 30)];
  const loud = live(incidentOf(FOUR), [ends(62)], said, minutes(80));
  expect(loud.incident).toMatchObject({
    status: "watching",
    uncalmUntil: minutes(70),
    calmSince: minutes(75),
  });
  const same = live(incidentOf(FOUR), [ends(70)], said, minutes(80));
  expect(same.incident.calmSince).toBe(minutes(70));
  const single = alertOf({ id: "famous", windowFrom: NOON, windowTo: NOON, resolvedAt: hours(9) });
  const { entries } = live(incidentOf(FOUR), [ends(62), single], [], minutes(65));
  expect(entries[0]?.detail).toBe("1 alert resolved, and it is calm");
});

test("what was decided is not decided again", () => {
  const decided = incidentOf({ ...FOUR, checkedUntil: hours(1) });
  expect(live(decided, [alertOf()], [burst(25, 100)], minutes(65)).incident.uncalmUntil).toBe(NOON);
});

test("its largest hour is kept, of each measure by itself", () => {
  const buckets = [burst(0, 30, 35), burst(65, 10, 90)];
  const { incident } = live(incidentOf(FOUR), [alertOf()], buckets, hours(3));
  expect(incident.peak).toEqual({ negative: 30, total: 90 });
  const before = { ...FOUR, peak: { negative: 50, total: 60 } };
  expect(live(incidentOf(before), [alertOf()], buckets, hours(3)).incident.peak).toEqual({
    ...{ negative: 50, total: 90 },
  });
});

test("another day of an open one is said at eight in the morning of its zone, if more is said than usual", () => {
  const buckets = said(0, 30, 60);
  const days = (zone: string, until: number, crisis = buckets) =>
    live(incidentOf(), [alertOf()], crisis, hours(until), zone).entries.map(({ at, kind }) => [at, kind]);
  expect(days("UTC", 20 - 1 / 12)).toEqual([]);
  expect(days("UTC", 20)).toEqual([[hours(20), "DayBegan"]]);
  expect(days("Europe/Berlin", 20)).toEqual([[hours(19), "DayBegan"]]);
  expect(days("UTC", 20, said(0, 9, 60))).toEqual([]);
  const { incident, entries } = live(incidentOf(), [alertOf()], buckets, hours(20));
  expect(entries[0]?.detail).toBe("day 2 begins: 60 negative mentions in the last hour");
  expect(incident.notified).toEqual({ at: hours(20), count: 15 });
  const all = live(incidentOf({ measure: "total" }), [alertOf()], buckets, hours(20));
  expect(all.entries[0]?.detail).toBe("day 2 begins: 60 mentions in the last hour");
});

test("one that is over says how long it was calm, and a small one nothing", () => {
  const long = live(incidentOf(), [resolvedAfter(2)], said(0, 1, 40), hours(6));
  expect(long.entries.at(-1)).toMatchObject({ kind: "Over", at: hours(6), detail: "calm for 4 h" });
  const small = live(incidentOf({ severity: "warning", alerts: 1 }), [resolvedAfter(2)], [], hours(3));
  expect(small.entries).toMatchObject([{ kind: "Over", at: hours(2), detail: "" }]);
  expect(calmFrom({ ...small.incident, calmSince: hours(2), lastSeenAt: NOON })).toBe(hours(2));
});

test("what is opened again is a wave after two hours, and whoever has it keeps it", () => {
  const watched = incidentOf({ ...FOUR, status: "watching", calmSince: NOON, uncalmUntil: NOON });
  const roused = (at: Instant, hour: number, before = watched) =>
    rouse(before, { hour, quarter: 12 }, at, "UTC");
  const { incident, entries } = roused(hours(2), 40);
  expect(incident).toMatchObject({
    ...{ status: "open", calmSince: null, endedAt: null, uncalmUntil: hours(2), notifyCount: 2 },
    ...{ renotifyReason: "NewWave", notified: { at: hours(2), count: 12 } },
  });
  expect(entries).toMatchObject([
    { kind: "NewWave", detail: "40 negative mentions in the last hour; it had been calm for 2 h" },
  ]);
  expect(roused(hours(2) - 1, 40).entries).toEqual([]);
  expect(roused(hours(2), 16).entries).toEqual([]);
  const taken = { ...watched, handling: { assignee: "bo" } };
  expect(roused(hours(2), 40, taken).incident.status).toBe("handled");
  expect(roused(hours(13), 40).entries).toMatchObject([{ kind: "DayBegan" }]);
});

test("an incident is as severe and as lately seen as any of its alerts", () => {
  const members = [alertOf({ lastSeenAt: hours(2) }), alertOf({ severity: "warning", lastSeenAt: hours(1) })];
  const { incident, entries } = grow(incidentOf(), members, hours(3), 99);
  expect(incident).toMatchObject({ severity: "critical", lastSeenAt: hours(2), alerts: 2 });
  // However much is said: none of its alerts gave a reason.
  expect(entries).toEqual([]);
  const watched = incidentOf({ severity: "info", status: "watching", calmSince: NOON });
  expect(grow(watched, members, hours(3), 7).incident).toMatchObject({
    ...{ status: "watching", severity: "critical", notified: { at: hours(3), count: 7 } },
  });
});

test("growth is half as much again, a quarter of an hour or more after what was said last", () => {
  const members = [alertOf({ notifyCount: 2 }), alertOf({ id: "second" })];
  const grown = (at: Instant, quarter: number, count = 10, waves = 0) =>
    grow(incidentOf({ waves, notified: { at: NOON, count } }), members, at, quarter).entries.length;
  expect([grown(minutes(15), 15), grown(minutes(15), 14), grown(minutes(15) - 1, 15)]).toEqual([1, 0, 0]);
  expect([grown(minutes(15), 2, 0), grown(minutes(15), 1, 0)]).toEqual([1, 0]);
  expect(grown(minutes(15), 15, 10, 1)).toBe(0);
  const { entries } = grow(incidentOf({ notified: { at: NOON, count: 0 } }), members, minutes(15), 2);
  expect(entries[0]?.detail).toBe("Doubled: 2 negative mentions in 15 min, up from 0 (15 min earlier)");
});

test("a lone small alert says why it grows", () => {
  const lone = alertOf({
    severity: "warning",
    notifyCount: 2,
    renotifyReason: "Doubled",
    because: "twice as many",
  });
  const before = incidentOf({ severity: "warning", alerts: 1 });
  expect(grow(before, [lone], hours(1), 2)).toMatchObject({
    incident: { renotifyReason: "Doubled", notified: { at: hours(1), count: 2 }, waves: 1 },
    entries: [{ kind: "NewWave", at: hours(1), detail: "twice as many" }],
  });
  const silent = { ...lone, renotifyReason: null };
  expect(grow(before, [silent], hours(1), 2).incident.renotifyReason).toBe("NewWave");
});

test("six hours, to the moment, are long", () => {
  const watched = (lastedMs: number) =>
    watchMs(incidentOf({ severity: "warning", calmSince: NOON + lastedMs }));
  expect([watched(6 * HOUR), watched(6 * HOUR - 1)]).toEqual([DAY, 12 * HOUR - 2]);
});

test("nobody is reminded of one that is watched, or in which nothing was above the usual for an hour", () => {
  const checked = { checkedUntil: hours(1), uncalmUntil: NOON };
  expect(isCalm(incidentOf({ status: "watching" }))).toBe(true);
  expect(isCalm(incidentOf(checked))).toBe(true);
  expect(isCalm(incidentOf({ ...checked, uncalmUntil: NOON + 1 }))).toBe(false);
  expect(isCalm(incidentOf({ ...checked, usual: null }))).toBe(false);
  expect(
    [{ acknowledgedBy: "ann" }, { assignee: "bo" }, {}].map((handling) => isHandled({ handling })),
  ).toEqual([...[true, true, false]]);
});

test("what is counted begins with its first moment and ends before its last", () => {
  const buckets = [burst(0, 1, 2), burst(5, 4, 8), burst(10, 16, 32)];
  expect(countIn(buckets, NOON, minutes(10))).toEqual({ negative: 5, total: 10 });
  expect(countIn([], NOON, hours(1))).toEqual({ negative: 0, total: 0 });
});

const anyCounts = fc.array(
  fc.record({ hours: fc.integer({ min: 1, max: 9 }), perHour: fc.integer({ min: 0, max: 60 }) }),
  {
    maxLength: 12,
  },
);

/** Buckets of a random story of some days. */
function storyOf(parts: readonly { hours: number; perHour: number }[]): {
  buckets: Bucket[];
  until: Instant;
} {
  let from = 0;
  const buckets = parts.flatMap((part) => {
    const its = said(from, from + part.hours, part.perHour);
    from += part.hours;
    return its;
  });
  return { buckets, until: hours(from + 30) };
}

test("its life is the same in however many steps it is decided", () => {
  fc.assert(
    fc.property(
      anyCounts,
      fc.integer({ min: 0, max: 40 }),
      fc.array(fc.integer({ min: 1, max: 900 })),
      fc.constantFrom("UTC", "America/New_York", "Asia/Kolkata"),
      (parts, resolved, minutes, zone) => {
        const { buckets, until } = storyOf(parts);
        const members = [resolvedAfter(resolved)];
        const whole = live(incidentOf(), members, buckets, until, zone);
        let incident = incidentOf();
        const entries: unknown[] = [];
        for (const stop of [...minutes.map((one) => NOON + one * 7 * MINUTE).sort((a, b) => a - b), until]) {
          const step = live(incident, members, buckets, Math.min(stop, until), zone);
          incident = step.incident;
          entries.push(...step.entries);
        }
        expect({ ...incident, checkedUntil: 0 }).toEqual({ ...whole.incident, checkedUntil: 0 });
        expect(entries).toEqual(whole.entries);
      },
    ),
  );
});

test("it ends once at most, never before its alerts, and only after it has been calm for all of its watch", () => {
  fc.assert(
    fc.property(anyCounts, fc.integer({ min: 0, max: 40 }), (parts, resolved) => {
      const { buckets, until } = storyOf(parts);
      const { incident, entries } = live(incidentOf(), [resolvedAfter(resolved)], buckets, until);
      const ends = entries.filter(({ kind }) => kind === "Over");
      expect(ends.length).toBe(incident.status === "over" ? 1 : 0);
      if (incident.endedAt === null || incident.calmSince === null) return;
      expect(incident.calmSince).toBeGreaterThanOrEqual(hours(resolved));
      expect(incident.endedAt - incident.calmSince).toBe(watchMs(incident));
      expect(entries.at(-1)?.kind).toBe("Over");
    }),
  );
});
