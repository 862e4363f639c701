import { MINUTE, SECOND } from "../../src/lib/instant.ts";
import type { Outgoing } from "./stream.ts";

/**
 * Events besides the stream, so that strikes hit every kind of message: windows, growth and edits, ends, reminders,
 * escalations, a silence that ends, a digest. They are for a day that begins `HOUR_AT` before eight o'clock, when a
 * bucket closes and the digest is due.
 */
const HOUR_AT = 24 * SECOND;

/** How long it takes, with time for what comes late. */
export const TALE_MS = HOUR_AT + 20 * SECOND;

/** When the silence ends. */
export const SILENCE_MS = 22 * SECOND;

export const TALE_QUERIES = ["Crowd", "Grumble", "Hushed"];

const GRUMBLERS = 4;
const CROWD = 12;

export function createTale(): Outgoing[] {
  const say = (query: string, at: number, author: string, index: number): Outgoing => ({
    ...{ query, at, author, text: `About ${query} again`, indexedAfter: 0, turnsAt: null },
    resourceId: `tale-${query.toLowerCase()}-${author}-${index}`,
    sentiment: query === "Crowd" ? "neutral" : "negative",
  });
  return [
    ...Array.from({ length: CROWD }, (_, i) => say("Crowd", 2_000 + i * 500, "voice-800000", i)),
    ...Array.from({ length: GRUMBLERS }, (_, i) =>
      [1_000, 5_000, 9_000].map((at, nth) => say("Grumble", at + i * 300, `voice-90000${i}`, nth)),
    ).flat(),
    say("Hushed", 3_000, "voice-700000", 0),
  ].sort((a, b) => a.at - b.at);
}

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
over: { after: 8s }
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
  { match: { rule: "hushed" }, receivers: ["hushed"], repeatEvery: "never", sendResolved: false },
];

export const TALE_ESCALATIONS = [
  { name: "nobody", match: { rule: "grumble" }, steps: [{ after: "3s", receivers: ["on-call"] }] },
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
  ...WHO.map((who) => `grumble Grumble ${who}`),
];
export const TALE_TOLD = [
  ...["#crowd fired", "#hushed fired", "digest-desk digest", "#digest-slack digest"],
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
