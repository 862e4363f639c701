import { MINUTE } from "../../lib/instant.ts";
import type { MentionView } from "./mention-view.ts";

/** The start of the samples' event. */
export const SAMPLE_AT = Date.UTC(2026, 1, 23, 16, 35);
/** The console address of its alert. */
export const SAMPLE_URL = "https://earshot.example/alerts/1";

export const MENTION: MentionView = {
  author: "stranded_in_ord",
  authorName: "Ann Example",
  title: null,
  text: "Third cancelled flight today and nobody at the desk since noon. 300 people on the floor of gate B7 👩‍👩‍👧‍👦 & no water.",
  url: "https://social.example/stranded_in_ord/status/1",
  domain: "social.example",
  pageType: "twitter",
  sentiment: "negative",
  verified: true,
  followers: 120_400,
  reach: 88_000,
  publishedAt: SAMPLE_AT - 12 * MINUTE,
  copies: 42,
};

export const BARE_MENTION: MentionView = {
  author: null,
  authorName: "unknown author",
  title: null,
  text: "",
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

export const NEWS: MentionView = {
  ...MENTION,
  author: null,
  authorName: "The Daily Example",
  title: "Northwind grounds all flights out of O'Hare after a systems outage",
  text: "Thousands wait; the airline says that it will rebook everybody by tomorrow evening.",
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
