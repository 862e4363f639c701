import { expect, test } from "vitest";
import { startStory } from "../story.ts";

test("an acknowledged alert gives no reminders, and its end is sent", () => {
  const story = startStory({ routes: [{ receivers: ["team"], repeatEvery: "30m" }] })
    .evidence("crisis", "09:00")
    .evidence("crisis", "09:20")
    .does("09:40", "crisis", "acknowledge", "ann")
    .evidence("crisis", "10:30")
    .ends("crisis", "11:00");
  expect(story.until("12:00")).toEqual([
    "09:00 team: fired crisis (FirstNotification)",
    "09:30 team: reminder crisis (RepeatIntervalElapsed)",
    "11:00 team: resolved crisis (Resolved)",
  ]);
});

test("an alert that comes back soon is reopened, sent again, and resolved again", () => {
  const story = startStory({ reopenWithin: "1h" })
    .evidence("crisis", "09:00")
    .ends("crisis", "09:30")
    .evidence("crisis", "10:10")
    .ends("crisis", "10:40");
  expect(story.until("12:00")).toEqual([
    "09:00 team: fired crisis (FirstNotification)",
    "09:30 team: resolved crisis (Resolved)",
    "10:10 team: reopened crisis (Reopened)",
    "10:40 team: resolved crisis (Resolved)",
  ]);
});

test("an alert that comes back is sent again, also where no end is sent", () => {
  const routes = [{ receivers: ["team"], repeatEvery: "never", sendResolved: false }];
  const story = startStory({ reopenWithin: "1h", routes })
    .evidence("crisis", "09:00")
    .ends("crisis", "09:30")
    .evidence("crisis", "10:10");
  expect(story.until("12:00")).toEqual([
    "09:00 team: fired crisis (FirstNotification)",
    "10:10 team: reopened crisis (Reopened)",
  ]);
});

test("an alert that a person resolved stays closed while it continues, and is sent again when it rises", () => {
  const story = startStory({ reopenWithin: "6h" })
    .evidence("crisis", "09:00")
    .does("09:20", "crisis", "resolve", "ann")
    .evidence("crisis", "09:25")
    .evidence("crisis", "09:30")
    .evidence("crisis", "10:00", { severity: "critical" });
  expect(story.until("12:00")).toEqual([
    "09:00 team: fired crisis (FirstNotification)",
    "09:20 team: resolved crisis (Resolved)",
    "10:00 team: reopened crisis (Reopened)",
  ]);
});

test("a tree of routes: the deepest match decides, a branch without a match decides itself", () => {
  const routes = [
    {
      match: { query: "United" },
      receivers: ["united"],
      repeatEvery: "never",
      routes: [
        { match: { severity: "critical" }, receivers: ["phone"], continue: true },
        { match: { rule: "crisis*" }, receivers: ["crisis-team"] },
      ],
    },
    { receivers: ["rest"] },
  ];
  const story = startStory({ routes })
    .evidence("crisis", "09:00", { severity: "critical" })
    .evidence("mild", "09:01")
    .evidence("delta", "09:02", { query: "Delta" });
  expect(story.until("09:30")).toEqual([
    "09:00 phone: fired crisis (FirstNotification)",
    "09:00 crisis-team: fired crisis (FirstNotification)",
    "09:01 united: fired mild (FirstNotification)",
    "09:02 rest: fired delta (FirstNotification)",
  ]);
});
