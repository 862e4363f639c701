import { expect, test } from "vitest";
import { startStory } from "../story.ts";

const EVERY_HOUR = [{ receivers: ["team"], repeatEvery: "1h" }];

test("a reminder comes after the interval, with the first evidence that is new", () => {
  const story = startStory({ routes: EVERY_HOUR })
    .evidence("crowd", "09:00")
    .evidence("crowd", "09:30")
    .evidence("crowd", "11:20");
  expect(story.until("14:00")).toEqual([
    "09:00 team: fired crowd (FirstNotification)",
    "10:00 team: reminder crowd (RepeatIntervalElapsed)",
    // At 11:00 there was nothing new; the evidence of 11:20 is sent at once.
    "11:20 team: reminder crowd (RepeatIntervalElapsed)",
  ]);
  expect(story.history("crowd")).toContain("11:00 NoNewEvidence team (already notified)");
});

test("a rise in severity is sent at once, and reminders count from there", () => {
  const story = startStory({ routes: EVERY_HOUR })
    .evidence("crowd", "09:00", { severity: "info" })
    .evidence("crowd", "09:20", { severity: "warning" })
    .evidence("crowd", "09:40", { severity: "critical" })
    .evidence("crowd", "10:10");
  expect(story.until("11:00")).toEqual([
    "09:00 team: fired crowd (FirstNotification)",
    "09:20 team: escalated crowd (SeverityRose)",
    "09:40 team: escalated crowd (SeverityRose)",
    "10:40 team: reminder crowd (RepeatIntervalElapsed)",
  ]);
});

test("a rise ends an acknowledgement, which was for the lower severity", () => {
  const story = startStory({ routes: EVERY_HOUR })
    .evidence("crowd", "09:00", { severity: "warning" })
    .does("09:10", "crowd", "acknowledge", "ann")
    .evidence("crowd", "09:30")
    .evidence("crowd", "10:30", { severity: "critical" })
    .evidence("crowd", "11:00");
  expect(story.until("12:00")).toEqual([
    "09:00 team: fired crowd (FirstNotification)",
    "10:30 team: escalated crowd (SeverityRose)",
    "11:30 team: reminder crowd (RepeatIntervalElapsed)",
  ]);
});

test("of a group each alert has reminders of its own, sent together if they are due together", () => {
  const routes = [{ ...EVERY_HOUR[0], groupBy: ["rule"], groupWait: "1m", groupInterval: "10m" }];
  const story = startStory({ routes });
  for (const name of ["ann", "bo"]) {
    const given = { rule: "angry", labels: { author: name } };
    story.evidence(name, "09:00", given).evidence(name, "09:30", given);
  }
  expect(story.until("10:30")).toEqual([
    "09:01 team: fired ann, and 1 more: bo (FirstNotification)",
    "10:01 team: reminder ann, and 1 more: bo (RepeatIntervalElapsed)",
  ]);
});

test("a storm of critical alerts is sent at once, but in few messages", () => {
  const story = startStory({ receiverSettings: { team: { throttle: { atMost: 3, per: "10m" } } } });
  for (let n = 0; n < 600; n++)
    story.evidence(
      `a${n}`,
      `09:${String(Math.floor(n / 60)).padStart(2, "0")}:${String(n % 60).padStart(2, "0")}`,
      {
        severity: "critical",
      },
    );
  const messages = story.until("09:30");
  expect(messages[0]).toBe("09:00 team: fired a0 (FirstNotification)");
  // At most three in each minute, for ten minutes, and the remaining ones a minute later.
  expect(messages.length).toBeLessThanOrEqual(33);
  const alerts = messages.map((line) => Number(/and (\d+) more/.exec(line)?.[1] ?? 0) + 1);
  expect(alerts.reduce((sum, n) => sum + n, 0)).toBe(600);
});

test("a crisis does not wait behind a storm of small alerts", () => {
  const story = startStory({ receiverSettings: { team: { throttle: { atMost: 3, per: "10m" } } } });
  for (let n = 0; n < 50; n++) story.evidence(`a${n}`, "09:00");
  story.evidence("crisis", "09:00:30", { severity: "critical" });
  const messages = story.until("09:05");
  expect(messages).toHaveLength(4);
  expect(messages.at(-1)).toBe("09:00:30 team: fired crisis (FirstNotification)");
});
