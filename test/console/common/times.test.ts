import { expect, test } from "vitest";
import { createTimes } from "../../../src/console/common/times.ts";
import { createManualClock } from "../../../src/lib/clock.ts";
import { DAY, HOUR } from "../../../src/lib/instant.ts";

/** A Tuesday, 01:30 in Berlin, and still Monday in UTC. */
const NOW = Date.parse("2026-03-03T00:30:00Z");
const times = createTimes(createManualClock(NOW), "Europe/Berlin");
const shown = (at: number, of = times) => />([^<]*)</.exec(of.moment(at).toString())?.[1];

test.each([
  ["today", NOW - HOUR, "00:30"],
  ["yesterday in this zone", NOW - 2 * HOUR, "Mon 23:30"],
  ["less than six days ago", NOW - 6 * DAY + 1, "Wed 01:30"],
  // A week ago has the same name as today.
  ["six days ago", NOW - 6 * DAY, "25 Feb 01:30"],
  ["in a week", NOW + 7 * DAY, "10 Mar 01:30"],
  ["half a year ago", NOW - 180 * DAY, "4 Sept 2025"],
])("a moment %s is short, and cannot be taken for another", (_name, at, text) => {
  expect(shown(at)).toBe(text);
});

test("the same moments in another zone", () => {
  const there = times.inZone("America/New_York");
  expect([shown(NOW, there), there.clock(NOW)]).toEqual(["19:30", "Mon 19:30 GMT-5"]);
  expect(times.inZone("Europe/Berlin")).toBe(times);
  expect(there.inZone("Europe/Berlin").hour(NOW)).toBe("01:30");
});
