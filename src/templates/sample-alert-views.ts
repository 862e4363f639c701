import { HOUR, MINUTE } from "../lib/instant.ts";
import { BARE_MENTION, MENTION, NEWS, SAMPLE_AT, SAMPLE_URL } from "./sample-mention-views.ts";
import type { AlertView } from "./view.ts";

const FIRED: AlertView = {
  kind: "fired",
  severity: "critical",
  state: "firing",
  ruleName: "crisis-spike",
  ruleDescription: "Far more negative mentions than this brand usually has at this hour of the week.",
  query: "Northwind",
  project: "Airlines",
  headline: "62 negative mentions in 30 min, 11 expected at this hour (5.6×)",
  because:
    "62 negative mentions in 30 min, 11 expected at this hour; by chance about once in 23 months; 6.3× its usual variation; 3rd such burst this week.",
  openedAt: SAMPLE_AT,
  lastSeenAt: SAMPLE_AT + 4 * MINUTE,
  resolvedAt: null,
  windowFrom: SAMPLE_AT - 30 * MINUTE,
  windowTo: SAMPLE_AT,
  timezone: "America/Los_Angeles",
  mentionsCount: 62,
  tellings: 1,
  values: { count: 62, expected: 11, score: 6.3 },
  mentions: [
    MENTION,
    NEWS,
    { ...MENTION, authorName: "Bo", text: "so… any news?", copies: 1, followers: 12 },
  ],
  findings: [
    { label: "How big", text: "rising since 08:05; the most in 30 min since Sat 21 Feb, 09:20 PST" },
    { label: "About", text: "Cancelled Flight 58% (usually 14%)" },
    { label: "New words", text: "cancelled, rebook, #stranded" },
    { label: "Mood", text: "81% of all mentions negative, 42% at these hours on the days before" },
    { label: "Who", text: "58 authors; most by stranded_in_ord (7)" },
  ],
  hasChart: true,
  labels: [{ name: "category", value: "Cancelled Flight" }],
  more: { count: 0, alerts: [], unlisted: 0, others: [] },
  waited: null,
  care: { takenBy: null, givenTo: null, closedBy: null, endedBecause: null, isRelevant: true },
  actions: [],
  consoleUrl: SAMPLE_URL,
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
  consoleUrl: null,
};

/** fired · escalated · doubled · another wave · reopened · unanswered · reminder · resolved · test · ended before it was told · with nothing that may be missing. */
export const sampleAlertViews: readonly [AlertView, ...AlertView[]] = [
  FIRED,
  {
    ...FIRED,
    kind: "escalated",
    headline: "214 negative mentions in 30 min, 11 expected (19×)",
    mentionsCount: 214,
  },
  { ...FIRED, kind: "doubled", mentionsCount: 214 },
  { ...FIRED, kind: "wave", mentionsCount: 214 },
  { ...FIRED, kind: "reopened" },
  { ...FIRED, kind: "unanswered", waited: { from: SAMPLE_AT, to: SAMPLE_AT + 10 * MINUTE } },
  {
    ...FIRED,
    kind: "reminder",
    state: "acknowledged",
    severity: "warning",
    lastSeenAt: SAMPLE_AT + 3 * HOUR,
    care: { takenBy: "Ann Example", givenTo: "Bo", closedBy: null, endedBecause: null, isRelevant: true },
  },
  { ...FIRED, kind: "resolved", state: "resolved", resolvedAt: SAMPLE_AT + 200 * MINUTE, mentionsCount: 690 },
  { ...FIRED, kind: "test", severity: "info" },
  {
    ...FIRED,
    kind: "ended",
    state: "resolved",
    resolvedAt: SAMPLE_AT + 20 * MINUTE,
    care: {
      takenBy: "Ann Example",
      givenTo: null,
      closedBy: "Ann Example",
      endedBecause: null,
      isRelevant: false,
    },
  },
  {
    ...FIRED,
    actions: [{ label: "I have it in hand", url: `${SAMPLE_URL}/act` }],
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
  BARE,
  { ...BARE, kind: "resolved", state: "resolved", resolvedAt: SAMPLE_AT + MINUTE, mentions: [] },
];
