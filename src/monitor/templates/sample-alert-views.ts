import { HOUR, MINUTE } from "../../lib/instant.ts";
import { BARE_MENTION, MENTION, NEWS, SAMPLE_AT, SAMPLE_URL } from "./sample-mention-views.ts";
import type { AlertView } from "./view.ts";

const FIRED: AlertView = {
  kind: "fired",
  severity: "critical",
  state: "firing",
  ruleName: "crisis-spike",
  title: "Wave of negative mentions",
  ruleDescription: "Far more negative mentions than this brand usually has at this hour of the week.",
  query: "Northwind",
  project: "Airlines",
  headline: "62 negative mentions in 30 min, 11 expected at this hour (5.6×)",
  announcement: {
    query: "Northwind",
    text: "“Northwind cancelled my flight and nobody answers the phone”, 62 negative mentions in 30 min",
    quote: "“Northwind cancelled my flight and nobody answers the phone”",
  },
  lead: "Negative mentions are 6 times what is normal on a Monday morning.",
  growth: null,
  reason: {
    label: "How sure",
    text: "Chance alone seldom brings so many.",
  },
  severityReason: null,
  peak: { count: "62 in 30 min", at: SAMPLE_AT },
  incident: null,
  about: "31 of 62 mentions say the same.",
  measured: "62 negative mentions in 30 min, 11 expected at this hour (5.6×)",
  isSingle: false,
  handledBy: null,
  because: "62 negative mentions in 30 min, 11 expected at this hour. Chance alone seldom brings so many.",
  openedAt: SAMPLE_AT,
  lastSeenAt: SAMPLE_AT + 4 * MINUTE,
  resolvedAt: null,
  windowFrom: SAMPLE_AT - 30 * MINUTE,
  windowTo: SAMPLE_AT,
  timezone: "America/Los_Angeles",
  mentionsCount: 62,
  notifyCount: 1,
  values: { count: 62, expected: 11, score: 6.3 },
  mentions: [
    MENTION,
    NEWS,
    { ...MENTION, authorName: "Bo", text: "so… any news?", copies: 1, followers: 12, verified: false },
  ],
  findings: [
    { part: "who", label: "Who", text: "58 authors; most by stranded_in_ord (7)" },
    {
      part: "size",
      label: "How big",
      text: "rising since 08:05; the most in 30 min since Sat 21 Feb, 09:20 PST",
    },
    { part: "size", label: "Mood", text: "81% of all mentions negative (usually 42%)" },
    { part: "measured", label: "Topics", text: "Cancelled Flight 58% (usually 14%)" },
    { part: "measured", label: "New words", text: "cancelled, rebook, #stranded" },
  ],
  hasChart: true,
  labels: [{ name: "category", value: "Cancelled Flight" }],
  more: { count: 0, alerts: [], unlisted: 0, others: [] },
  waited: null,
  handling: {
    acknowledgedBy: null,
    assignee: null,
    closedBy: null,
    endedBecause: null,
    isRelevant: true,
    corrected: null,
  },
  correctable: null,
  actions: ["Acknowledge", "Assign", "Resolve", "Not relevant", "Snooze for 4 hours"].map((label, index) => ({
    label,
    url: `${SAMPLE_URL}/act/${index + 1}`,
    isPrimary: index === 0,
  })),
  primaryActions: 1,
  consoleUrl: SAMPLE_URL,
};

/** An alert that has grown, with its earlier numbers. */
const GROWN: Partial<AlertView> = {
  headline: "214 negative mentions in 30 min, 11 expected at this hour (19×)",
  announcement: {
    query: "Northwind",
    text: "“Northwind cancelled my flight and nobody answers the phone”, 214 negative mentions in 30 min",
    quote: "“Northwind cancelled my flight and nobody answers the phone”",
  },
  measured: "214 negative mentions in 30 min, 11 expected at this hour (19×)",
  lead: "Negative mentions are 19 times what is normal on a Monday morning.",
  because:
    "214 negative mentions in 30 min, 11 expected at this hour. Chance alone hardly ever brings so many.",
  reason: { label: "How sure", text: "Chance alone hardly ever brings so many." },
  values: { count: 214, expected: 11, score: 21 },
  mentionsCount: 276,
  notifyCount: 2,
  lastSeenAt: SAMPLE_AT + 29 * MINUTE,
  windowFrom: SAMPLE_AT,
  windowTo: SAMPLE_AT + 30 * MINUTE,
  peak: { count: "214 in 30 min", at: SAMPLE_AT + 30 * MINUTE },
};

const OVER: Partial<AlertView> = {
  announcement: {
    query: "Northwind",
    text: "“Northwind cancelled my flight and nobody answers the phone”",
    quote: "“Northwind cancelled my flight and nobody answers the phone”",
  },
  actions: [],
  primaryActions: 0,
  findings: [
    {
      part: "who",
      label: "Story",
      text: "shared 142 times; first by stranded_in_ord, 08:23, 120.4k followers",
    },
  ],
};

const BARE: AlertView = {
  ...FIRED,
  ruleDescription: null,
  mentionsCount: 1,
  values: {},
  mentions: [BARE_MENTION],
  findings: [],
  hasChart: false,
  labels: [],
  headline: "1 mention",
  announcement: { query: null, text: "unknown author mentions Northwind", quote: null },
  title: "Crisis spike",
  lead: null,
  reason: { label: "Why", text: "Negative." },
  because: "Negative",
  about: null,
  measured: null,
  isSingle: true,
  peak: null,
  actions: [],
  primaryActions: 0,
  windowFrom: SAMPLE_AT,
  consoleUrl: null,
};

/** One item of a news feed. */
const SINGLE: AlertView = {
  ...FIRED,
  severity: "info",
  ruleName: "in-the-news",
  title: "In the news",
  ruleDescription: "A news site writes about the brand.",
  headline: "neutral mention by The Daily Example",
  announcement: { query: null, text: `The Daily Example mentions Northwind: “${NEWS.title}”`, quote: null },
  lead: null,
  reason: { label: "Why", text: "On news." },
  because: "On news",
  about: null,
  measured: null,
  isSingle: true,
  peak: null,
  windowFrom: SAMPLE_AT,
  lastSeenAt: SAMPLE_AT,
  values: {},
  mentionsCount: 1,
  mentions: [NEWS],
  findings: [],
  hasChart: false,
  labels: [],
};

/** What messages about an incident have besides. */
const INCIDENT = {
  about: "About “Northwind cancelled my flight and nobody answers the phone”, 31 of 62 mentions.",
  mentionsCount: 0,
  peak: null,
  incident: {
    id: "00000000-0000-7000-8000-000000000000",
    status: "open",
    summary:
      "757 negative mentions of 1,141 in all from Mon 23 Feb, 08:35 PST to 14:15; the most in one hour: 93, until 09:50",
    counts: {
      negative: 757,
      total: 1_141,
      from: SAMPLE_AT,
      to: SAMPLE_AT + 340 * MINUTE,
      most: { count: 93, until: SAMPLE_AT + 75 * MINUTE },
      lastHour: { negative: 36, total: 61 },
    },
    calmSince: null,
    day: 2,
    count: 3,
    alerts: [
      {
        severity: "warning",
        title: "An influential account is unhappy",
        text: "Helena Brandt: “Northwind cancelled my flight and nobody answers the phone”",
        at: SAMPLE_AT + 20 * MINUTE,
        isOver: true,
      },
    ],
  },
} as const;

/**
 * fired · escalated · doubled · another wave · a new day · a new fact · reopened · unanswered · reminder · resolved · test · ended before it was
 * sent · with others · of one mention · without any optional value.
 */
export const sampleAlertViews: readonly [AlertView, ...AlertView[]] = [
  FIRED,
  {
    ...FIRED,
    ...GROWN,
    kind: "escalated",
    growth: { label: "Now CRITICAL", text: "214 negative in 30 min now, 62 when the alert fired" },
    severityReason: "critical because of at least 200 in 30 min",
  },
  {
    ...FIRED,
    ...GROWN,
    kind: "doubled",
    growth: { label: "Tripled", text: "214 negative in 30 min now, 62 when the alert fired" },
  },
  {
    ...FIRED,
    ...GROWN,
    kind: "wave",
    growth: { label: "Another wave", text: "214 negative in 30 min now, 62 when the alert fired" },
  },
  {
    ...FIRED,
    ...INCIDENT,
    kind: "day",
    growth: {
      label: "Day 2 begins",
      text: "36 negative mentions in the last hour, 41 in the same hour of the day before",
    },
  },
  {
    ...FIRED,
    ...INCIDENT,
    kind: "fact",
    growth: {
      label: "New: An influential account is unhappy",
      text: "Helena Brandt: “Northwind cancelled my flight and nobody answers the phone”",
    },
  },
  { ...FIRED, kind: "reopened" },
  { ...FIRED, kind: "unanswered", waited: { from: SAMPLE_AT, to: SAMPLE_AT + 10 * MINUTE } },
  {
    ...FIRED,
    kind: "reminder",
    lead: null,
    growth: { label: "Still going on", text: "22 negative in 30 min now, 62 when the alert fired" },
    state: "acknowledged",
    severity: "warning",
    lastSeenAt: SAMPLE_AT + 3 * HOUR,
    handling: {
      acknowledgedBy: "Ann Example",
      assignee: "Bo",
      closedBy: null,
      endedBecause: null,
      isRelevant: true,
      corrected: null,
    },
    handledBy: "Bo",
    actions: FIRED.actions.slice(1).map((action) => ({ ...action, isPrimary: false })),
    primaryActions: 0,
  },
  {
    ...FIRED,
    ...GROWN,
    ...OVER,
    kind: "resolved",
    state: "resolved",
    resolvedAt: SAMPLE_AT + 200 * MINUTE,
    mentionsCount: 690,
    handledBy: "Ann Example",
    handling: {
      acknowledgedBy: "Ann Example",
      assignee: null,
      closedBy: null,
      endedBecause: null,
      isRelevant: true,
      corrected: null,
    },
  },
  { ...FIRED, kind: "test", severity: "info" },
  {
    ...FIRED,
    kind: "ended",
    state: "resolved",
    resolvedAt: SAMPLE_AT + 20 * MINUTE,
    ...OVER,
    handledBy: "Ann Example",
    handling: {
      acknowledgedBy: "Ann Example",
      assignee: null,
      closedBy: "Ann Example",
      endedBecause: null,
      isRelevant: false,
      corrected: null,
    },
  },
  {
    ...FIRED,
    more: {
      count: 14,
      unlisted: 12,
      others: [
        { count: 9, query: "Northwind", ruleName: "influential-negative" },
        { count: 3, query: "Southwind", ruleName: "crowd" },
      ],
      alerts: [
        {
          severity: "warning",
          query: "Northwind",
          ruleName: "influential-negative",
          because: "Negative, 120,400 followers",
          isOver: false,
        },
        { severity: "info", query: "Northwind", ruleName: "crowd", because: "40 mentions", isOver: true },
      ],
    },
  },
  SINGLE,
  {
    ...SINGLE,
    actions: [],
    primaryActions: 0,
    findings: [],
    kind: "resolved",
    state: "resolved",
    resolvedAt: SAMPLE_AT + 12 * HOUR,
  },
  BARE,
  { ...BARE, kind: "resolved", state: "resolved", resolvedAt: SAMPLE_AT + MINUTE, mentions: [] },
];
