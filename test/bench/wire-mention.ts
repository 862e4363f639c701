/**
 * One mention as the current version of the API sends it: every field of the specification, most of them null, as
 * they are in life. Deterministic: the same index gives the same mention. About 3.3 KB of JSON.
 */
export function wireMention(index: number, options: { queryId: number; startAt: number }): object {
  const random = createRandom(index + 1);
  const kind = pick(random, KINDS);
  const twitter = kind === "twitter";
  const addedAt = options.startAt + index * 400;
  const date = wireDate(addedAt - Math.floor(random() * 600_000));
  const added = wireDate(addedAt);
  const resourceId = hex(random, 32);
  const brand = pick(random, BRANDS);
  const author = `${pick(random, FIRST).toLowerCase()}_${pick(random, LAST).toLowerCase()}${Math.floor(random() * 900)}`;
  const fullname = `${pick(random, FIRST)} ${pick(random, LAST)}`;
  const snippet = sentences(random, brand, twitter ? 2 : 4);
  const domain = twitter ? "twitter.com" : `www.${pick(random, LAST).toLowerCase()}-${kind}.example`;
  const url = twitter
    ? `http://twitter.com/${author}/statuses/${1_500_000_000 + index}0${Math.floor(random() * 1e8)}`
    : `https://${domain}/2026/11/${resourceId.slice(0, 12)}/${brand.toLowerCase()}-${pick(random, NOUNS)}`;
  const place = pick(random, PLACES);
  const negative = random();
  const sentiment = negative < 0.25 ? "negative" : negative < 0.45 ? "positive" : "neutral";
  const category = random() < 0.5 ? (random() < 0.02 ? RISK : pick(random, CATEGORIES)) : undefined;
  const count = (limit: number): number => Math.floor(random() ** 4 * limit);

  return {
    accountType: "individual",
    added,
    assignment: null,
    author,
    authorVerifiedType: twitter && random() < 0.1 ? "blue" : null,
    avatarUrl: twitter ? `https://images.example/profile_images/${hex(random, 18)}/photo_normal.jpg` : null,
    blogName: null,
    blueskyAuthorId: null,
    blueskyFollowers: null,
    blueskyFollowing: null,
    blueskyLikes: null,
    blueskyPosts: null,
    blueskyQuotes: null,
    blueskyReplies: null,
    blueskyReposts: null,
    categories: category === undefined ? [] : [Number(category.id)],
    categoryDetails: category === undefined ? [] : [category],
    checked: false,
    city: place.city,
    cityCode: place.cityCode,
    classifications: [{ classifierId: "emotions", labelId: "Joy", name: "Joy", confidence: round(random()) }],
    continent: place.continent,
    continentCode: place.continentCode,
    copyright: null,
    country: place.country,
    countryCode: place.countryCode,
    dailyVisitors: twitter ? null : count(1_000_000),
    date,
    displayUrls: [],
    domain,
    entityInfo: [
      {
        entityConfidence: "HIGH",
        entityId: Math.floor(random() * 1e9),
        url: `https://entity.example/${brand}`,
      },
    ],
    expandedUrls: twitter ? [`https://news.example/${hex(random, 8)}`] : [],
    facebookAuthorId: null,
    facebookComments: 0,
    facebookLikes: 0,
    facebookRole: null,
    facebookShares: 0,
    facebookSubtype: null,
    fullname: twitter ? `${author} (${fullname})` : fullname,
    gender: "unknown",
    imageInfo: [],
    impact: round(random() * 100),
    impressions: count(400_000),
    insightsHashtag: twitter && random() < 0.3 ? [`#${brand.toLowerCase()}`, "#service"] : [],
    insightsMentioned: twitter ? [`@${brand.toLowerCase()}`] : [],
    instagramCommentCount: 0,
    instagramFollowerCount: null,
    instagramFollowingCount: null,
    instagramInteractionsCount: null,
    instagramLikeCount: 0,
    instagramPostCount: null,
    interest: ["Technology", "Family & Parenting"],
    itemReview: null,
    language: place.language,
    lastAssignmentDate: null,
    latitude: place.latitude,
    linkedinComments: 0,
    linkedinEngagement: 0,
    linkedinImpressions: 0,
    linkedinLikes: 0,
    linkedinShares: 0,
    linkedinVideoViews: 0,
    locationName: `${place.city}, ${place.region}, ${place.country}`,
    longitude: place.longitude,
    matchPositions: [{ start: snippet.indexOf(brand), text: brand, length: brand.length }],
    mediaFilter: null,
    mediaUrls: [],
    monthlyVisitors: twitter ? null : count(30_000_000),
    originalUrl: url,
    pageType: kind,
    pageTypeName: kind[0]?.toUpperCase() + kind.slice(1),
    parentBlogName: null,
    parentPostId: null,
    priority: null,
    professions: [],
    pubType: null,
    publisherSubType: null,
    queryId: options.queryId,
    queryName: "Everything about the brand",
    rating: null,
    reachEstimate: count(200_000),
    region: place.region,
    regionCode: place.regionCode,
    replyTo: null,
    resourceId,
    resourceType: "page",
    retweetOf:
      twitter && random() < 0.3 ? `http://twitter.com/statuses/${1_400_000_000 + count(1e8)}0` : null,
    rootBlogName: null,
    rootPostId: null,
    sentiment,
    shortUrls: twitter ? [`https://t.example/${hex(random, 10)}`] : [],
    snippet,
    starred: false,
    status: null,
    subtype: null,
    tags: random() < 0.1 ? ["reviewed"] : [],
    threadAuthor: twitter ? author : null,
    threadCreated: null,
    threadEntryType: twitter ? "share" : null,
    threadId: twitter ? "0" : hex(random, 16),
    threadURL: null,
    tiktokComments: 0,
    tiktokLikes: 0,
    tiktokShares: 0,
    title: twitter ? `${fullname} (@${author})` : sentences(random, brand, 1),
    twitterAuthorId: twitter ? String(1_000_000_000 + count(1e9)) : null,
    twitterFollowers: twitter ? followersOf(random()) : null,
    twitterFollowing: twitter ? count(5_000) : null,
    twitterPostCount: twitter ? count(90_000) : null,
    twitterReplyCount: twitter ? count(50) : null,
    twitterRetweets: twitter ? count(500) : null,
    twitterRole: null,
    twitterVerified: twitter ? false : null,
    updated: added,
    url,
    weblogTitle: null,
  };
}

interface WirePlace {
  readonly city: string;
  readonly cityCode: string;
  readonly region: string;
  readonly regionCode: string;
  readonly country: string;
  readonly countryCode: string;
  readonly continent: string;
  readonly continentCode: string;
  readonly language: string;
  readonly latitude: number;
  readonly longitude: number;
}

const KINDS = ["twitter", "twitter", "twitter", "news", "forum", "blog", "reddit"] as const;
const BRANDS = ["Northwind", "Contoso", "Tailspin", "Fabrikam"] as const;
const FIRST = [
  "Ada",
  "Björn",
  "Chloé",
  "Dmitri",
  "Emeka",
  "Fatima",
  "Grace",
  "Hiro",
  "Inés",
  "Joost",
] as const;
const LAST = [
  "Almeida",
  "Berg",
  "Castillo",
  "Dlamini",
  "Eriksson",
  "Fischer",
  "Garcia",
  "Haddad",
  "Ito",
] as const;
const NOUNS = [
  "refund",
  "parcel",
  "update",
  "flight",
  "invoice",
  "battery",
  "driver",
  "kitchen",
  "branch",
] as const;
const VERBS = [
  "lost",
  "fixed",
  "delayed",
  "praised",
  "cancelled",
  "ignored",
  "replaced",
  "explained",
] as const;
const TAILS = [
  "again, third time this month",
  "and nobody answers the phone",
  "— honestly, well done 👏",
  "while I was waiting at the counter for almost an hour",
  "so I’m taking my money elsewhere",
  "¡gracias por la ayuda!",
  "according to a spokesperson on Tuesday",
  "which is more than I expected 😊",
  "& now the app says “try later”",
  "in every store across the region",
] as const;
/** Most people have a few hundred followers; one author in forty has 5,000, one in three hundred 50,000. */
function followersOf(share: number): number {
  return Math.min(5_000_000, Math.floor(80 * (1 - share) ** -1.1));
}

/** Seldom, or every page would be full of alerts. */
const RISK = { id: "4711001", name: "Product safety", parentId: "4711000", parentName: "Risk" };

const CATEGORIES = [
  { id: "4711002", name: "Late delivery", parentId: "4712000", parentName: "Service" },
  { id: "4711003", name: "Praise", parentId: "4713000", parentName: "Tone" },
] as const;
const PLACES: readonly WirePlace[] = [
  {
    city: "Brighton",
    cityCode: "gbr.south east england.brighton",
    region: "South East England",
    regionCode: "gbr.south east england",
    country: "United Kingdom",
    countryCode: "GBR",
    continent: "Europe",
    continentCode: "EUROPE",
    language: "en",
    latitude: 50.8225,
    longitude: -0.1372,
  },
  {
    city: "São Paulo",
    cityCode: "bra.sao paulo.sao paulo",
    region: "São Paulo",
    regionCode: "bra.sao paulo",
    country: "Brazil",
    countryCode: "BRA",
    continent: "South America",
    continentCode: "SOUTH AMERICA",
    language: "pt",
    latitude: -23.5505,
    longitude: -46.6333,
  },
  {
    city: "Denver",
    cityCode: "usa.colorado.denver",
    region: "Colorado",
    regionCode: "usa.colorado",
    country: "United States of America",
    countryCode: "USA",
    continent: "North America",
    continentCode: "NORTH AMERICA",
    language: "en",
    latitude: 39.7392,
    longitude: -104.9903,
  },
];

function sentences(random: () => number, brand: string, count: number): string {
  const parts: string[] = [];
  for (let i = 0; i < count; i++) {
    parts.push(`${brand} ${pick(random, VERBS)} my ${pick(random, NOUNS)} ${pick(random, TAILS)}`);
  }
  return parts.join(". ");
}

/** mulberry32: small, fast, and good enough to vary texts. */
function createRandom(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick<T>(random: () => number, list: readonly T[]): T {
  const chosen = list[Math.floor(random() * list.length)];
  if (chosen === undefined) throw new RangeError("an empty list has nothing to pick");
  return chosen;
}

function hex(random: () => number, length: number): string {
  let text = "";
  while (text.length < length) text += Math.floor(random() * 16).toString(16);
  return text;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

function wireDate(at: number): string {
  return new Date(at).toISOString().replace("Z", "+0000");
}
