import { expect, test } from "vitest";
import { startStory } from "../story.ts";

const NIGHT = { timezone: "UTC", from: "22:00", to: "07:00" };
const quiet = (hours: object) => ({ team: { quietHours: [{ ...NIGHT, ...hours }] } });
const critical = { severity: "critical" } as const;
const info = { severity: "info" } as const;

test("quiet hours hold milder alerts, and those still open are sent in the morning", () => {
  const story = startStory({ receiverSettings: quiet({}) })
    .evidence("before", "21:59")
    .evidence("crowd", "22:00")
    .evidence("crisis", "23:00", critical)
    .ends("before", "23:30");
  expect(story.until("day 2 08:00")).toEqual([
    "21:59 team: fired before (FirstNotification)",
    "23:00 team: fired crisis (FirstNotification)",
    "day 2 07:00 team: resolved before (Resolved)",
    "day 2 07:00 team: fired crowd (FirstNotification)",
  ]);
  expect(story.history("crowd")[0]).toBe("22:00 HeldByQuietHours team (quiet hours 22:00–07:00 UTC)");
});

test("an alert that becomes severe enough in the night breaks through at that moment", () => {
  const story = startStory({ receiverSettings: quiet({}) })
    .evidence("crowd", "22:30")
    .evidence("crowd", "day 2 01:00", critical);
  expect(story.until("day 2 08:00")).toEqual(["day 2 01:00 team: fired crowd (FirstNotification)"]);
});

test("a receiver may let warnings through, too, or nothing at all", () => {
  const messagesWith = (breakThrough: string) =>
    startStory({ receiverSettings: quiet({ breakThrough }) })
      .evidence("mild", "23:00", info)
      .evidence("warned", "23:10")
      .evidence("crisis", "23:20", critical)
      .until("day 2 06:00");
  expect(messagesWith("warning")).toEqual([
    "23:10 team: fired warned (FirstNotification)",
    "23:20 team: fired crisis (FirstNotification)",
  ]);
  expect(messagesWith("nothing")).toEqual([]);
});

test("an alert that began and ended in the night is one message in the morning, or none if it was mild", () => {
  const story = startStory({ receiverSettings: quiet({}) })
    .evidence("warned", "23:00")
    .ends("warned", "day 2 01:00")
    .evidence("mild", "23:00", info)
    .ends("mild", "day 2 01:00");
  expect(story.until("day 2 08:00")).toEqual(["day 2 07:00 team: ended warned (FiredAndEnded)"]);
  expect(story.history("mild").at(-1)).toBe(
    "day 2 01:00 ResolvedUnannounced team (quiet hours 22:00–07:00 UTC)",
  );
});

test("two ranges that touch are one", () => {
  const receiverSettings = {
    team: {
      quietHours: [
        { ...NIGHT, to: "24:00" },
        { timezone: "UTC", from: "00:00", to: "06:30" },
      ],
    },
  };
  expect(startStory({ receiverSettings }).evidence("crowd", "23:00").until("day 2 08:00")).toEqual([
    "day 2 06:30 team: fired crowd (FirstNotification)",
  ]);
});

test.each([
  // 07:00 in Berlin is 06:00 UTC in winter and 05:00 UTC from 29 March on.
  ["2026-03-28", "Europe/Berlin", "day 2 05:00"],
  ["2026-10-24", "Europe/Berlin", "day 2 06:00"],
  // 07:00 in New York: 12:00 UTC in winter, 11:00 UTC from 8 March on; its quiet hours begin at 22:00 there.
  ["2026-03-07", "America/New_York", "day 2 11:00"],
  ["2026-10-31", "America/New_York", "day 2 12:00"],
  // A zone with a half-hour offset.
  ["2026-03-02", "Asia/Kolkata", "day 2 01:30"],
  ["2026-03-02", "Australia/Adelaide", "20:30"],
])("on the night of %s in %s quiet hours end at %s", (day, timezone, morning) => {
  // 12:00 UTC is night in none of them; by 20:00 it is in Adelaide, by 23:59 in Kolkata and Berlin, later in New York.
  const at =
    timezone === "Australia/Adelaide" ? "20:00" : timezone === "America/New_York" ? "day 2 04:00" : "23:59";
  const story = startStory({ day, receiverSettings: quiet({ timezone }) }).evidence("crowd", at);
  expect(story.until("day 3 00:00")).toEqual([`${morning} team: fired crowd (FirstNotification)`]);
});

test("the end of a silence in the night waits for the morning", () => {
  const story = startStory({ receiverSettings: quiet({}) })
    .silences("20:00", { match: {}, for: "4h" })
    .evidence("crowd", "21:00");
  expect(story.until("day 2 08:00")).toEqual(["day 2 07:00 team: fired crowd (FirstNotification)"]);
});
