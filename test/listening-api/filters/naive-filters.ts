import type { MentionVersion } from "../../../src/listening-api/store/mention-version.ts";

/**
 * One filter as the reference describes it, over the wire record: the values to try, and the mentions that meet one.
 */
export interface NaiveFilter {
  readonly values: readonly string[];
  meets(mention: MentionVersion, value: string): boolean;
  /** The filter has an `x…` twin. */
  readonly hasTwin?: boolean;
}

/** What the project of the test has. */
export interface NaiveProject {
  readonly categories: readonly {
    readonly id: number;
    readonly children: readonly { readonly id: number }[];
  }[];
  readonly authorList: { readonly id: number; readonly authors: readonly string[] };
  readonly siteList: { readonly id: number; readonly domains: readonly string[] };
  readonly locationList: { readonly id: number; readonly locations: readonly string[] };
}

type Record = MentionVersion["record"];
type Key = keyof Record;

/** Every filter, with values that the mentions of the test carry and some that none carries. */
export function naiveFilters(project: NaiveProject): { readonly [name: string]: NaiveFilter } {
  const children = (id: number) =>
    project.categories.find((parent) => parent.id === id)?.children.map((child) => child.id) ?? [];
  const inCategory = (mention: MentionVersion, value: string) =>
    [Number(value), ...children(Number(value))].some((id) => mention.record.categories.includes(id));
  const categoryIds = project.categories
    .flatMap((parent) => [parent.id, ...parent.children.map((child) => child.id)])
    .map(String);
  return {
    sentiment: twin(["positive", "neutral", "negative"], field("sentiment")),
    pageType: twin(["twitter", "news", "reddit"], field("pageType")),
    subtype: twin(["photo", "VIDEO"], field("subtype")),
    resourceType: twin(["crimsonMonitor", "other"], field("resourceType")),
    language: twin(["en", "de"], field("language")),
    languages: twin(["en", "de"], field("language")),
    accountType: twin(["individual", "organizational"], ({ record }, value) =>
      value === "individual" ? record.accountType === value : record.accountType === "organisational",
    ),
    authorVerifiedType: twin(["blue", "government"], field("authorVerifiedType")),
    gender: twin(["male", "unknown"], ({ record }, value) => (record.gender ?? "unknown") === value),
    interest: twin(["Sports", "music"], list("interest")),
    profession: twin(["Journalist", "artist"], ({ record }, value) =>
      record.professions.some((found) => "profession" in found && same(String(found.profession), value)),
    ),
    classifications: twin(["Sadness", "emotions:joy", "other:Joy"], ({ record }, value) =>
      record.classifications.some((found) => {
        const { classifierId, labelId } = found as { classifierId: string; labelId: string };
        return same(labelId, value) || same(`${classifierId}:${labelId}`, value);
      }),
    ),
    category: twin(categoryIds, inCategory),
    parentCategory: twin(categoryIds, inCategory),
    tag: twin(["1", "2", "3"], ({ tagIds }, value) => (tagIds ?? []).includes(Number(value))),
    anyTag: twin(["true", "false", "2"], ({ tagIds }, value) =>
      value === "2" ? (tagIds ?? []).includes(2) : (tagIds ?? []).length > 0 === (value === "true"),
    ),
    author: twin(["an", "ÜNAL", "%", "_"], ({ record }, value) =>
      (record.author ?? "").toLowerCase().includes(value.toLowerCase()),
    ),
    exactAuthor: twin(["ann", "@Ünal", "an"], ({ record }, value) => sameName(record.author, value)),
    authorGroup: twin([String(project.authorList.id)], ({ record }) =>
      project.authorList.authors.some((name) => sameName(record.author, name)),
    ),
    postByAuthor: twin(
      ["ann", "ünal"],
      (mention, value) => isPost(mention) && sameName(mention.record.author, value),
    ),
    replyToAuthor: twin(["bob", "ann"], (mention, value) => sameName(repliedTo(mention), value)),
    shareOfAuthor: twin(["bob", "ann"], (mention, value) => sameName(shared(mention), value)),
    threadAuthor: twin(["bob", "Ann"], ({ record }, value) => sameName(record.threadAuthor, value)),
    threadId: twin(["t1", "t2"], field("threadId")),
    threadEntryType: twin(["post", "reply", "share"], field("threadEntryType")),
    twitterAuthorId: twin(["9007199254740993", "7"], field("twitterAuthorId")),
    twitterRole: twin(["owner", "guest"], field("twitterRole")),
    twitterVerified: flag(({ record }) => record.twitterVerified),
    twitterReplyTo: twin(
      ["bob", "https://x.example/bob/status/1"],
      (mention, value) => sameName(repliedTo(mention), value) || same(mention.record.replyTo, value),
    ),
    twitterRetweetOf: twin(
      ["ann", "https://x.example/ann/status/2"],
      (mention, value) => sameName(shared(mention), value) || same(mention.record.retweetOf, value),
    ),
    facebookAuthorId: twin(["11", "12"], field("facebookAuthorId")),
    facebookRole: twin(["owner", "audience"], field("facebookRole")),
    facebookSubtype: twin(["photo", "video"], field("facebookSubtype")),
    location: twin(["DEU", "deu.berlin", "EUROPE", "USA"], ({ record }, value) => isIn(record, value)),
    locationGroup: twin([String(project.locationList.id)], ({ record }) =>
      project.locationList.locations.some((place) => isIn(record, place)),
    ),
    exclusiveLocation: twin(["DEU", "DEU.Berlin", "EUROPE"], ({ record }, value) =>
      same(record.cityCode ?? record.regionCode ?? record.countryCode ?? record.continentCode, value),
    ),
    geolocated: flag(({ record }) => record.latitude !== null && record.longitude !== null),
    domain: twin(["news.example", "www.SITE.example"], ({ record }, value) =>
      same(bare(record.domain), bare(value)),
    ),
    siteGroup: twin([String(project.siteList.id)], ({ record }) =>
      project.siteList.domains.some((site) => stands(record, site.toLowerCase())),
    ),
    assigned: twin(["ann@acme.example", "nobody"], field("assignment")),
    status: twin(["open", "closed"], field("status")),
    priority: twin(["high", "low"], field("priority")),
    checked: flag(({ record }) => record.checked),
    starred: flag(({ record }) => record.starred),
    insightsHashtag: twin(["#tag", "TAG", "über"], ({ record }, value) =>
      record.insightsHashtag.some((found) => same(found, value) || same(found, `#${value}`)),
    ),
    insightsMentioned: twin(["@bob", "ann"], ({ record }, value) =>
      record.insightsMentioned.some((found) => same(found, value) || same(found, `@${value}`)),
    ),
    insightsUrl: twin(["https://site.example/a", "https://site.example/b"], ({ record }, value) =>
      links(record).some((link) => same(link, value)),
    ),
    insightsSharedSite: twin(["site.example", "www.other.example"], ({ record }, value) =>
      links(record).some((link) => same(bare(new URL(link).hostname), bare(value))),
    ),
    insightsEmoji: twin(["😀", "🎉"], ({ record }, value) => (record.snippet ?? "").includes(value)),
    insightsEmoticon: twin([":)", ":("], ({ record }, value) =>
      (record.snippet ?? "").split(/\s/).includes(value),
    ),
    logoImagesGroupId: twin(["1", "2"], ({ record }, value) =>
      record.imageInfo.some(
        (image) => "logoImagesGroupId" in image && image.logoImagesGroupId === Number(value),
      ),
    ),
    logoVersions: twin(["5", "6"], () => false),
    hourOfDay: {
      values: ["0", "13", "14", "23"],
      meets: ({ date, added }, value) => berlin(date ?? added).hour === Number(value),
    },
    dayOfWeek: {
      values: ["1", "2", "Tuesday", "wednesday"],
      meets: ({ date, added }, value) => {
        const days = ["sunday", "monday", "tuesday", "wednesday"];
        const day = /\d/.test(value) ? Number(value) : days.indexOf(value.toLowerCase());
        return berlin(date ?? added).day === day;
      },
    },
    sourceType: { values: ["new"], meets: ({ backfilled }) => backfilled !== true },
    sinceAdded: since(({ added }) => added),
    sinceUpdated: since(({ updated }) => updated),
    sinceAssignmentUpdated: since(({ record }) => assignedAt(record)),
    untilAssignmentUpdated: {
      values: MOMENTS,
      meets: ({ record }, value) => (assignedAt(record) ?? Number.POSITIVE_INFINITY) < Date.parse(value),
    },
    ...Object.fromEntries(MEASURES.flatMap(([name, key]) => bounds(name, key))),
  };
}

const MEASURES: readonly (readonly [string, Key])[] = [
  ["impact", "impact"],
  ["impressions", "impressions"],
  ["reachEstimate", "reachEstimate"],
  ["monthlyVisitors", "monthlyVisitors"],
  ["twitterFollowers", "twitterFollowers"],
  ["twitterFollowing", "twitterFollowing"],
  ["twitterPostCount", "twitterPostCount"],
  ["twitterRetweets", "twitterRetweets"],
  ["facebookComments", "facebookComments"],
  ["facebookLikes", "facebookLikes"],
  ["facebookShares", "facebookShares"],
  ["instagramFollowers", "instagramFollowerCount"],
  ["instagramFollowing", "instagramFollowingCount"],
  ["instagramPosts", "instagramPostCount"],
  ["instagramLikes", "instagramLikeCount"],
  ["instagramComments", "instagramCommentCount"],
  ["instagramInteractions", "instagramInteractionsCount"],
  ["latitude", "latitude"],
  ["longitude", "longitude"],
];

function bounds(name: string, key: Key): [string, NaiveFilter][] {
  const values = name.endsWith("itude") ? ["-10.5", "0", "52.5"] : ["-1", "0", "7", "5000000000"];
  return [
    [`${name}Min`, { values, meets: ({ record }, value) => numberOf(record[key]) >= Number(value) }],
    [`${name}Max`, { values, meets: ({ record }, value) => numberOf(record[key]) <= Number(value) }],
  ];
}

/** NaN is neither less nor more than anything. */
function numberOf(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}

function twin(values: readonly string[], meets: NaiveFilter["meets"]): NaiveFilter {
  return { values, meets, hasTwin: true };
}

function flag(of: (mention: MentionVersion) => boolean | null): NaiveFilter {
  return {
    values: ["true", "false", "True"],
    meets: (mention, value) => of(mention) === (value.toLowerCase() === "true"),
  };
}

const MOMENTS = ["2026-03-03T12:00:00.000Z", "2026-03-03T14:00:00.000Z", "2026-03-03T19:00:00.000+0000"];

function since(of: (mention: MentionVersion) => number | null): NaiveFilter {
  return {
    values: MOMENTS,
    meets: (mention, value) =>
      (of(mention) ?? Number.NEGATIVE_INFINITY) > Date.parse(value.replace("+0000", "Z")),
  };
}

function field(key: Key): NaiveFilter["meets"] {
  return ({ record }, value) => same(record[key], value);
}

function list(key: Key): NaiveFilter["meets"] {
  return ({ record }, value) => (record[key] as readonly string[]).some((found) => same(found, value));
}

function same(a: unknown, b: string): boolean {
  return typeof a === "string" && a.toLowerCase() === b.toLowerCase();
}

function sameName(a: string | null, b: string): boolean {
  return a !== null && a.replace(/^@/, "").toLowerCase() === b.replace(/^@/, "").toLowerCase();
}

function bare(site: string | null): string {
  return (site ?? "").toLowerCase().replace(/^www\./, "");
}

function repliedTo({ record }: MentionVersion): string | null {
  if (record.threadEntryType !== "reply" && record.replyTo === null) return null;
  return record.replyTo?.split("/")[3] ?? record.threadAuthor;
}

function shared({ record }: MentionVersion): string | null {
  if (record.threadEntryType !== "share" && record.retweetOf === null) return null;
  return record.retweetOf?.split("/")[3] ?? record.threadAuthor;
}

function isPost(mention: MentionVersion): boolean {
  const { threadEntryType } = mention.record;
  const isAnswer = threadEntryType === "reply" || threadEntryType === "share";
  return !isAnswer && repliedTo(mention) === null && shared(mention) === null;
}

function isIn(record: Record, place: string): boolean {
  return [record.cityCode, record.regionCode, record.countryCode, record.continentCode].some(
    (code) => same(code, place) || (code ?? "").toLowerCase().startsWith(`${place.toLowerCase()}.`),
  );
}

function stands(record: Record, site: string): boolean {
  const address = (record.originalUrl ?? record.url ?? "").toLowerCase().replace(/^https?:\/\/(www\.)?/, "");
  const domain = bare(record.domain);
  return domain === site || domain.endsWith(`.${site}`) || address === site || address.startsWith(`${site}/`);
}

function links(record: Record): string[] {
  return record.expandedUrls.length > 0
    ? [...record.expandedUrls]
    : ((record.snippet ?? "").match(/https:\S+/g) ?? []).map((link) => link.replace(/\.$/, ""));
}

function assignedAt(record: Record): number | null {
  return record.lastAssignmentDate === null
    ? null
    : Date.parse(record.lastAssignmentDate.replace("+0000", "Z"));
}

/** In March before the change of clocks. Sunday is 0. */
function berlin(at: number): { hour: number; day: number } {
  const local = new Date(at + 3_600_000);
  return { hour: local.getUTCHours(), day: local.getUTCDay() };
}
