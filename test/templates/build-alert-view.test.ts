import { describe, expect, it } from "vitest";
import { MINUTE } from "../../src/lib/instant.ts";
import type { Alert } from "../../src/model/alert.ts";
import type { Mention } from "../../src/model/mention.ts";
import { buildAlertView } from "../../src/templates/build-alert-view.ts";
import { topMentions } from "../../src/templates/top-mentions.ts";

const openedAt = Date.UTC(2026, 1, 23, 16, 35);
const ALERT: Alert = {
  id: "a-1",
  projectId: "1",
  rule: "crisis-spike",
  fingerprint: "f",
  queryId: "7",
  queryName: "Delta",
  severity: "critical",
  state: "firing",
  labels: { query: "Delta", author: "<!channel>" },
  openedAt,
  firedAt: openedAt,
  lastSeenAt: openedAt,
  resolvedAt: null,
  mentions: 62,
  because: "62 in 30 minutes",
  windowFrom: openedAt - 30 * MINUTE,
  windowTo: openedAt,
  values: {},
};
const MENTION: Mention = {
  queryId: "7",
  resourceId: "r",
  publishedAt: openedAt,
  addedAt: openedAt,
  updatedAt: openedAt,
  title: null,
  text: "text",
  url: null,
  domain: null,
  language: null,
  pageType: null,
  author: "a",
  authorName: null,
  verified: null,
  followers: null,
  reach: null,
  impact: null,
  impressions: null,
  country: null,
  countryCode: null,
  sentiment: null,
  categories: [],
  tags: [],
  hashtags: [],
  reposts: null,
  repostOf: null,
};
const EMPTY: Mention = { ...MENTION, publishedAt: null, text: null, author: null };

function viewOf(alert: Partial<Alert>, mentions: readonly Mention[] = [MENTION]) {
  return buildAlertView({
    kind: "fired",
    alert: { ...ALERT, ...alert },
    mentions,
    rule: { name: "crisis-spike", description: null },
    project: "Airlines",
    timezone: "UTC",
    consoleUrl: null,
  });
}

describe("the headline", () => {
  it.each([
    [{ count: 62, usual: 11 }, "62 mentions in 30 min, 5.6× the usual 11"],
    [{ observed: 620, expected: 11.4 }, "620 mentions in 30 min, 54× the usual 11"],
    [{ count: 12, usual: 11 }, "12 mentions in 30 min, usually 11"],
    [{ count: 12, usual: 0.1 }, "12 mentions in 30 min, usually none"],
    [{ count: 62, usualLow: 8, usualHigh: 15 }, "62 mentions in 30 min, usually 8 to 15"],
    [{ count: 62 }, "62 mentions in 30 min"],
    [{ share: 0.58, of: 120, usualShare: 0.2 }, "58% negative of 120 mentions in 30 min, usually 20%"],
    [{ something: 3 }, "62 mentions"],
  ])("of %j is %s", (values: Record<string, number>, headline) => {
    expect(viewOf({ values }).headline).toBe(headline);
  });

  it("of a single mention says whose it is and who may have seen it", () => {
    const mention = { ...MENTION, authorName: "Ann", followers: 120_400, sentiment: "negative" };
    expect(viewOf({ mentions: 1, windowFrom: openedAt }, [mention]).headline).toBe(
      "negative mention by Ann (120.4k followers)",
    );
  });
});

describe("the view of an alert", () => {
  it("does not repeat the query as a label", () => {
    expect(viewOf({}).labels).toEqual([{ name: "author", value: "<!channel>" }]);
  });

  it("has a word where a mention withholds everything", () => {
    expect(viewOf({}, [EMPTY]).mentions[0]).toMatchObject({
      authorName: "unknown author",
      text: "(no text)",
      url: null,
    });
  });
});

describe("the mentions that are shown", () => {
  it("tell each story once, by its original, with its copies counted", () => {
    const original = { ...MENTION, resourceId: "1", text: "Flight gone" };
    const repost = { ...MENTION, resourceId: "2", text: "RT @a: Flight gone", repostOf: "1", followers: 9 };
    const shown = topMentions([repost, original, { ...MENTION, resourceId: "3", text: "Else" }], 5);
    expect(shown.map(({ mention, copies }) => [mention.resourceId, copies])).toEqual([
      ["1", 2],
      ["3", 1],
    ]);
  });

  it("are negative ones first, then those that most people saw, then the earliest", () => {
    const mentions = [
      { ...MENTION, resourceId: "late", text: "c", addedAt: openedAt, publishedAt: openedAt + 1 },
      { ...MENTION, resourceId: "early", text: "d" },
      { ...MENTION, resourceId: "big", text: "a", reach: 1000 },
      { ...MENTION, resourceId: "negative", text: "b", sentiment: "negative" },
    ];
    expect(topMentions(mentions, 9).map(({ mention }) => mention.resourceId)).toEqual([
      "negative",
      "big",
      "early",
      "late",
    ]);
  });

  it("without a text are not taken for one another", () => {
    expect(
      topMentions(
        [
          { ...EMPTY, resourceId: "1" },
          { ...EMPTY, resourceId: "2" },
        ],
        5,
      ),
    ).toHaveLength(2);
  });
});
