import { expect, test } from "vitest";
import { startStory } from "../story.ts";

const CRISIS_MUTES = [{ while: { rule: "crisis" } }];
const critical = { severity: "critical" } as const;

test("a crisis mutes the small alerts of its query; those still open are sent when it is resolved", () => {
  const story = startStory({ inhibitions: CRISIS_MUTES })
    .evidence("crisis", "09:00", critical)
    .evidence("angry", "09:10")
    .evidence("loud", "09:20")
    .evidence("other brand", "09:20", { query: "Delta" })
    .ends("loud", "09:50")
    .ends("crisis", "11:00");
  expect(story.until("12:00")).toEqual([
    "09:00 team: fired crisis (FirstNotification)",
    "09:20 team: fired other brand (FirstNotification)",
    "11:00 team: resolved crisis (Resolved)",
    "11:00 team: fired angry (FirstNotification)",
  ]);
  expect(story.history("loud").at(-1)).toBe(
    "09:50 EndedWhileMuted team (inhibition while rule crisis: United, crisis is open)",
  );
});

test("an alert sent before the crisis is reported as resolved during it", () => {
  const story = startStory({ inhibitions: CRISIS_MUTES })
    .evidence("angry", "08:50")
    .evidence("crisis", "09:00", critical)
    .ends("angry", "09:30");
  expect(story.until("10:00").at(-1)).toBe("09:30 team: resolved angry (Resolved)");
});

test("an alert that ended before the crisis is sent during it; one that only began before it, afterwards", () => {
  const asleep = { team: { quietHours: [{ timezone: "UTC", from: "07:00", to: "09:00" }] } };
  const story = startStory({ inhibitions: CRISIS_MUTES, receiverSettings: asleep })
    .evidence("early", "08:00")
    .ends("early", "08:20")
    .evidence("angry", "08:30")
    .evidence("crisis", "08:50", critical)
    .ends("angry", "08:55")
    .ends("crisis", "10:00");
  expect(story.until("11:00")).toEqual([
    "08:50 team: fired crisis (FirstNotification)",
    "09:00 team: ended early (FiredAndEnded)",
    "10:00 team: resolved crisis (Resolved)",
    "10:00 team: ended angry (FiredAndEnded)",
  ]);
});

test("of a crisis and a small alert that end at the same moment, only the crisis is news", () => {
  const story = startStory({ inhibitions: CRISIS_MUTES })
    .evidence("early", "08:55")
    .evidence("crisis", "09:00", critical)
    .evidence("angry", "09:10")
    .ends("crisis", "10:00")
    .ends("angry", "10:00")
    .ends("early", "10:00");
  expect(story.until("11:00")).toEqual([
    "08:55 team: fired early (FirstNotification)",
    "09:00 team: fired crisis (FirstNotification)",
    "10:00 team: resolved early (Resolved)",
    "10:00 team: resolved crisis (Resolved)",
  ]);
  expect(story.history("angry").at(-1)).toBe(
    "10:00 EndedWhileMuted team (inhibition while rule crisis: United, crisis was open)",
  );
});

test("an alert that becomes as severe as the crisis is sent", () => {
  const story = startStory({ inhibitions: CRISIS_MUTES })
    .evidence("crisis", "09:00", critical)
    .evidence("angry", "09:10")
    .evidence("angry", "09:30", critical);
  expect(story.until("10:00").at(-1)).toBe("09:30 team: fired angry (FirstNotification)");
});
