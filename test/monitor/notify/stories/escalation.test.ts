import { expect, test } from "vitest";
import { startStory } from "../story.ts";

const STEPS = {
  name: "crisis",
  match: { severity: "critical" },
  steps: [
    { after: "0s", receivers: ["channel"] },
    { after: "15m", receivers: ["second-channel"] },
    { after: "30m", receivers: ["on-call"] },
    { after: "1h", receivers: ["webhook"] },
  ],
};
const ROUTES = [{ receivers: ["channel"], repeatEvery: "never" }];

test("without an acknowledgement each step is notified, and all of them get the end", () => {
  const story = startStory({ routes: ROUTES, escalations: [STEPS] })
    .evidence("crisis", "09:00", { severity: "critical" })
    .ends("crisis", "11:00");
  expect(story.until("12:00")).toEqual([
    "09:00 channel: fired crisis (FirstNotification)",
    "09:15 second-channel: unanswered crisis (Escalated)",
    "09:30 on-call: unanswered crisis (Escalated)",
    "10:00 webhook: unanswered crisis (Escalated)",
    "11:00 channel: resolved crisis (Resolved)",
    "11:00 second-channel: resolved crisis (Resolved)",
    "11:00 on-call: resolved crisis (Resolved)",
    "11:00 webhook: resolved crisis (Resolved)",
  ]);
});

test("an acknowledgement stops it; only notified receivers get the end", () => {
  const story = startStory({ routes: ROUTES, escalations: [STEPS] })
    .evidence("crisis", "09:00", { severity: "critical" })
    .does("09:20", "crisis", "acknowledge", "ann")
    .ends("crisis", "11:00");
  expect(story.until("12:00")).toEqual([
    "09:00 channel: fired crisis (FirstNotification)",
    "09:15 second-channel: unanswered crisis (Escalated)",
    "11:00 channel: resolved crisis (Resolved)",
    "11:00 second-channel: resolved crisis (Resolved)",
  ]);
  expect(story.history("crisis")).toContain("09:20 AcknowledgedBy by ann");
  expect(story.history("crisis")).toContain(
    "09:20 EscalationStopped acknowledged by ann, so not notified: on-call (escalation crisis, step 3), webhook (escalation crisis, step 4)",
  );
});

test("a rise after an acknowledgement escalates from the start", () => {
  const story = startStory({ routes: ROUTES, escalations: [{ ...STEPS, steps: STEPS.steps.slice(0, 2) }] })
    .evidence("crisis", "09:00", { severity: "warning" })
    .does("09:05", "crisis", "acknowledge", "ann")
    .evidence("crisis", "10:00", { severity: "critical" });
  expect(story.until("12:00")).toEqual([
    "09:00 channel: fired crisis (FirstNotification)",
    "10:00 channel: escalated crisis (SeverityRose)",
    "10:15 second-channel: unanswered crisis (Escalated)",
  ]);
});

test("rounds repeat until their limit, and notify everybody again", () => {
  const escalations = [
    {
      name: "twice",
      rounds: 2,
      roundEvery: "1h",
      steps: [
        { after: "0s", receivers: ["channel"] },
        { after: "10m", receivers: ["on-call"] },
      ],
    },
  ];
  const story = startStory({ routes: ROUTES, escalations }).evidence("crisis", "09:00");
  expect(story.until("day 3 09:00")).toEqual([
    "09:00 channel: fired crisis (FirstNotification)",
    "09:10 on-call: unanswered crisis (Escalated)",
    "10:10 channel: unanswered crisis (Escalated)",
    "10:20 on-call: unanswered crisis (Escalated)",
  ]);
});

test("silenced time does not count: steps begin when the first message could be sent", () => {
  const story = startStory({ routes: ROUTES, escalations: [STEPS] })
    .silences("08:00", { match: {}, for: "2h" })
    .evidence("crisis", "09:00", { severity: "critical" });
  expect(story.until("10:20")).toEqual([
    "10:00 channel: fired crisis (FirstNotification)",
    "10:15 second-channel: unanswered crisis (Escalated)",
  ]);
});

test("silenced time does not count either where only the steps notify somebody", () => {
  const story = startStory({
    routes: [{ match: { rule: "crisis" }, receivers: [] }],
    escalations: [{ name: "e", steps: [{ after: "1h", receivers: ["phone"] }] }],
  })
    .silences("08:00", { match: {}, for: "70m" })
    .evidence("crisis", "09:00");
  expect(story.until("12:00")).toEqual(["10:10 phone: unanswered crisis (Escalated)"]);
  expect(story.history("crisis").filter((line) => line.includes("NoRoute"))).toHaveLength(1);
});

test("a step leads to the receiver on call at that moment, by the local time of the rotation", () => {
  const story = startStory({
    routes: ROUTES,
    // Monday 2 March: until 09:00 in Berlin (08:00 UTC) it is still the turn of the week before.
    rotations: [
      {
        name: "phone",
        timezone: "Europe/Berlin",
        on: "mon",
        at: "09:00",
        from: "2026-02-23",
        receivers: ["ann", "bo"],
      },
    ],
    escalations: [{ name: "phone", steps: [{ after: "15m", receivers: ["phone"] }] }],
  })
    .evidence("before", "07:30")
    .evidence("across", "07:50")
    .evidence("a week later", "day 8 07:50");
  expect(story.until("day 9 00:00").filter((line) => !line.includes("channel"))).toEqual([
    "07:45 ann: unanswered before (Escalated)",
    "08:05 bo: unanswered across (Escalated)",
    "day 8 08:05 ann: unanswered a week later (Escalated)",
  ]);
});

test("follow the sun: three offices share a day, each by its own clock, across a clock change of one", () => {
  // Clocks in New York change on 8 March, in London on the 29th: for three weeks they are an hour nearer.
  const offices = [
    { name: "berlin", timezone: "Europe/Berlin", at: "08:00" },
    { name: "york", timezone: "America/New_York", at: "08:00" },
    { name: "kolkata", timezone: "Asia/Kolkata", at: "07:30" },
  ].map((office) => ({
    ...office,
    every: "day",
    from: "2026-03-01",
    receivers: [`${office.name}-a`, `${office.name}-b`],
  }));
  const escalations = offices.map(({ name }) => ({
    name,
    match: { labels: { office: name } },
    steps: [{ after: "0s", receivers: [name] }],
  }));
  const called = (day: string, office: string, at: string) =>
    startStory({ day, routes: ROUTES, rotations: offices, escalations })
      .evidence("x", at, { labels: { office } })
      .until("day 2 00:00")
      .filter((line) => !line.includes("channel"))
      .map((line) => line.split(" ")[1]);
  // 08:00 in Berlin is 07:00 UTC on Saturday and 06:00 UTC on Sunday, 29 March.
  expect(called("2026-03-28", "berlin", "06:59")).toEqual(["berlin-a:"]);
  expect(called("2026-03-28", "berlin", "07:00")).toEqual(["berlin-b:"]);
  expect(called("2026-03-29", "berlin", "05:59")).toEqual(["berlin-b:"]);
  expect(called("2026-03-29", "berlin", "06:00")).toEqual(["berlin-a:"]);
  // 08:00 in New York is 13:00 UTC on 7 March and 12:00 UTC on the 8th.
  expect(called("2026-03-07", "york", "12:59")).toEqual(["york-b:"]);
  expect(called("2026-03-07", "york", "13:00")).toEqual(["york-a:"]);
  expect(called("2026-03-08", "york", "11:59")).toEqual(["york-a:"]);
  expect(called("2026-03-08", "york", "12:00")).toEqual(["york-b:"]);
  // 07:30 in Kolkata is 02:00 UTC, whatever others do to their clocks.
  expect(called("2026-03-08", "kolkata", "01:59")).toEqual(["kolkata-a:"]);
  expect(called("2026-03-08", "kolkata", "02:00")).toEqual(["kolkata-b:"]);
});

test("quiet hours hold a step until the morning; the steps after it do not wait", () => {
  const story = startStory({
    routes: ROUTES,
    escalations: [STEPS],
    receiverSettings: {
      "second-channel": {
        quietHours: [{ timezone: "UTC", from: "22:00", to: "07:00", breakThrough: "nothing" }],
      },
    },
  }).evidence("crisis", "23:00", { severity: "critical" });
  expect(story.until("day 2 08:00")).toEqual([
    "23:00 channel: fired crisis (FirstNotification)",
    "23:30 on-call: unanswered crisis (Escalated)",
    "day 2 00:00 webhook: unanswered crisis (Escalated)",
    "day 2 07:00 second-channel: unanswered crisis (Escalated)",
  ]);
});

test("more rounds than ten are refused: that would be a loop", () => {
  expect(() => startStory({ escalations: [{ ...STEPS, rounds: 11 }] })).toThrow();
});
