import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import { NEW_POLL, type PollState } from "../../../src/monitor/model/poll-state.ts";
import {
  abandonPoll,
  afterPage,
  endPoll,
  nextCall,
  type PolledPage,
  type PollSettings,
} from "../../../src/monitor/polling/watermark.ts";
import { runs } from "../../runs.ts";

const SETTINGS: PollSettings = {
  overlapMs: 5 * MINUTE,
  settleMs: MINUTE,
  lookbackMs: 30 * DAY,
  historyFrom: 100 * DAY,
};
const NOW = 101 * DAY;
const page = (given: Partial<PolledPage>): PolledPage => ({
  highest: null,
  rows: 0,
  repeated: 0,
  total: null,
  nextCursor: null,
  pageSize: 10,
  ...given,
});
const walkedTo = (watermark: Instant): PollState => ({ ...NEW_POLL, watermark, completeUntil: watermark });

test("the first poll begins at the history's start, with a wide range of publication dates", () => {
  expect(nextCall("added", NEW_POLL, SETTINGS, NOW)).toMatchObject({
    outcome: "Begins",
    request: {
      startDate: 70 * DAY,
      endDate: 102 * DAY,
      orderBy: "added",
      orderDirection: "asc",
      cursor: null,
      sinceAdded: 100 * DAY,
    },
  });
});

test("the poll of changes asks by `updated`", () => {
  const { request } = nextCall("updated", walkedTo(NOW), SETTINGS, NOW);
  expect(request).toMatchObject({ orderBy: "updated", sinceUpdated: NOW - 5 * MINUTE });
  expect(request).not.toHaveProperty("sinceAdded");
});

test("a finished poll starts again from its watermark less the overlap, without a cursor", () => {
  const begun = nextCall("added", walkedTo(NOW - DAY), SETTINGS, NOW).state;
  const { state } = endPoll(
    { ...begun, running: begun.running && { ...begun.running, cursor: "c9" } },
    SETTINGS,
  );
  expect(nextCall("added", state, SETTINGS, NOW + 1)).toMatchObject({
    outcome: "Begins",
    request: { cursor: null, sinceAdded: NOW - DAY - 5 * MINUTE },
  });
});

test("an overlap of nothing still shows the moment of the watermark again", () => {
  const { request } = nextCall("added", walkedTo(NOW), { ...SETTINGS, overlapMs: 0 }, NOW);
  expect(request.sinceAdded).toBe(NOW - 1);
});

test("an interrupted poll resumes at its cursor with the parameters it began with", () => {
  const first = nextCall("added", walkedTo(NOW - DAY), SETTINGS, NOW);
  const after = afterPage(
    first.state,
    page({ highest: NOW - 9, rows: 10, total: 25, nextCursor: "c1" }),
    SETTINGS,
  );
  expect(after.outcome).toBe("GoesOn");
  expect(nextCall("added", after.state, { ...SETTINGS, lookbackMs: 1 }, NOW + DAY)).toMatchObject({
    outcome: "Resumes",
    request: { ...first.request, cursor: "c1" },
  });
});

test("a refused cursor is dropped, what the poll has seen is kept", () => {
  const { state } = nextCall("added", walkedTo(NOW - DAY), SETTINGS, NOW);
  const after = afterPage(state, page({ highest: NOW - 9, rows: 10, nextCursor: "c1" }), SETTINGS);
  expect(nextCall("added", abandonPoll(after.state), SETTINGS, NOW + 1)).toMatchObject({
    outcome: "Begins",
    request: { cursor: null, sinceAdded: NOW - 9 - 5 * MINUTE },
  });
});

test.each([
  ["short-page", { rows: 9, nextCursor: "c2" }],
  ["no-cursor", { rows: 10, nextCursor: null }],
  ["empty-page", { rows: 0, nextCursor: "c2" }],
  ["repeated-cursor", { rows: 10, repeated: 5, nextCursor: "c1" }],
])("a poll ends at a %s", (because, given) => {
  const begun = nextCall("added", walkedTo(NOW - DAY), SETTINGS, NOW);
  const first = afterPage(begun.state, page({ rows: 10, nextCursor: "c1", highest: 5 }), SETTINGS);
  const last = afterPage(first.state, page(given), SETTINGS);
  expect(last).toMatchObject({
    outcome: "Ended",
    because,
    state: { running: null, completeUntil: NOW - MINUTE },
  });
});

test("a full page with a cursor continues the poll, and claims nothing yet", () => {
  const begun = nextCall("added", walkedTo(NOW - DAY), SETTINGS, NOW);
  const after = afterPage(begun.state, page({ rows: 10, nextCursor: "c1", highest: NOW - 1 }), SETTINGS);
  expect(after).toMatchObject({ outcome: "GoesOn", state: { completeUntil: NOW - DAY, watermark: NOW - 1 } });
});

test("the watermark never moves back, and not ahead of our clock", () => {
  const begun = nextCall("added", walkedTo(NOW - 5), SETTINGS, NOW);
  expect(afterPage(begun.state, page({ rows: 1, highest: NOW - 9 }), SETTINGS).state.watermark).toBe(NOW - 5);
  expect(afterPage(begun.state, page({ rows: 1, highest: NOW + DAY }), SETTINGS).state.watermark).toBe(NOW);
  expect(afterPage(begun.state, page({}), SETTINGS).state.watermark).toBe(NOW - 5);
  const virgin = nextCall("added", NEW_POLL, SETTINGS, NOW);
  expect(afterPage(virgin.state, page({}), SETTINGS).state.watermark).toBe(null);
});

test("after a clock that was ahead is set back, the next poll begins now, and the ones behind it where it ended", () => {
  const ahead = nextCall("added", walkedTo(NOW), SETTINGS, NOW + 2 * DAY);
  const read = afterPage(ahead.state, page({ rows: 1, highest: NOW + 2 * DAY }), SETTINGS).state;
  const begun = nextCall("added", read, SETTINGS, NOW + 30);
  expect(begun.request.sinceAdded).toBe(NOW + 30 - 5 * MINUTE);
  const { state } = afterPage(begun.state, page({ rows: 1, highest: NOW + 20 }), SETTINGS);
  expect(nextCall("added", state, SETTINGS, NOW + HOUR).request.sinceAdded).toBe(NOW + 30 - 5 * MINUTE);
});

test("a gap is polled again from its beginning before anything is claimed, and then left open", () => {
  let state = walkedTo(NOW - DAY);
  const seen: unknown[] = [];
  for (const turn of [0, 1, 2, 3]) {
    const begun = nextCall("added", state, SETTINGS, NOW + turn * MINUTE);
    const after = afterPage(begun.state, page({ rows: 7, total: 9, highest: NOW + turn }), SETTINGS);
    state = after.state;
    seen.push([
      begun.request.sinceAdded,
      after.outcome === "Ended" && after.coverage.outcome,
      state.completeUntil,
    ]);
  }
  const gapFrom = NOW - DAY - 5 * MINUTE;
  expect(seen).toEqual([
    [gapFrom, "Gap", NOW - DAY],
    [gapFrom, "Gap", NOW - DAY],
    [gapFrom, "Gap", NOW + MINUTE],
    // As many are missing as before, behind the gap that is polled again later.
    [NOW - 5 * MINUTE + 2, "Gap", NOW + 2 * MINUTE],
  ]);
  expect(state.gap).toMatchObject({
    from: gapFrom,
    missing: 2,
    noticedAt: NOW,
    nextAt: NOW + 2 * MINUTE + 10 * MINUTE,
  });
  const later = nextCall("added", state, SETTINGS, NOW + HOUR);
  expect(later.request.sinceAdded).toBe(gapFrom);
  const found = afterPage(later.state, page({ rows: 9, total: 9, highest: NOW }), SETTINGS);
  expect(found.state.gap).toBe(null);
});

test("more missing than the known gap is a new gap", () => {
  const gap = { from: NOW - DAY, tries: 4, missing: 2, noticedAt: NOW - HOUR, nextAt: NOW + HOUR };
  const begun = nextCall("added", { ...walkedTo(NOW - HOUR), gap }, SETTINGS, NOW);
  const after = afterPage(begun.state, page({ rows: 1, total: 6, highest: NOW - 1 }), SETTINGS);
  expect(after.state).toMatchObject({ gap: { from: NOW - DAY, tries: 1, missing: 5 } });
  expect(nextCall("added", after.state, SETTINGS, NOW + 1).request.sinceAdded).toBe(NOW - DAY);
});

test("if a server cuts a poll off in the middle, the remaining pages are requested, and nothing is claimed meanwhile", () => {
  const begun = nextCall("added", walkedTo(NOW - DAY), SETTINGS, NOW);
  const cut = page({ rows: 10, total: 25, highest: NOW - HOUR });
  const after = afterPage(begun.state, cut, SETTINGS);
  expect(after.state).toMatchObject({ gap: { from: NOW - HOUR - 1, tries: 1 }, completeUntil: NOW - DAY });
  expect(nextCall("added", after.state, SETTINGS, NOW + 1).request.sinceAdded).toBe(NOW - HOUR - 5 * MINUTE);
});

test("a poll that is abandoned within its overlap resumes where it was, and not at the same page for ever", () => {
  const begun = nextCall("added", walkedTo(NOW - HOUR), SETTINGS, NOW);
  const full = page({ rows: 10, highest: NOW - HOUR - MINUTE, nextCursor: "c1" });
  const after = afterPage(begun.state, full, SETTINGS);
  const again = abandonPoll(after.state, SETTINGS);
  // The watermark has not moved: everything up to it is known, but what is read now lies before it.
  expect(nextCall("added", again, SETTINGS, NOW + 1).request.sinceAdded).toBe(NOW - HOUR - MINUTE - 1);
});

test("a poll that is far behind with newest-first reads downwards, and is complete at the end only", () => {
  const settings = { ...SETTINGS, newestFirstBehindMs: HOUR };
  const begun = nextCall("added", walkedTo(NOW - DAY), settings, NOW);
  expect(begun.request).toMatchObject({
    orderDirection: "desc",
    sinceAdded: NOW - DAY - 5 * MINUTE,
  });
  const first = afterPage(begun.state, page({ rows: 10, highest: NOW - 1, nextCursor: "c1" }), settings);
  expect(first.state.watermark).toBe(NOW - DAY);
  expect(nextCall("added", abandonPoll(first.state, settings), settings, NOW + 1).request).toEqual({
    ...begun.request,
    endDate: NOW + 1 + DAY,
    path: { ...begun.request.path, pages: "number" },
  });
  const last = afterPage(first.state, page({ rows: 3, highest: NOW - HOUR, nextCursor: "c2" }), settings);
  expect(last.state).toMatchObject({ watermark: NOW - 1, completeUntil: NOW - MINUTE });
  expect(nextCall("added", last.state, settings, NOW + 1).request.orderDirection).toBe("asc");
});

test("the coverage of a poll sums its pages, against the count of the first", () => {
  const begun = nextCall("added", walkedTo(NOW - DAY), SETTINGS, NOW);
  const first = afterPage(begun.state, page({ rows: 10, total: 15, nextCursor: "c1" }), SETTINGS);
  const last = afterPage(first.state, page({ rows: 6, repeated: 1, total: 99 }), SETTINGS);
  expect(last).toMatchObject({
    coverage: { outcome: "Complete", total: 15, seen: 15, from: NOW - DAY - 5 * MINUTE, to: NOW - MINUTE },
  });
});

/** A source that shows its mentions a while after their `added`, and forgets cursors on request. */
interface Row {
  readonly added: Instant;
  readonly visibleAt: Instant;
}
function fetchPage(
  rows: readonly Row[],
  since: Instant,
  cursor: string | null,
  pageSize: number,
  now: Instant,
) {
  const visible = rows
    .map((row, id) => ({ ...row, id }))
    .filter(({ added, visibleAt }) => visibleAt <= now && added > since)
    .sort((a, b) => a.added - b.added || a.id - b.id);
  const [afterAdded = Number.NEGATIVE_INFINITY, afterId = 0] = cursor?.split("/").map(Number) ?? [];
  const rest = visible.filter(
    (row) => row.added > afterAdded || (row.added === afterAdded && row.id > afterId),
  );
  const results = rest.slice(0, pageSize);
  const last = results.at(-1);
  return { results, total: visible.length, nextCursor: last ? `${last.added}/${last.id}` : null };
}

test("no mention that becomes visible within the overlap is missed, and no claim of completeness is wrong", () => {
  const settings = { ...SETTINGS, overlapMs: 50, settleMs: 50, historyFrom: -1 };
  fc.assert(
    fc.property(
      fc.array(fc.record({ added: fc.nat(1_000), delay: fc.nat(50) }), { maxLength: 60 }),
      fc.array(
        fc.record({ wait: fc.nat(80), fault: fc.constantFrom("none", "none", "none", "crash", "refuse") }),
        {
          minLength: 20,
          maxLength: 60,
        },
      ),
      fc.integer({ min: 1, max: 8 }),
      (given, calls, pageSize) => {
        const rows = given.map(({ added, delay }): Row => ({ added, visibleAt: added + delay }));
        const stored = new Set<number>();
        let state: PollState = NEW_POLL;
        let now = 0;
        const call = (fault: string) => {
          const begun = nextCall("added", state, settings, now);
          if (fault === "refuse") {
            state = abandonPoll(state);
            return;
          }
          const { cursor, sinceAdded = 0 } = begun.request;
          const { results, total, nextCursor } = fetchPage(rows, sinceAdded, cursor, pageSize, now);
          if (fault === "crash") return;
          const highest = results.at(-1)?.added ?? null;
          const after = afterPage(
            begun.state,
            { highest, rows: results.length, repeated: 0, total, nextCursor, pageSize },
            settings,
          );
          for (const { id } of results) stored.add(id);
          expect(after.state.watermark ?? -1).toBeGreaterThanOrEqual(state.watermark ?? -1);
          expect(after.state.completeUntil ?? -99).toBeGreaterThanOrEqual(state.completeUntil ?? -99);
          state = JSON.parse(JSON.stringify(after.state));
        };
        const completeUntil = () => state.completeUntil ?? Number.NEGATIVE_INFINITY;
        for (const { wait, fault } of calls) {
          now += wait;
          call(fault);
          for (const [id, { added }] of rows.entries()) {
            if (added < completeUntil()) expect(stored.has(id)).toBe(true);
          }
        }
        now = Math.max(now, 2_000);
        for (let i = 0; i < 200 && completeUntil() < 1_900; i++) call("none");
        expect(stored.size).toBe(rows.length);
      },
    ),
    { numRuns: runs(300) },
  );
});
