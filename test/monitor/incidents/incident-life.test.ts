import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import {
  activeUntil,
  advance,
  type Bucket,
  calmFrom,
  grow,
  renotified,
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
