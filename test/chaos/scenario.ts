import { MINUTE, SECOND } from "../../src/lib/instant.ts";
import type { Press } from "./press-buttons.ts";
import type { PlannedMention } from "./stream.ts";

/**
 * Events besides the stream, so that kills hit every kind of message: windows, growth and edits, ends, reminders,
 * escalations, a silence that ends, presses of buttons, charts, alerts that are one message, a throttle, a digest. They
 * are for a day that begins `HOUR_AT` before eight o'clock, when a bucket closes and the digest is due.
 */
const HOUR_AT = 30 * SECOND;

/** How long it takes, with time for what comes late. */
export const SCENARIO_MS = HOUR_AT + 20 * SECOND;

/** When the silence ends. */
export const SILENCE_MS = 26 * SECOND;

export const SCENARIO_QUERIES = [
  ...["Crowd", "Grumble", "Silenced", "Nagging", "Pressed"],
  ...["Grouped", "Throttled", "Charted"],
];

const GRUMBLERS = 4;
const CROWD = 12;
/** Each is a rule about the same query, and a channel of its own: a thread is about one alert. */
export const CHARTED = Array.from({ length: 10 }, (_, i) => `charted-${i}`);
const GROUPED = Array.from({ length: 5 }, (_, i) => `author-40000${i}`);
const THROTTLED = Array.from({ length: 7 }, (_, i) => `author-30000${i}`);

/** Messages of this receiver are limited: the first two alerts are sent, and the others wait and are one message. */
export const THROTTLE = { atMost: 2, per: "12s" };

function planMention(query: string, at: number, author: string, index: number): PlannedMention {
  return {
    ...{ query, at, author, text: `About ${query} again`, indexedAfter: 0, turnsAt: null },
    resourceId: `scenario-${query.toLowerCase()}-${author}-${index}`,
    sentiment: NEUTRAL.has(query) ? "neutral" : "negative",
  };
}

const NEUTRAL = new Set(["Crowd", "Charted"]);

/** Before anybody watches: a chart shows what was usual. */
export function createPast(): PlannedMention[] {
  return Array.from({ length: 6 }, (_, i) =>
    planMention("Charted", (i - 9) * 5 * MINUTE, "author-200000", i),
  );
}

export function createScenario(): PlannedMention[] {
  return [
    ...Array.from({ length: CROWD }, (_, i) => planMention("Crowd", 2_000 + i * 500, "author-800000", i)),
    ...Array.from({ length: GRUMBLERS }, (_, i) =>
      // Further apart than `repeatEvery`, and than a killed poll takes to run again: else all three are read at once.
      [1_000, 7_000, 13_000].map((at, nth) => planMention("Grumble", at + i * 300, `author-90000${i}`, nth)),
    ).flat(),
    ...Array.from({ length: CROWD }, (_, i) => planMention("Charted", 2_000 + i * 500, "author-200001", i)),
    planMention("Silenced", 3_000, "author-700000", 0),
    planMention("Pressed", 2_000, "author-500000", 0),
    ...GROUPED.map((author, i) => planMention("Grouped", 2_000 + i * 400, author, 0)),
    ...THROTTLED.map((author, i) => planMention("Throttled", 2_000 + i * 1_300, author, 0)),
  ].sort((a, b) => a.at - b.at);
}

/**
 * An author who goes on as long as there are kills, and a little longer: whatever a kill delays, a reminder and an
 * escalation are due in the end.
 */
export function createNagging(lastsMs: number): PlannedMention[] {
  const times = Math.floor((lastsMs + NAGS_ON_MS) / NAGS_EVERY_MS);
  return Array.from({ length: times }, (_, i) => planMention("Nagging", (i + 1) * NAGS_EVERY_MS, NAGGER, i));
}

const NAGGER = "author-600000";
const NAGS_EVERY_MS = 6 * SECOND;
const NAGS_ON_MS = 20 * SECOND;

/** What is still to come of it when the kills end at this moment. */
export function naggingAfter(endsAt: number, mentions: readonly PlannedMention[]): readonly PlannedMention[] {
  return mentions.filter(({ query, at }) => query === "Nagging" && at >= endsAt && at < endsAt + NAGS_ON_MS);
}

export const SCENARIO_RULES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    CHARTED.map((name) => [
      name,
      `
description: Many people speak at once, and a chart shows it.
severity: warning
queries: Charted
incident: never
volume: { atLeast: ${CROWD - 2}, within: 5m }
over: { after: 30d }
`,
    ]),
  ),
  crowd: `
description: Many people speak at once.
severity: critical
queries: Crowd
volume: { atLeast: ${CROWD - 2}, within: 15m }
`,
  grumble: `
description: Somebody grumbles again and again.
severity: warning
queries: Grumble
when: { sentiment: negative }
groupBy: author
# Longer than from the first to the last: a fault that holds back the second mention makes no second alert.
over: { after: 12500ms }
`,
  nagging: `
description: Somebody nags all the time.
severity: warning
queries: Nagging
when: { sentiment: negative }
over: { after: 30d }
`,
  grouped: `
description: Several people are unhappy, each in an alert of their own.
severity: warning
queries: Grouped
# Named, so that a message about several alerts says whom each is about.
when: { sentiment: negative, author: [${GROUPED.join(", ")}] }
groupBy: author
over: { after: 30d }
`,
  throttled: `
description: More people are unhappy than anybody wants to read of.
severity: warning
queries: Throttled
when: { sentiment: negative, author: [${THROTTLED.join(", ")}] }
groupBy: author
over: { after: 30d }
`,
  pressed: `
description: Somebody is unhappy, and somebody else takes care of it.
severity: warning
queries: Pressed
when: { sentiment: negative }
over: { after: 30d }
`,
  silenced: `
description: Somebody is unhappy, and a silence holds the alert.
severity: warning
queries: Silenced
when: { sentiment: negative }
over: { after: 30d }
`,
};

export const SCENARIO_ROUTES = [
  { match: { rule: "crowd" }, receivers: ["crowd"], repeatEvery: "never" },
  { match: { rule: "grumble" }, receivers: ["grumble"], repeatEvery: "4s", sendResolved: true },
  {
    ...{ match: { rule: "grouped" }, receivers: ["grouped"], repeatEvery: "never", sendResolved: false },
    // Longer than a killed poll takes to run again.
    ...{ groupBy: ["rule"], groupWait: "8s", groupInterval: "4s" },
  },
  { match: { rule: "throttled" }, receivers: ["throttled"], repeatEvery: "never", sendResolved: false },
  { match: { rule: "nagging" }, receivers: ["nagging"], repeatEvery: "4s", sendResolved: false },
  { match: { rule: "pressed" }, receivers: ["pressed", "program"], repeatEvery: "never", sendResolved: true },
  { match: { rule: "silenced" }, receivers: ["silenced"], repeatEvery: "never", sendResolved: false },
  ...CHARTED.map((name) => ({
    ...{ match: { rule: name }, receivers: [name], repeatEvery: "never", sendResolved: true },
  })),
];

export const SCENARIO_ESCALATIONS = [
  {
    name: "nobody",
    match: { rule: ["grumble", "nagging"] },
    steps: [{ after: "3s", receivers: ["on-call"] }],
  },
];

/** At eight, of the day before, which is empty: it must be sent once. */
export const SCENARIO_DIGESTS = [
  { name: "morning", at: "08:00", timezone: "UTC", receivers: ["digest-team", "digest-slack"] },
];

/** What somebody presses, each when the one before is done. */
export const PRESSES: readonly (readonly Press[])[] = [
  [
    { rule: "pressed", button: "acknowledge", event: "AcknowledgedBy", after: "Message" },
    { rule: "pressed", button: "resolve", event: "ResolvedBy", after: "Message" },
  ],
  // Every other one when the kills are over: there are charts as long as there are faults.
  ...CHARTED.map((rule, i) => [
    { rule, button: "resolve", event: "ResolvedBy", after: i % 2 === 0 ? "Chart" : "ChartAndKills" } as const,
  ]),
];

const AUTHORS = Array.from({ length: GRUMBLERS }, (_, i) => `author-90000${i}`);

/** Alerts of the scenario's rules, and the messages that readers must have once. */
export const SCENARIO_ALERTS = [
  "crowd Crowd null",
  "silenced Silenced null",
  "pressed Pressed null",
  "nagging Nagging null",
  ...AUTHORS.map((who) => `grumble Grumble ${who}`),
  ...GROUPED.map((who) => `grouped Grouped ${who}`),
  ...THROTTLED.map((who) => `throttled Throttled ${who}`),
  ...CHARTED.map((rule) => `${rule} Charted null`),
];
export const SCENARIO_MESSAGES = [
  ...[
    "#crowd fired",
    "#silenced fired",
    "#nagging fired",
    "#pressed fired",
    "#pressed end",
    "program fired",
    "program resolved",
    ...PRESSES.flat().map(({ rule, event }) => `press ${event} ${rule}`),
    `on-call unanswered ${NAGGER}`,
    "digest-team digest",
    "#digest-slack digest",
  ],
  ...GROUPED.map((who) => `#grouped about ${who}`),
  ...THROTTLED.map((who) => `#throttled about ${who}`),
  // A chart of each alert when it fires, and one when it has ended.
  ...CHARTED.flatMap((name) =>
    ["fired", "chart", "end", "chart of the end"].map((what) => `#${name} ${what}`),
  ),
  ...AUTHORS.flatMap((who) => [`#grumble fired ${who}`, `#grumble end ${who}`, `#grumble shows all ${who}`]),
];

/** Messages that depend on timing: an alert that was already resolved when it was read notifies nobody. Never twice. */
export const SCENARIO_OPTIONAL = [
  "#crowd end",
  ...AUTHORS.flatMap((who) => [`on-call unanswered ${who}`, `on-call end ${who}`]),
];

/** From the beginning of a run on, the hour that its clocks show: `HOUR_AT` before eight, on the same day. */
export function shiftOf(wallMs: number): number {
  const day = 24 * 60 * MINUTE;
  return 8 * 60 * MINUTE - HOUR_AT - (wallMs % day);
}
