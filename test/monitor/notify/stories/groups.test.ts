import { expect, test } from "vitest";
import { startStory } from "../story.ts";

const GROUPED = [
  { receivers: ["team"], repeatEvery: "never", groupBy: ["rule"], groupWait: "30s", groupInterval: "5m" },
];
const author = (name: string) => ({ rule: "angry", labels: { author: name } });

test("the first news of a group waits for more, and is one message", () => {
  const story = startStory({ routes: GROUPED })
    .evidence("ann", "09:00", author("ann"))
    .evidence("bo", "09:00:10", author("bo"))
    .evidence("cy", "09:00:20", { ...author("cy"), severity: "critical" });
  expect(story.until("10:00")).toEqual(["09:00:30 team: fired cy, and 2 more: ann, bo (FirstNotification)"]);
});

test("after a message the group waits for its interval, and then sends everything new in one", () => {
  const story = startStory({ routes: GROUPED })
    .evidence("ann", "09:00", author("ann"))
    .evidence("bo", "09:01", author("bo"))
    .evidence("cy", "09:02", author("cy"))
    .ends("ann", "09:03");
  expect(story.until("10:00")).toEqual([
    "09:00:30 team: fired ann (FirstNotification)",
    "09:05:30 team: fired bo, and 2 more: cy, ann (FirstNotification)",
  ]);
});

test("an alert that ends before its group is sent does not wait longer", () => {
  const story = startStory({ routes: GROUPED.map((route) => ({ ...route, groupWait: "10m" })) })
    .evidence("ann", "09:00", author("ann"))
    .ends("ann", "09:05");
  expect(story.until("10:00")).toEqual(["09:10 team: ended ann (FiredAndEnded)"]);
});

test("a rise in severity waits for no group", () => {
  const story = startStory({ routes: GROUPED })
    .evidence("ann", "09:00", author("ann"))
    .evidence("ann", "09:01", { ...author("ann"), severity: "critical" });
  expect(story.until("10:00")).toEqual([
    "09:00:30 team: fired ann (FirstNotification)",
    "09:01 team: escalated ann (SeverityRose)",
  ]);
});

test("alerts of different queries are one group, unless the route groups by query, too", () => {
  const both = (groupBy: readonly string[]) =>
    startStory({ routes: GROUPED.map((route) => ({ ...route, groupBy })) })
      .evidence("united", "09:00", { rule: "angry", query: "United" })
      .evidence("delta", "09:00:10", { rule: "angry", query: "Delta" })
      .evidence("american", "09:02", { rule: "angry", query: "American" })
      .ends("delta", "09:03")
      .until("10:00");
  expect(both(["rule"])).toEqual([
    "09:00:30 team: fired united, and 1 more: delta (FirstNotification)",
    "09:05:30 team: fired american, and 1 more: delta (FirstNotification)",
  ]);
  expect(both(["rule", "query"])).toEqual([
    "09:00:30 team: fired united (FirstNotification)",
    "09:00:40 team: fired delta (FirstNotification)",
    "09:02:30 team: fired american (FirstNotification)",
    "09:05:40 team: resolved delta (Resolved)",
  ]);
});

test("a group is by any label: one story in four queries is one message", () => {
  const story = startStory({ routes: GROUPED.map((route) => ({ ...route, groupBy: ["story"] })) });
  for (const query of ["United", "Delta", "American", "Virgin"])
    story.evidence(query, "09:00", { query, rule: "press", labels: { story: "s1" } });
  story.evidence("other", "09:00", { query: "Delta", rule: "press", labels: { story: "s2" } });
  expect(story.until("10:00")).toEqual([
    "09:00:30 team: fired United, and 3 more: Delta, American, Virgin (FirstNotification)",
    "09:00:30 team: fired other (FirstNotification)",
  ]);
});

test("other rules are other groups", () => {
  const story = startStory({ routes: GROUPED.map((route) => ({ ...route, groupBy: ["rule", "query"] })) })
    .evidence("ann", "09:00", author("ann"))
    .evidence("crowd", "09:00", { rule: "crowd" })
    .evidence("delta", "09:00", { rule: "angry", query: "Delta" });
  expect(story.until("10:00")).toEqual([
    "09:00:30 team: fired ann (FirstNotification)",
    "09:00:30 team: fired crowd (FirstNotification)",
    "09:00:30 team: fired delta (FirstNotification)",
  ]);
});

test("alerts sent together are each reported as resolved", () => {
  const story = startStory({ routes: GROUPED })
    .evidence("ann", "09:00", author("ann"))
    .evidence("bo", "09:00", author("bo"))
    .ends("bo", "09:20")
    .ends("ann", "09:40");
  expect(story.until("10:00")).toEqual([
    "09:00:30 team: fired ann, and 1 more: bo (FirstNotification)",
    "09:20:30 team: resolved bo (Resolved)",
    "09:40:30 team: resolved ann (Resolved)",
  ]);
});

test("alerts beyond the throttle are bundled into its last message, never dropped", () => {
  const story = startStory({ receiverSettings: { team: { throttle: { atMost: 2, per: "1h" } } } });
  for (let n = 1; n <= 16; n++) story.evidence(`a${n}`, "09:00");
  story.evidence("later", "09:10").evidence("latest", "09:20").evidence("last", "09:30");
  const messages = story.until("12:00");
  expect(messages).toHaveLength(4);
  expect(messages[0]).toBe("09:00 team: fired a1 (FirstNotification)");
  expect(messages[1]).toMatch(/^09:00 team: fired a2, and 14 more: a3, /);
  expect(messages.slice(2)).toEqual([
    "10:00 team: fired later (FirstNotification)",
    "10:00 team: fired latest, and 1 more: last (FirstNotification)",
  ]);
});
