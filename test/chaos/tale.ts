import { MINUTE, SECOND } from "../../src/lib/instant.ts";
import type { Outgoing } from "./stream.ts";

/**
 * Events besides the stream, so that strikes hit every kind of message: windows, growth and edits, ends, reminders,
 * escalations, a silence that ends, a digest. They are for a day that begins `HOUR_AT` before eight o'clock, when a
 * bucket closes and the digest is due.
 */
const HOUR_AT = 30 * SECOND;

/** How long it takes, with time for what comes late. */
export const TALE_MS = HOUR_AT + 20 * SECOND;

/** When the silence ends. */
export const SILENCE_MS = 26 * SECOND;

export const TALE_QUERIES = ["Crowd", "Grumble", "Hushed", "Nagging"];

const GRUMBLERS = 4;
const CROWD = 12;

function say(query: string, at: number, author: string, index: number): Outgoing {
  return {
    ...{ query, at, author, text: `About ${query} again`, indexedAfter: 0, turnsAt: null },
    resourceId: `tale-${query.toLowerCase()}-${author}-${index}`,
    sentiment: query === "Crowd" ? "neutral" : "negative",
  };
}

export function createTale(): Outgoing[] {
  return [
    ...Array.from({ length: CROWD }, (_, i) => say("Crowd", 2_000 + i * 500, "voice-800000", i)),
    ...Array.from({ length: GRUMBLERS }, (_, i) =>
      // Further apart than `repeatEvery`, and than a killed poll takes to run again: else all three are read at once.
      [1_000, 8_000, 15_000].map((at, nth) => say("Grumble", at + i * 300, `voice-90000${i}`, nth)),
    ).flat(),
    say("Hushed", 3_000, "voice-700000", 0),
  ].sort((a, b) => a.at - b.at);
}

/**
 * Somebody who goes on as long as there are strikes, and a little longer: whatever a strike delays, a reminder and an
 * escalation are due at last.
 */
export function createNagging(lastsMs: number): Outgoing[] {
  const times = Math.floor((lastsMs + NAGS_ON_MS) / NAGS_EVERY_MS);
  return Array.from({ length: times }, (_, i) => say("Nagging", (i + 1) * NAGS_EVERY_MS, NAGGER, i));
}

const NAGGER = "voice-600000";
const NAGS_EVERY_MS = 6 * SECOND;
const NAGS_ON_MS = 20 * SECOND;

export const TALE_RULES: Readonly<Record<string, string>> = {
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
over: { after: 10s }
`,
  nagging: `
description: Somebody nags all the time.
severity: warning
queries: Nagging
when: { sentiment: negative }
over: { after: 30d }
`,
  hushed: `
description: Somebody is unhappy, and nobody wants to hear of it yet.
severity: warning
queries: Hushed
when: { sentiment: negative }
over: { after: 30d }
`,
};

export const TALE_ROUTES = [
  { match: { rule: "crowd" }, receivers: ["crowd"], repeatEvery: "never" },
  { match: { rule: "grumble" }, receivers: ["grumble"], repeatEvery: "4s", sendResolved: true },
  { match: { rule: "nagging" }, receivers: ["nagging"], repeatEvery: "4s", sendResolved: false },
  { match: { rule: "hushed" }, receivers: ["hushed"], repeatEvery: "never", sendResolved: false },
];

export const TALE_ESCALATIONS = [
  {
    name: "nobody",
    match: { rule: ["grumble", "nagging"] },
    steps: [{ after: "3s", receivers: ["on-call"] }],
  },
];

/** At eight, of the day before, which is empty: that it comes once is the question. */
export const TALE_DIGESTS = [
  { name: "morning", at: "08:00", timezone: "UTC", receivers: ["digest-desk", "digest-slack"] },
];

const WHO = Array.from({ length: GRUMBLERS }, (_, i) => `voice-90000${i}`);

/** Alerts of the tale's rules, and the messages that readers must have once. */
export const TALE_ALERTS = [
  "crowd Crowd null",
  "hushed Hushed null",
  "nagging Nagging null",
  ...WHO.map((who) => `grumble Grumble ${who}`),
];
export const TALE_TOLD = [
  ...[
    "#crowd fired",
    "#hushed fired",
    "#nagging fired",
    `on-call unanswered ${NAGGER}`,
    "digest-desk digest",
    "#digest-slack digest",
  ],
  ...WHO.flatMap((who) => [`#grumble fired ${who}`, `#grumble end ${who}`, `#grumble shows all ${who}`]),
];

/** Those that depend on when it was read: an alert that was resolved by then notified nobody. Never twice. */
export const TALE_MAY = [
  "#crowd end",
  ...WHO.flatMap((who) => [`on-call unanswered ${who}`, `on-call end ${who}`]),
];

/** From the beginning of a run on, the hour that its clocks show: `HOUR_AT` before eight, on the same day. */
export function shiftOf(wallMs: number): number {
  const day = 24 * 60 * MINUTE;
  return 8 * 60 * MINUTE - HOUR_AT - (wallMs % day);
}
