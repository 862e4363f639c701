import { HOUR, MINUTE } from "../../lib/instant.ts";
import type { DigestView } from "./digest-view.ts";
import { sampleAlertViews } from "./sample-alert-views.ts";
import { MENTION, NEWS, SAMPLE_AT, SAMPLE_URL } from "./sample-mention-views.ts";

const DIGEST: DigestView = {
  name: "Morning read",
  project: "Airlines",
  periodFrom: SAMPLE_AT - 32 * HOUR - 35 * MINUTE,
  periodTo: SAMPLE_AT - 8 * HOUR - 35 * MINUTE,
  timezone: "America/Los_Angeles",
  language: "en",
  completeUntil: SAMPLE_AT - 8 * HOUR - 40 * MINUTE,
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
  volume: {
    step: "hour",
    most: 168,
    peakAt: SAMPLE_AT - 20 * HOUR - 35 * MINUTE,
    line: "▁▁▁▁▁▂▂▂▃▃▃▅█▇▅▄▄▃▃▂▂▂▁▁",
    bars: [9, 7, 6, 5, 8, 14, 22, 31, 44, 52, 58, 96, 168, 142, 104, 88, 76, 66, 58, 47, 39, 31, 20, 13].map(
      (mentions, hour) => {
        const negative = Math.round(mentions * (hour >= 11 ? 0.75 : 0.45));
        const negativeHeight = Math.round((60 * negative) / 168);
        return {
          at: SAMPLE_AT - 32 * HOUR - 35 * MINUTE + hour * HOUR,
          mentions,
          negative,
          negativeHeight,
          otherHeight: Math.round((60 * mentions) / 168) - negativeHeight,
        };
      },
    ),
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
      firstAt: SAMPLE_AT - 20 * HOUR,
    },
    {
      query: "Southbay Air",
      text: "New seats, same legroom",
      url: null,
      domain: null,
      mentions: 12,
      negative: 2,
      firstAt: SAMPLE_AT - 22 * HOUR,
    },
  ],
  topMentions: [MENTION, NEWS].map((mention) => ({ ...mention, publishedAt: SAMPLE_AT - 20 * HOUR })),
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
      title: "Wave of negative mentions",
      query: "Northwind",
      severity: "critical",
      state: "resolved",
      because: sampleAlertViews[0].because,
      openedAt: SAMPLE_AT - 20 * HOUR,
      resolvedAt: SAMPLE_AT - 16 * HOUR,
      mentions: 690,
      consoleUrl: SAMPLE_URL,
    },
    {
      rule: "negative-share",
      title: "The mood has turned",
      query: "Northwind",
      severity: "warning",
      state: "firing",
      because: "58% of 120 mentions in 2 h are negative, usually 20% (limit 40% of at least 30)",
      openedAt: SAMPLE_AT - 19 * HOUR,
      resolvedAt: null,
      mentions: 311,
      consoleUrl: null,
    },
  ],
  alertCount: 4,
  incidents: [
    {
      query: "Southwind",
      title: "Wave of negative mentions",
      severity: "critical",
      status: "over",
      openedAt: SAMPLE_AT - 22 * HOUR,
      endedAt: SAMPLE_AT - 17 * HOUR,
      alerts: 4,
      summary:
        "757 negative mentions of 1,141 in all from Sun 22 Feb, 10:35 PST to 15:35; the most in one hour: 93, until 11:50",
      consoleUrl: SAMPLE_URL,
    },
  ],
  unneeded: {
    receivers: [{ receiver: "comms", messages: 59, unneeded: 29 }],
    rules: [
      {
        rule: "influential-negative",
        title: "An influential account is unhappy",
        messages: 29,
        unneeded: 26,
        remedy:
          "in rules/influential-negative.yaml, followers: { atLeast: 42001 } would have spared 24 of them, and none on which somebody acted",
      },
      { rule: "crowd", title: "Everybody talks about it", messages: 4, unneeded: 3, remedy: null },
    ],
  },
  more: {
    alerts: 2,
    common: [
      {
        count: 2,
        rule: "influential-negative",
        title: "An influential account is unhappy",
        query: "Northwind",
      },
    ],
    queries: 0,
    mentions: 0,
  },
  consoleUrl: "https://earshot.example/",
  page: null,
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
    incidents: [],
    unneeded: null,
    alertCount: 0,
    more: { alerts: 0, common: [], queries: 0, mentions: 0 },
    topStories: [],
    completeUntil: DIGEST.periodTo,
  },
  {
    ...DIGEST,
    quiet: true,
    totals: NOTHING,
    volume: null,
    perQuery: [{ ...NOTHING, query: "Northwind" }],
    topStories: [],
    topMentions: [],
    topAuthors: [],
    topHashtags: [],
    alerts: [],
    incidents: [],
    unneeded: null,
    alertCount: 0,
    more: { alerts: 0, common: [], queries: 0, mentions: 0 },
    completeUntil: DIGEST.periodTo,
    consoleUrl: null,
    unsubscribeUrl: null,
  },
  {
    ...DIGEST,
    name: "Us and Southbay",
    project: "Volume and mood",
    totals: { ...DIGEST.totals, usualMentions: null, usualNegative: null },
    completeUntil: DIGEST.periodTo,
    ...{ perQuery: [], topStories: [], topMentions: [], topAuthors: [], topHashtags: [] },
    ...{ alerts: [], incidents: [], unneeded: null, alertCount: 0 },
    more: { alerts: 0, common: [], queries: 0, mentions: 0 },
    page: {
      title: "Volume and mood",
      asked: "country Germany",
      reader: "ann",
      mood: "69% negative, 19 points more than before",
      tables: [
        {
          title: "Share of voice",
          heads: ["Mentions", "Share", "Before", "Negative"].map((text) => ({ text })),
          rows: [
            ["Northwind", "904", "75%", "51%", "79%"],
            ["Southbay Air", "300", "25%", "49%", "39%"],
          ].map(([name = "", ...cells]) => ({
            name,
            facet: "query",
            cells: cells.map((text) => ({ text })),
          })),
        },
      ],
    },
    consoleUrl: "https://earshot.example/insights?from=1&to=2",
  },
];
