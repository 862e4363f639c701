import { expect, it } from "vitest";
import { parseImportLine } from "../../../src/listening-api/import/import-line.ts";
import { type ImportedLabels, importedMention } from "../../../src/listening-api/import/imported-mention.ts";
import type { MentionRecord } from "../../../src/listening-api/records/mention-record.ts";
import { CURRENT_FIELDS, isOfKind } from "../records/spec-fields.ts";

const LABELS: ImportedLabels = { categories: [], tags: [] };
const LINE = { id: "a", brand: "Brightair", text: "hello", date: "2026-03-01T07:36:05.000+0000" };

function imported(line: object, labels = LABELS) {
  const parsed = parseImportLine(line);
  if ("reason" in parsed) throw new Error(parsed.reason);
  const version = importedMention(parsed, { id: 7, name: parsed.brand ?? "" }, labels);
  for (const [name, value] of Object.entries(version.record))
    expect([name, value, isOfKind(CURRENT_FIELDS[name] ?? "array", value)]).toEqual([name, value, true]);
  return version;
}

it.each([
  ["nothing", {}, { pageType: "general", domain: null, pageTypeName: "General" }],
  [
    "what only X has",
    { twitterFollowers: 3 },
    { pageType: "twitter", domain: "twitter.com", pageTypeName: "Twitter" },
  ],
  ["a repost", { text: "RT @ann: hello" }, { pageType: "twitter", domain: "twitter.com" }],
  [
    "the address of a network",
    { url: "https://www.reddit.com/r/air/1" },
    { pageType: "reddit", domain: "reddit.com" },
  ],
  [
    "a site of a network",
    { url: "https://old.reddit.com/r/air/1" },
    { pageType: "reddit", domain: "old.reddit.com" },
  ],
  [
    "any other address",
    { url: "http://news.example/1?a=b" },
    { pageType: "general", domain: "news.example" },
  ],
  [
    "an address that is none",
    { url: "javascript:alert(1)" },
    { pageType: "general", url: "javascript:alert(1)" },
  ],
  [
    "a page type",
    { pageType: "news", url: "https://a.example/1" },
    { pageType: "news", pageTypeName: "News" },
  ],
  ["its own domain", { domain: "a.example", url: "https://b.example/" }, { domain: "a.example" }],
] as const)("takes the page from %s", (_, more, expected) => {
  expect(imported({ ...LINE, ...more }).record).toMatchObject(expected);
});

it.each([
  [
    "twitter",
    {
      twitterFollowers: 10,
      twitterFollowing: 11,
      twitterPostCount: 12,
      twitterRetweets: 5,
      twitterReplyCount: 4,
      twitterVerified: true,
      twitterAuthorId: "99",
    },
  ],
  ["facebook", { facebookAuthorId: "99", facebookComments: 3, facebookLikes: 2, facebookShares: 6 }],
  [
    "instagram",
    {
      instagramCommentCount: 3,
      instagramLikeCount: 2,
      instagramInteractionsCount: 5,
      instagramFollowerCount: 10,
      instagramFollowingCount: 11,
      instagramPostCount: 12,
    },
  ],
  ["linkedin", { linkedinComments: 3, linkedinLikes: 2, linkedinShares: 6, linkedinVideoViews: 8 }],
  ["tiktok", { tiktokComments: 3, tiktokLikes: 2, tiktokShares: 6 }],
  [
    "bluesky",
    {
      blueskyAuthorId: "99",
      blueskyFollowers: 10,
      blueskyFollowing: 11,
      blueskyPosts: 12,
      blueskyLikes: 2,
      blueskyReplies: 4,
      blueskyReposts: 5,
      blueskyQuotes: 7,
    },
  ],
] as const)("puts counts where %s has them", (pageType, expected) => {
  const counts = { likes: 2, comments: 3, replies: 4, retweets: 5, shares: 6, quotes: 7, views: 8 };
  const author = { followers: 10, following: 11, posts: 12, verified: true, authorId: 99 };
  const { record, twitterLikeCount } = imported({ ...LINE, pageType, ...counts, ...author });
  const said = Object.entries(record).filter(([name, value]) => name.startsWith(pageType) && value !== null);
  expect(Object.fromEntries(said)).toEqual(expected);
  expect(twitterLikeCount).toBe(pageType === "twitter" ? 2 : null);
});

it("reads what the text contains", () => {
  const text =
    "RT @CNN: see https://t.co/abc and (https://www.a.example/x?y=1). #late #late @Air ask me@mail.example";
  expect(imported({ ...LINE, text }).record).toMatchObject({
    threadEntryType: "share",
    threadAuthor: "cnn",
    shortUrls: ["https://t.co/abc"],
    expandedUrls: ["https://www.a.example/x?y=1"],
    displayUrls: ["a.example/x?y=1"],
    insightsHashtag: ["#late"],
    insightsMentioned: ["@CNN", "@Air"],
  });
});

it("finds the place of an author, unless the file names one itself", () => {
  expect(imported({ ...LINE, location: "Boston, MA" }).record).toMatchObject({
    locationName: "Boston, MA",
    city: "Boston",
    regionCode: "USA.MA",
    countryCode: "USA",
    continent: "North America",
  });
  const named = imported({ ...LINE, location: "Boston, MA", country: "Elsewhere" }).record;
  expect(named).toMatchObject({ city: null, country: "Elsewhere", countryCode: null });
});

it.each([
  [{ coordinates: [40.7, -74] }, 40.7, -74],
  [{ latitude: 51.5, longitude: 0 }, 51.5, 0],
  [{ latitude: 0, longitude: 10 }, 0, 10],
  [{ coordinates: [40.7, -74], latitude: 1, longitude: 2 }, 40.7, -74],
  [{ coordinates: [0, 0] }, null, null],
  [{ latitude: 52.5 }, null, null],
  [{ longitude: 13.4 }, null, null],
  [{ latitude: 52.5, longitude: null }, null, null],
])("the place of %j is a place, or none", (more, latitude, longitude) => {
  expect(imported({ ...LINE, ...more }).record).toMatchObject({ latitude, longitude });
});

it("refuses what is no place on earth, in either of its forms", () => {
  for (const more of [{ coordinates: [-74, 190] }, { coordinates: [140.7, 35] }, { latitude: 91 }])
    expect(parseImportLine({ ...LINE, ...more })).toEqual({ reason: expect.stringContaining("Too") });
});

it("keeps long texts whole and shows their beginning, in whole characters", () => {
  const { record, fullText } = imported({ ...LINE, text: "😀".repeat(700) });
  expect(record.snippet).toBe("😀".repeat(500));
  expect(fullText).toHaveLength(1_400);
  expect(imported({ ...LINE, text: `${"x".repeat(999)}😀` }).record.snippet).toBe("x".repeat(999));
  expect(imported({ ...LINE, text: "long", snippet: "short" }).record.snippet).toBe("short");
});

it("knows when a mention was found and changed, and shows it from then on", () => {
  const version = imported({
    ...LINE,
    added: "2026-03-02T00:00:00.000+0000",
    updated: "2026-03-03T00:00:00.000+0000",
    backfilled: true,
  });
  expect(version.record).toMatchObject({
    date: "2026-03-01T07:36:05.000+0000",
    added: "2026-03-02T00:00:00.000+0000",
    updated: "2026-03-03T00:00:00.000+0000",
  });
  expect(version.visibleAt).toBe(Date.parse("2026-03-02T00:00:00Z"));
  expect(version.backfilled).toBe(true);
});

it("takes a record that was exported from a Listening API, and gives it back as it was", () => {
  const exported: Partial<MentionRecord> = {
    resourceId: "0123456789abcdef0123456789abcdef",
    queryName: "Brightair",
    snippet: "hello <b>",
    date: "2026-03-01T07:36:05.000+0000",
    added: "2026-03-01T08:00:00.000+0000",
    pageType: "facebook",
    facebookLikes: 4,
    monthlyVisitors: 3_000_000_000,
    expandedUrls: ["https://a.example/"],
    classifications: [{ classifierId: "emotions", labelId: "Sadness", name: "Sadness", confidence: 0.5 }],
    professions: [{ profession: "Artist", jobTitle: null }],
    latitude: 51.5,
    longitude: -0.1,
    rating: "4",
    checked: true,
    accountType: "organisational",
    gender: "female",
  };
  const { record } = imported({ ...exported, queryId: 1, unknown: [1], twitterRetweets: null, title: null });
  expect(record).toMatchObject(exported);
  const again = imported({ ...record }).record;
  expect(again).toEqual(record);
});

it.each([
  [{ likes: -1 }, "likes"],
  [{ likes: "many" }, "likes"],
  [{ pageType: "pigeon" }, "pageType"],
  [{ latitude: 91 }, "latitude"],
  [{ interest: "sports" }, "interest"],
  [{ added: "soon" }, "added"],
  [{ tags: ["a\0b"] }, "tags"],
  [{ categoryDetails: [{ name: "x" }] }, "categoryDetails"],
  [{ monthlyVisitors: 1.5 }, "monthlyVisitors"],
])("tells what is wrong with %j", (more, name) => {
  expect(parseImportLine({ ...LINE, ...more })).toEqual({
    reason: expect.stringContaining(name),
  });
});
