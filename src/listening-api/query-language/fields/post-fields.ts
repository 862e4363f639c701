import {
  chosenField,
  defineField,
  exactField,
  type Field,
  flagField,
  type KnownFields,
  numberField,
  unknownField,
  wordsField,
} from "./define-field.ts";

const GENDERS: Readonly<Record<string, string>> = { female: "F", male: "M" };

/** Who wrote it, and on whose page. */
export const authorFields: readonly Field[] = [
  wordsField("author", (known) => [known.author, known.fullname]),
  chosenField("authorGender", ["F", "M"], (known) => GENDERS[known.gender?.toLowerCase() ?? ""]),
  flagField("authorVerified", isVerified),
  chosenField(
    "authorVerifiedType",
    ["blue", "business", "government"],
    (known) => known.authorVerifiedType ?? undefined,
  ),
  numberField(
    "authorFollowers",
    { min: 0, max: 9_999_999_999, wholeNumbers: true, single: false, example: "[500 TO 100000]" },
    (known) => known.twitterFollowers ?? known.blueskyFollowers ?? known.instagramFollowerCount,
  ),
  exactField("channelId", (known) => [
    known.facebookAuthorId,
    known.twitterAuthorId,
    known.blueskyAuthorId,
    known.threadId,
  ]),
];

function isVerified(known: KnownFields): boolean | null {
  if (known.twitterVerified != null) return known.twitterVerified;
  return known.authorVerifiedType == null ? null : true;
}

const ENGAGEMENTS: Readonly<Record<string, string>> = {
  comment: "COMMENT",
  reply: "REPLY",
  share: "RETWEET",
  retweet: "RETWEET",
  quote: "QUOTE",
};

/** What kind of post it is, what it answers, and what it shows. */
export const postFields: readonly Field[] = [
  chosenField(
    "engagementType",
    ["COMMENT", "REPLY", "RETWEET", "QUOTE"],
    (known) => ENGAGEMENTS[known.threadEntryType?.toLowerCase() ?? ""],
  ),
  wordsField("engagingWith", (known) => [known.threadAuthor]),
  idField("engagingWithGuid", (known) => [known.replyTo, known.retweetOf, known.threadId, known.threadURL]),
  {
    ...idField("guid", (known) => [known.resourceId, known.url, known.originalUrl]),
    check: (value) =>
      /^\d+(?:_\d+)*$/.test(value)
        ? undefined
        : {
            severity: "error",
            message: "guid: takes digits, or ids of digits joined by _; write guid:857284431631011841.",
          },
  },
  exactField("blogName", (known) => [known.blogName]),
  exactField("parentBlogName", (known) => [known.parentBlogName]),
  exactField("rootBlogName", (known) => [known.rootBlogName]),
  exactField("parentPostId", (known) => [known.parentPostId]),
  exactField("rootPostId", (known) => [known.rootPostId]),
  exactField("tags", (known) => (known.insightsHashtag ?? []).map((tag) => tag.replace(/^#/, ""))),
  exactField("subreddit", (known) => [subredditOf(known.url), subredditOf(known.originalUrl)]),
  wordsField("weblogTitle", (known) => [known.weblogTitle]),
  exactField("brandIds", (known) => imageValues(known, "logoImagesGroupId")),
  exactField("objects", (known) => imageObjects(known)),
  exactField("publisherSubType", (known) => [known.publisherSubType]),
  wordsField("itemReview", (known) => [known.itemReview]),
  numberField(
    "rating",
    { min: 0, max: 5, wholeNumbers: false, single: true, example: "[3 TO 5]" },
    (known) => (known.rating == null || known.rating === "" ? undefined : Number(known.rating)),
  ),
  exactField("pubType", (known) => [known.pubType]),
  defineField({
    name: "entityId",
    kind: "value",
    check: (value) =>
      /^[1-9]\d*$/.test(value)
        ? undefined
        : { severity: "error", message: "entityId: takes a whole number above 0; write entityId:42." },
    meets: (test, known) =>
      test.kind === "value" &&
      (known.entityInfo ?? []).some(
        (entity) => "entityId" in entity && String(entity.entityId) === test.value,
      ),
  }),
  unknownFlag("subredditNSFW"),
  unknownFlag("redditSpoiler"),
  unknownFlag("sensitiveContent"),
  ...["subredditTopics", "redditAuthorFlair", "redditPostFlair", "imageType", "publication"].map(
    unknownField,
  ),
];

function unknownFlag(name: string): Field {
  return { ...flagField(name, () => undefined), isUnknown: true };
}

/** Ids of the networks. They are at the end of an address. */
function idField(name: string, texts: (known: KnownFields) => readonly (string | null | undefined)[]): Field {
  return defineField({
    name,
    kind: "value",
    meets: (test, known) => test.kind === "value" && texts(known).some((text) => endsInId(text, test.value)),
  });
}

function endsInId(text: string | null | undefined, id: string): boolean {
  if (text == null) return false;
  return text === id || text.replace(/\/?(?:[?#].*)?$/, "").endsWith(`/${id}`);
}

function subredditOf(url: string | null | undefined): string | undefined {
  return /reddit\.com\/r\/([^/?#]+)/i.exec(url ?? "")?.[1];
}

function imageValues(known: KnownFields, name: string): string[] {
  return (known.imageInfo ?? []).flatMap((image) => {
    const value: unknown = Reflect.get(image, name);
    return value == null ? [] : [String(value)];
  });
}

function imageObjects(known: KnownFields): string[] {
  return (known.imageInfo ?? []).flatMap((image) => {
    const objects: unknown = Reflect.get(image, "objects");
    if (!Array.isArray(objects)) return [];
    return objects.flatMap((object: unknown) =>
      typeof object === "object" && object !== null && "id" in object ? [String(object.id)] : [],
    );
  });
}
