import fc from "fast-check";
import { HOUR } from "../../../src/lib/instant.ts";
import { mentionRecord } from "../../../src/listening-api/records/mention-record.ts";
import { wireTime } from "../../../src/listening-api/records/wire.ts";
import type { MentionVersion } from "../../../src/listening-api/store/mention-version.ts";
import { resourceId, T0 } from "../fixture.ts";

/** A mention whose fields have few values, so that filters find some and not all. Numbers are unique in a batch. */
export function anyMention(
  queryIds: readonly number[],
  parents: readonly { readonly id: number; readonly children: readonly { readonly id: number }[] }[],
): fc.Arbitrary<{ number: number; version: MentionVersion }> {
  const category = fc.constantFrom(
    ...parents.flatMap((parent) => parent.children.map((child) => ({ id: child.id, parentId: parent.id }))),
  );
  return fc
    .record({
      number: fc.nat({ max: 1_000_000 }),
      queryId: fc.constantFrom(...queryIds),
      hour: fc.nat({ max: 14 }),
      updatedHour: fc.nat({ max: 14 }),
      isDated: fc.boolean(),
      backfilled: fc.boolean(),
      tagIds: fc.subarray([1, 2]),
      category: fc.option(category),
      texts: fc.record(TEXTS),
      lists: fc.record(LISTS),
      counts: fc.record(COUNTS),
      latitude: maybe(-10.5, 0, 52.5, 52.6),
      longitude: maybe(-10.6, 0, 13.4),
      checked: fc.boolean(),
      starred: fc.boolean(),
      twitterVerified: fc.option(fc.boolean()),
      assignedHour: fc.option(fc.nat({ max: 8 })),
    })
    .map((given) => {
      const added = T0 + given.hour * HOUR;
      const updated = added + given.updatedHour * HOUR;
      const { latitude, longitude, checked, starred, twitterVerified, backfilled, tagIds } = given;
      const record = mentionRecord({
        resourceId: resourceId(given.number),
        queryId: given.queryId,
        queryName: "any",
        date: given.isDated ? wireTime(added) : null,
        added: wireTime(added),
        updated: wireTime(updated),
        lastAssignmentDate: given.assignedHour === null ? null : wireTime(T0 + given.assignedHour * HOUR),
        categories: given.category === null ? [] : [given.category.id],
        categoryDetails:
          given.category === null
            ? []
            : [
                {
                  id: String(given.category.id),
                  name: "",
                  parentId: String(given.category.parentId),
                  parentName: "",
                },
              ],
        ...given.texts,
        ...given.lists,
        ...given.counts,
        ...{ latitude, longitude, checked, starred, twitterVerified },
      });
      return {
        number: given.number,
        version: {
          version: 1,
          record,
          date: given.isDated ? added : null,
          added,
          updated,
          visibleAt: T0,
          supersededAt: null,
          backfilled,
          tagIds,
          fullText: null,
        },
      };
    });
}

function maybe<Value>(...values: readonly Value[]): fc.Arbitrary<Value | null> {
  return fc.constantFrom(null, ...values);
}

const TEXTS = {
  sentiment: maybe("positive", "neutral", "negative"),
  pageType: maybe("twitter", "news", "reddit", "pigeon"),
  subtype: maybe("photo", "video"),
  resourceType: maybe("crimsonMonitor", "import"),
  language: maybe("en", "de", "fr"),
  accountType: maybe("individual", "organisational"),
  authorVerifiedType: maybe("blue", "business"),
  gender: maybe("male", "female", "unknown"),
  author: maybe("ann", "Ann Lee", "@ann", "ünal", "100%_sure", "Dan"),
  threadAuthor: maybe("bob", "@Ann"),
  threadId: maybe("t1", "t3"),
  threadEntryType: maybe("post", "reply", "share"),
  twitterAuthorId: maybe("9007199254740993", "8"),
  twitterRole: maybe("owner", "GUEST"),
  replyTo: maybe("https://x.example/bob/status/1", "https://x.example/Ann/status/3"),
  retweetOf: maybe("https://x.example/ann/status/2", "https://x.example/Bob/status/4"),
  facebookAuthorId: maybe("11", "13"),
  facebookRole: maybe("owner", "audience"),
  facebookSubtype: maybe("photo", "link"),
  cityCode: maybe("DEU.Berlin.Berlin", "USA.CA.Fresno"),
  regionCode: maybe("DEU.Berlin", "USA.CA"),
  countryCode: maybe("DEU", "USA"),
  continentCode: maybe("EUROPE", "NORTH_AMERICA"),
  domain: maybe("news.example", "www.site.example", "blog.site.example"),
  url: maybe("https://www.site.example/press/1", "http://site.example/pressed", "https://news.example"),
  assignment: maybe("ann@acme.example", "bob@acme.example"),
  status: maybe("open", "pending", "closed"),
  priority: maybe("low", "medium", "high"),
  title: maybe("Änderung", "Zebra", "apple", "Apple pie"),
  weblogTitle: maybe("The Daily", "a blog"),
  snippet: maybe(
    "Look 😀 at https://site.example/a. :)",
    "no 🎉 :(here https://www.other.example/b :( ",
    "plain",
    "https://site.example/a https://site.example/b",
  ),
};

const LISTS = {
  interest: fc.subarray(["Sports", "Music"]),
  professions: fc.subarray([{ profession: "Journalist", jobTitle: "x" }, { profession: "Artist" }]),
  classifications: fc.subarray([
    { classifierId: "emotions", labelId: "Sadness", name: "Sadness", confidence: 1 },
    { classifierId: "emotions", labelId: "Joy", name: "Joy", confidence: 0.5 },
  ]),
  insightsHashtag: fc.subarray(["#Tag", "#Über"]),
  insightsMentioned: fc.subarray(["@Bob", "@ann"]),
  expandedUrls: fc.constantFrom([], [], ["https://site.example/b"]),
  imageInfo: fc.subarray([{ logoImagesGroupId: 1 }, { logoImagesGroupId: 3 }, {}]),
};

const count = maybe(0, 3, 7, 8, 5_000_000_001);
const COUNTS = {
  impact: count,
  impressions: count,
  reachEstimate: count,
  monthlyVisitors: count,
  twitterFollowers: count,
  twitterFollowing: count,
  twitterPostCount: count,
  twitterReplyCount: count,
  twitterRetweets: count,
  facebookComments: count,
  facebookLikes: count,
  facebookShares: count,
  instagramFollowerCount: count,
  instagramFollowingCount: count,
  instagramPostCount: count,
  instagramLikeCount: count,
  instagramCommentCount: count,
  instagramInteractionsCount: count,
  linkedinComments: count,
  linkedinEngagement: count,
  linkedinImpressions: count,
  linkedinLikes: count,
  linkedinShares: count,
  linkedinVideoViews: count,
};
