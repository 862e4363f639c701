import { HOUR, MINUTE } from "../lib/instant.ts";
import type { DigestView } from "./digest-view.ts";
import type { MentionView } from "./mention-view.ts";
import type { TemplateName } from "./template-names.ts";
import type { AlertView } from "./view.ts";

/**
 * Views that take every branch of a template: each kind of message, with everything there and with nothing there.
 * `check()` renders them, `preview` and `send-test` show the first.
 */
export function sampleViews(name: TemplateName): readonly object[] {
  const [, what = ""] = name.split("/");
  if (what.startsWith("alert-mention")) return sampleMentionViews;
  return what.startsWith("digest") ? sampleDigestViews : sampleAlertViews;
}

const openedAt = Date.UTC(2026, 1, 23, 16, 35);
const consoleUrl = "https://earshot.example/alerts/1";

const MENTION: MentionView = {
  author: "stranded_in_ord",
  authorName: "Ann Example",
  text: "Third cancelled flight today and nobody at the desk since noon. 300 people on the floor of gate B7 👩‍👩‍👧‍👦 & no water.",
  url: "https://social.example/stranded_in_ord/status/1",
  domain: "social.example",
  pageType: "twitter",
  sentiment: "negative",
  verified: true,
  followers: 120_400,
  reach: 88_000,
  publishedAt: openedAt - 12 * MINUTE,
  copies: 42,
};

const BARE_MENTION: MentionView = {
  author: null,
  authorName: "unknown author",
  text: "(no text)",
  url: null,
  domain: null,
  pageType: null,
  sentiment: null,
  verified: false,
  followers: null,
  reach: null,
  publishedAt: null,
  copies: 1,
};

const NEWS: MentionView = {
  ...MENTION,
  author: null,
  authorName: "The Daily Example",
  text: "Northwind grounds all flights out of O'Hare after a systems outage; thousands wait",
  url: "https://news.example/northwind-grounds-flights",
  domain: "news.example",
  pageType: "news",
  sentiment: "neutral",
  verified: false,
  followers: null,
  reach: 1_250_000,
  copies: 1,
};

export const sampleMentionViews: readonly MentionView[] = [MENTION, NEWS, BARE_MENTION];

const FIRED: AlertView = {
  kind: "fired",
  severity: "critical",
  state: "firing",
  ruleName: "crisis-spike",
  ruleDescription: "Far more negative mentions than this brand usually has at this hour of the week.",
  query: "Northwind",
  project: "Airlines",
  headline: "62 negative mentions in 30 min, 11 expected (5.6×)",
  because:
    "62 negative mentions in 30 min, 11 expected. At this hour chance alone brings that about once in 23 months. 6.3 times the usual swing.",
  openedAt,
  lastSeenAt: openedAt + 4 * MINUTE,
  resolvedAt: null,
  windowFrom: openedAt - 30 * MINUTE,
  windowTo: openedAt,
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
    { label: "How big", text: "rising since 08:05; the most in such a time since Sat 21 Feb, 09:20 PST" },
    { label: "About", text: "Cancelled Flight 58% (usually 14%)" },
    { label: "New words", text: "cancelled, rebook, #stranded" },
    { label: "Mood", text: "81% of all mentions negative, 42% at these hours on the days before" },
    { label: "Who", text: "58 authors; most by stranded_in_ord (7)" },
  ],
  hasChart: true,
  labels: [{ name: "category", value: "Cancelled Flight" }],
  more: { count: 0, alerts: [], unlisted: 0, others: [] },
  waited: null,
  care: { takenBy: null, givenTo: null, closedBy: null, isRelevant: true },
  actions: [],
  consoleUrl,
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
  { ...FIRED, kind: "unanswered", waited: { from: openedAt, to: openedAt + 10 * MINUTE } },
  {
    ...FIRED,
    kind: "reminder",
    state: "acknowledged",
    severity: "warning",
    lastSeenAt: openedAt + 3 * HOUR,
    care: { takenBy: "Ann Example", givenTo: "Bo", closedBy: null, isRelevant: true },
  },
  { ...FIRED, kind: "resolved", state: "resolved", resolvedAt: openedAt + 200 * MINUTE, mentionsCount: 690 },
  { ...FIRED, kind: "test", severity: "info" },
  {
    ...FIRED,
    kind: "ended",
    state: "resolved",
    resolvedAt: openedAt + 20 * MINUTE,
    care: { takenBy: "Ann Example", givenTo: null, closedBy: "Ann Example", isRelevant: false },
  },
  {
    ...FIRED,
    actions: [{ label: "I have it in hand", url: `${consoleUrl}/act` }],
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
  { ...BARE, kind: "resolved", state: "resolved", resolvedAt: openedAt + MINUTE, mentions: [] },
];

const DIGEST: DigestView = {
  name: "Morning read",
  project: "Airlines",
  periodFrom: openedAt - 32 * HOUR - 35 * MINUTE,
  periodTo: openedAt - 8 * HOUR - 35 * MINUTE,
  timezone: "America/Los_Angeles",
  language: "en",
  completeUntil: openedAt - 8 * HOUR - 40 * MINUTE,
  quiet: false,
  totals: {
    mentions: 1_204,
    negative: 830,
    neutral: 254,
    positive: 120,
    previousMentions: 610,
    previousNegative: 305,
    usualMentions: 580,
    usualNegative: 261,
  },
  perQuery: [
    {
      query: "Northwind",
      mentions: 904,
      negative: 713,
      neutral: 141,
      positive: 50,
      previousMentions: 310,
      previousNegative: 180,
      usualMentions: 290,
      usualNegative: 136,
    },
    {
      query: "Southbay Air",
      mentions: 300,
      negative: 117,
      neutral: 113,
      positive: 70,
      previousMentions: 300,
      previousNegative: 125,
      usualMentions: 288,
      usualNegative: 121,
    },
  ],
  topStories: [
    {
      query: "Northwind",
      text: "Northwind grounds all flights out of O'Hare after a systems outage",
      url: "https://news.example/northwind-grounds-flights",
      domain: "news.example",
      mentions: 142,
      negative: 120,
      firstAt: openedAt - 20 * HOUR,
    },
    {
      query: "Southbay Air",
      text: "New seats, same legroom",
      url: null,
      domain: null,
      mentions: 12,
      negative: 2,
      firstAt: openedAt - 22 * HOUR,
    },
  ],
  topMentions: [MENTION, NEWS],
  topAuthors: [
    { name: "Ann Example", mentions: 42, negative: 38 },
    { name: "The Daily Example", mentions: 17, negative: null },
    { name: "Bo", mentions: 9, negative: 2 },
  ],
  topHashtags: [
    { name: "stranded", mentions: 212 },
    { name: "northwind", mentions: 140 },
  ],
  alerts: [
    {
      rule: "crisis-spike",
      query: "Northwind",
      severity: "critical",
      state: "resolved",
      because: FIRED.because,
      openedAt: openedAt - 20 * HOUR,
      resolvedAt: openedAt - 16 * HOUR,
      mentions: 690,
      consoleUrl,
    },
    {
      rule: "negative-share",
      query: "Northwind",
      severity: "warning",
      state: "firing",
      because: "58% of 120 mentions in 2 h are negative, usually 20% (limit 40% of at least 30)",
      openedAt: openedAt - 19 * HOUR,
      resolvedAt: null,
      mentions: 311,
      consoleUrl: null,
    },
  ],
  consoleUrl: "https://earshot.example/",
  unsubscribeUrl: "https://earshot.example/unsubscribe/sample",
};

const NOTHING = {
  mentions: 0,
  negative: 0,
  neutral: 0,
  positive: 0,
  previousMentions: null,
  previousNegative: null,
  usualMentions: null,
  usualNegative: null,
};

/** A full day · a quiet day with some mentions · a day without any history or mention. */
export const sampleDigestViews: readonly [DigestView, ...DigestView[]] = [
  DIGEST,
  {
    ...DIGEST,
    quiet: true,
    totals: { ...DIGEST.totals, mentions: 594, negative: 271, neutral: 218, positive: 105 },
    alerts: [],
    topStories: [],
    completeUntil: DIGEST.periodTo,
  },
  {
    ...DIGEST,
    quiet: true,
    totals: NOTHING,
    perQuery: [{ ...NOTHING, query: "Northwind" }],
    topStories: [],
    topMentions: [],
    topAuthors: [],
    topHashtags: [],
    alerts: [],
    completeUntil: DIGEST.periodTo,
    consoleUrl: null,
    unsubscribeUrl: null,
  },
];
