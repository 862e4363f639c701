import { expect, test } from "vitest";
import { WeeklyRange } from "../../../../src/lib/weekly-range.ts";
import { startStory } from "../story.ts";

test("a silence holds alerts that begin inside it, and they are sent the moment it ends", () => {
  const story = startStory()
    .silences("08:00", { match: { rule: "volume-*" }, for: "4h" })
    .evidence("volume-spike", "09:00")
    .evidence("recall-words", "09:30");
  expect(story.until("14:00")).toEqual([
    "09:30 team: fired recall-words (FirstNotification)",
    "12:00 team: fired volume-spike (FirstNotification)",
  ]);
  expect(story.history("volume-spike")[0]).toBe("09:00 HeldBySilence team (silence by ann)");
});

test("the held alerts of a silence that is ended early are sent at once", () => {
  const story = startStory()
    .silences("08:00", { match: {}, for: "24h" })
    .evidence("crisis", "09:00")
    .expires("09:40");
  expect(story.until("12:00")).toEqual(["09:40 team: fired crisis (FirstNotification)"]);
});

test("an announced alert is reported as resolved, silence or not", () => {
  const story = startStory()
    .evidence("crisis", "09:00")
    .silences("09:10", { match: {}, for: "24h" })
    .ends("crisis", "10:00");
  expect(story.until("12:00")).toEqual([
    "09:00 team: fired crisis (FirstNotification)",
    "10:00 team: resolved crisis (Resolved)",
  ]);
});

test("an alert that began and ended inside a silence is never sent, and its history says why", () => {
  const story = startStory()
    .silences("08:00", { match: {}, for: "4h" })
    .evidence("crisis", "09:00")
    .ends("crisis", "10:00");
  expect(story.until("14:00")).toEqual([]);
  expect(story.history("crisis")).toEqual([
    "09:00 HeldBySilence team (silence by ann)",
    "10:00 EndedWhileMuted team (silence by ann)",
  ]);
});

test("reminders stop inside a silence and go on after it", () => {
  const story = startStory({ routes: [{ receivers: ["team"], repeatEvery: "1h" }] })
    .evidence("crisis", "09:00")
    .evidence("crisis", "09:50")
    .silences("09:55", { match: {}, for: "3h" });
  expect(story.until("13:00")).toEqual([
    "09:00 team: fired crisis (FirstNotification)",
    "12:55 team: reminder crisis (RepeatIntervalElapsed)",
  ]);
});

const window = (timezone: string, from: string, to: string) => WeeklyRange.parse({ timezone, from, to });

test("every night across midnight: held in the evening, sent in the morning, day after day", () => {
  const story = startStory()
    .silences("12:00", { match: {}, for: "90d", windows: [window("UTC", "22:00", "07:00")] })
    .evidence("first", "21:59")
    .evidence("second", "22:00")
    .evidence("third", "day 2 06:59")
    .evidence("fourth", "day 2 07:00")
    .evidence("fifth", "day 2 23:30");
  expect(story.until("day 3 12:00")).toEqual([
    "21:59 team: fired first (FirstNotification)",
    "day 2 07:00 team: fired second (FirstNotification)",
    "day 2 07:00 team: fired third (FirstNotification)",
    "day 2 07:00 team: fired fourth (FirstNotification)",
    "day 3 07:00 team: fired fifth (FirstNotification)",
  ]);
});

test.each([
  // Clocks in Berlin go from 02:00 to 03:00 on 29 March 2026: 07:00 there is 05:00 UTC, an hour earlier than the day before.
  ["Europe/Berlin", "2026-03-28", "22:00", "07:00", "21:30", "day 2 05:00"],
  // And back on 25 October: 07:00 is 06:00 UTC.
  ["Europe/Berlin", "2026-10-24", "22:00", "07:00", "21:30", "day 2 06:00"],
  // 02:30 does not exist that night: the window ends with the first moment after the gap, 01:00 UTC.
  ["Europe/Berlin", "2026-03-28", "22:00", "02:30", "21:30", "day 2 01:00"],
  // 02:30 is shown twice that night: the window ends with the second, 01:30 UTC.
  ["Europe/Berlin", "2026-10-24", "22:00", "02:30", "21:30", "day 2 01:30"],
  // A zone with a half-hour offset: 07:00 in Kolkata is 01:30 UTC.
  ["Asia/Kolkata", "2026-03-02", "22:00", "07:00", "17:00", "day 2 01:30"],
  // A change of half an hour: Lord Howe goes back from 02:00 to 01:30 on 5 April, 07:00 is then 20:30 UTC.
  ["Australia/Lord_Howe", "2026-04-04", "22:00", "07:00", "12:00", "20:30"],
  // And forward from 02:00 to 02:30 on 4 October: 07:00 is 20:00 UTC.
  ["Australia/Lord_Howe", "2026-10-03", "22:00", "07:00", "12:00", "20:00"],
])(
  "in %s on the night of %s, %s to %s: an alert of %s is sent at %s",
  (zone, day, from, to, begins, sentAt) => {
    const story = startStory({ day })
      .silences("00:00", { match: {}, for: "30d", windows: [window(zone, from, to)] })
      .evidence("crisis", begins);
    expect(story.until("day 3 00:00")).toEqual([`${sentAt} team: fired crisis (FirstNotification)`]);
  },
);

test("a silence that ends inside a crisis leaves the alert muted, and it is sent at once when the crisis ends", () => {
  const story = startStory({ inhibitions: [{ while: { rule: "crisis" } }] })
    .silences("08:00", { match: { rule: "angry" }, for: "2h" })
    .evidence("angry", "08:30")
    .evidence("crisis", "09:00", { severity: "critical" })
    .ends("crisis", "11:07");
  expect(story.until("12:00")).toEqual([
    "09:00 team: fired crisis (FirstNotification)",
    "11:07 team: resolved crisis (Resolved)",
    "11:07 team: fired angry (FirstNotification)",
  ]);
  expect(story.history("angry").map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
    "08:30 HeldBySilence",
    "10:00 HeldByInhibition",
    "11:07 FirstNotification",
  ]);
});

test("an announced alert that rose and ended in a silence is reported as resolved, once", () => {
  const story = startStory()
    .evidence("crowd", "09:00")
    .silences("09:10", { match: {}, for: "6h" })
    .evidence("crowd", "09:30", { severity: "critical" })
    .ends("crowd", "10:00");
  expect(story.until("18:00")).toEqual([
    "09:00 team: fired crowd (FirstNotification)",
    "10:00 team: resolved crowd (Resolved)",
  ]);
});

test("a rise held by a silence is sent the moment the silence ends", () => {
  const story = startStory()
    .evidence("crowd", "09:00")
    .silences("09:10", { match: {}, for: "2h" })
    .evidence("crowd", "09:30", { severity: "critical" });
  expect(story.until("18:00")).toEqual([
    "09:00 team: fired crowd (FirstNotification)",
    "11:10 team: escalated crowd (SeverityRose)",
  ]);
});
