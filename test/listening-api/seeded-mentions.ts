import { DAY, HOUR, type Instant, MINUTE } from "../../src/lib/instant.ts";
import type { StoredCategory } from "../../src/listening-api/records/labels.ts";
import type { MentionFields } from "../../src/listening-api/records/mention-record.ts";
import type { MentionVersion } from "../../src/listening-api/store/mention-version.ts";
import { mentionVersion, resourceId } from "./fixture.ts";

export interface Seeding {
  readonly queryIds: readonly number[];
  readonly categories: readonly StoredCategory[];
  readonly tagIds: readonly number[];
  readonly from: Instant;
  readonly days: number;
  readonly count: number;
}

/**
 * Mentions of all kinds: silent about anything, with several categories and tags, superseded, late, around the hours
 * in which the clocks of Europe change. Deterministic.
 */
export function seededMentions(seeding: Seeding): MentionVersion[] {
  const random = createRandom(7);
  return Array.from({ length: seeding.count }, (_, index) => versionsOf(index, seeding, random)).flat();
}

function versionsOf(index: number, seeding: Seeding, random: () => number): MentionVersion[] {
  const { queryIds, from, days, tagIds } = seeding;
  const added = from + Math.floor(random() * days * DAY);
  const queryId = pick(random, queryIds);
  const times = { added, visibleAt: added + (random() < 0.1 ? 400 * DAY : 0) };
  const one = {
    ...mentionVersion({ ...fieldsOf(index, seeding, random), queryId }, times),
    tagIds: tagIds.filter(() => random() < 0.3),
    twitterLikeCount: random() < 0.5 ? Math.floor(random() * 50) : null,
  };
  if (random() > 0.2) return [one];
  const changedAt = added + HOUR;
  const changed = mentionVersion(
    { ...fieldsOf(index, seeding, random), queryId },
    { added, version: 2, updated: changedAt, visibleAt: changedAt },
  );
  return [{ ...one, visibleAt: added, supersededAt: changedAt }, changed];
}

function fieldsOf(index: number, { categories }: Seeding, random: () => number) {
  const maybe = <Value>(values: readonly Value[]) => (random() < 0.8 ? pick(random, values) : null);
  const some = <Value>(values: readonly Value[]) => values.filter(() => random() < 0.3);
  const amount = () => (random() < 0.7 ? Math.floor(random() * 1_000) : null);
  const details = categories.flatMap((parent) =>
    some(parent.children).map((child) => ({
      id: String(child.id),
      name: child.name,
      parentId: String(parent.id),
      parentName: parent.name,
    })),
  );
  const place = maybe(PLACES);
  return {
    resourceId: resourceId(index + 1),
    sentiment: maybe(["positive", "neutral", "negative"]),
    pageType: maybe(["twitter", "news", "forum"]),
    language: maybe(["en", "de", "fr"]),
    author: maybe(["ann", "Ann", "bob, jr.", "cleo", "日本", ""]),
    domain: maybe(["twitter.com", "example.org"]),
    gender: maybe(["female", "male", "unknown"]),
    accountType: maybe(["individual", "organisational"]),
    priority: maybe(["high", "low"]),
    status: maybe(["open", "closed"]),
    assignment: maybe(["ann@acme.example", "bob@acme.example"]),
    checked: random() < 0.3,
    interest: some(["Sports", "Family & Parenting", "Food, Drink"]),
    professions: some(["Journalist", "Teacher"]).map((profession) => ({ profession, jobTitle: "x" })),
    categories: details.map((detail) => Number(detail.id)),
    categoryDetails: details,
    impressions: amount(),
    reachEstimate: amount(),
    monthlyVisitors: random() < 0.3 ? 3_000_000_000 + index : null,
    impact: amount(),
    twitterFollowers: amount(),
    twitterRetweets: amount(),
    twitterReplyCount: amount(),
    facebookLikes: amount(),
    instagramCommentCount: amount(),
    linkedinShares: amount(),
    snippet: pick(random, TEXTS),
    insightsHashtag: some(["#One", "#one", "#ÉTÉ", "#été", "#two"]),
    insightsMentioned: some(["@Ann", "@ann", "@bob"]),
    retweetOf: random() < 0.2 ? "urn:post:1" : null,
    threadEntryType: maybe(["post", "share", "reply"]),
    ...(place ?? {}),
  } satisfies Partial<MentionFields>;
}

const PLACES = [
  {
    continent: "Europe",
    continentCode: "EUROPE",
    country: "Germany",
    countryCode: "DEU",
    region: "Berlin",
    regionCode: "deu.berlin",
    city: "Berlin",
    cityCode: "deu.berlin.berlin",
  },
  {
    continent: "Europe",
    continentCode: "EUROPE",
    country: "United Kingdom",
    countryCode: "GBR",
    region: "London",
    regionCode: "gbr.london",
    city: "London",
    cityCode: "gbr.london.london",
  },
  { continent: "Asia", continentCode: "ASIA", country: "India", countryCode: "IND" },
];

const TEXTS = [
  "plain",
  "so good 😊 :-) :-)",
  "read https://example.org/a and https://www.example.net/b?x=1.",
  "again https://example.org/a 😊 👏🏽",
  "oh no :(",
];

/** mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick<Value>(random: () => number, values: readonly Value[]): Value {
  const chosen = values[Math.floor(random() * values.length)];
  if (chosen === undefined) throw new RangeError("nothing to pick from");
  return chosen;
}

/** A mention every ten minutes of the night in which the clocks of Berlin change, all alike. */
export function nightMentions(queryId: number, from: Instant, hours: number): MentionVersion[] {
  return Array.from({ length: hours * 6 }, (_, index) =>
    mentionVersion(
      { queryId, resourceId: resourceId(100_000 + index) },
      { added: from + index * 10 * MINUTE },
    ),
  );
}
