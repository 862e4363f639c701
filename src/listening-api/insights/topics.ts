import { setImmediate } from "node:timers/promises";
import type { Instant } from "../../lib/instant.ts";
import { bucketLabel, timeBuckets } from "../charts/time-buckets.ts";
import { SENTIMENTS } from "../filters/content-filters.ts";
import type { Database } from "../store/database.ts";
import type { MentionRange } from "../store/mention-range.ts";
import type { MentionTotals } from "../store/mention-totals.ts";
import { type TopicText, topicTexts } from "../store/topic-texts.ts";
import {
  type ChosenTopic,
  chooseTopics,
  MAX_CHARACTERS,
  type TopicCounts,
  type TopicKind,
  topicsOf,
} from "./count-topics.ts";

/** What mentions say of a topic. */
interface Topic {
  readonly key: string;
  /** As the latest mention writes it. */
  readonly label: string;
  readonly kind: TopicKind;
  readonly volume: number;
  /** Share of the mentions that were looked at, in percent. */
  readonly percentageVolume: number;
  readonly sentiment: Readonly<Record<string, number>>;
  /** From 0, all negative, over 100 to 200, all positive. */
  readonly sentimentScore: number;
  /** From 0 to 100: what part of its mentions fell into the last quarter of the range. */
  readonly burst: number;
  readonly days: readonly { readonly date: string; readonly volume: number }[];
  readonly pageType: Readonly<Record<string, number>>;
  readonly gender: Readonly<Record<string, number>>;
  readonly queries: ReadonlyMap<number, number>;
}

interface TopicsRequest {
  readonly range: MentionRange;
  /** Other queries of the project, against whose texts a topic is unusual. */
  readonly otherQueryIds: readonly number[];
  readonly at: Instant;
  readonly zone: string;
  readonly kinds: readonly TopicKind[];
  readonly limit: number;
  readonly orderBy: "volume" | "burst";
  /** Of those that are chosen: these are always the most unusual ones. */
  readonly direction: "asc" | "desc";
}

/** Up to so many mentions are counted, one by one. Of more, a random part of about so many. */
const COUNTED = 6_000;
/** Of the other queries, which only say what is usual. */
const COMPARED = 3_000;
/** Texts that are read before the server handles other requests. */
const AT_A_TIME = 100;
const MAX_DAYS = 400;

export interface Topics {
  readonly topics: readonly Topic[];
  /** Of how many mentions the topics are, and how many of them were counted. */
  readonly mentions: number;
  readonly counted: number;
}

interface TopicSources {
  readonly db: Database;
  readonly totals: MentionTotals;
}

/** The topics of a range: what its texts speak of more than those of the project's other queries do. */
export async function readTopics(sources: TopicSources, request: TopicsRequest): Promise<Topics> {
  const { range, otherQueryIds, at, kinds, limit, orderBy, direction } = request;
  const sign = direction === "asc" ? -1 : 1;
  const here = await readTexts(sources, { range, at, kinds }, COUNTED);
  const others = { ...range, queryIds: otherQueryIds, conditions: [] };
  const elsewhere = await readTexts(sources, { range: others, at, kinds }, COMPARED);
  // Order by burst is known only once they are counted: so more are chosen than are shown.
  const chosen = chooseTopics(here, elsewhere, orderBy === "burst" ? limit * 2 : limit);
  const topics = describeTopics(request, here, chosen);
  return {
    topics: topics.sort((a, b) => sign * (b[orderBy] - a[orderBy] || b.volume - a.volume)).slice(0, limit),
    mentions: here.mentions,
    counted: here.texts,
  };
}

/**
 * How far a share of the mentions may be off, in percent of them, 19 times out of 20: what a random part says of half
 * of the mentions. A rarer topic is known better.
 */
export function marginPercent({ mentions, counted }: Omit<Topics, "topics">): number {
  if (counted === 0 || counted >= mentions) return 0;
  return 98 * Math.sqrt((1 - counted / mentions) / counted);
}

interface ReadTexts extends TopicCounts {
  readonly mentions: number;
  readonly found: readonly { readonly mention: TopicText; readonly topics: readonly string[] }[];
  readonly spelling: ReadonlyMap<string, string>;
}

async function readTexts(
  { db, totals }: TopicSources,
  { range, at, kinds }: Pick<TopicsRequest, "range" | "at" | "kinds">,
  most: number,
): Promise<ReadTexts> {
  const mentions = range.queryIds.length === 0 ? 0 : (await totals.read(range, at)).count;
  const share = Math.min(1, most / Math.max(1, mentions));
  const texts = await topicTexts(db, { range, at, share, longest: MAX_CHARACTERS });
  const counts = new Map<string, number>();
  const spelling = new Map<string, string>();
  const found: { mention: TopicText; topics: readonly string[] }[] = [];
  for (const [index, mention] of texts.entries()) {
    const topics = topicsOf(mention, kinds);
    for (const [key, label] of topics) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (!spelling.has(key)) spelling.set(key, label);
    }
    found.push({ mention, topics: [...topics.keys()] });
    if (index % AT_A_TIME === AT_A_TIME - 1) await setImmediate();
  }
  return { mentions, texts: texts.length, counts, spelling, found };
}

type Tally = Record<"sentiment" | "pageType" | "gender", Record<string, number>> & {
  volume: number;
  late: number;
  readonly days: number[];
  readonly queries: Map<number, number>;
};

function describeTopics(
  { range, zone }: TopicsRequest,
  { found, texts, mentions, spelling }: ReadTexts,
  chosen: readonly ChosenTopic[],
): Topic[] {
  const days = timeBuckets("days", range, zone, MAX_DAYS) ?? [];
  const tallies = new Map(chosen.map(({ key }) => [key, emptyTally(days.length)]));
  const lateFrom = range.to - (range.to - range.from) / 4;
  for (const { mention, topics } of found) {
    const noted = topics.flatMap((key) => tallies.get(key) ?? []);
    if (noted.length === 0) continue;
    const day = days.findLastIndex((start) => start <= mention.date);
    for (const tally of noted) note(tally, mention, { day, isLate: mention.date >= lateFrom });
  }
  const dates = days.map((start) => bucketLabel(start, zone).id);
  // Each mention that was counted stands for so many.
  const weight = texts === 0 ? 1 : mentions / texts;
  const all = (counted: number) => Math.round(counted * weight);
  const allOf = (counts: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, all(count)]));
  return chosen.map(({ key }) => {
    const tally = tallies.get(key) ?? emptyTally(0);
    const { volume, late, days: byDay } = tally;
    return {
      key,
      label: spelling.get(key) ?? key,
      kind: key.startsWith("#") ? "hashtags" : key.includes(" ") ? "phrases" : "words",
      volume: all(volume),
      percentageVolume: texts === 0 ? 0 : Math.round((volume / texts) * 10_000) / 100,
      sentiment: allOf(tally.sentiment),
      pageType: allOf(tally.pageType),
      gender: allOf(tally.gender),
      queries: new Map([...tally.queries].map(([id, count]) => [id, all(count)])),
      sentimentScore: scoreOf(tally),
      burst: volume === 0 ? 0 : Math.round((late / volume) * 100),
      days: dates.map((date, index) => ({ date, volume: all(byDay[index] ?? 0) })),
    };
  });
}

function emptyTally(days: number): Tally {
  const sentiment = Object.fromEntries(SENTIMENTS.map((name) => [name, 0]));
  return {
    volume: 0,
    late: 0,
    sentiment,
    pageType: {},
    gender: {},
    days: Array.from({ length: days }, () => 0),
    queries: new Map(),
  };
}

function note(
  tally: Tally,
  { queryId, ...mention }: TopicText,
  { day, isLate }: { day: number; isLate: boolean },
): void {
  tally.volume++;
  if (isLate) tally.late++;
  for (const field of ["sentiment", "pageType", "gender"] as const) {
    const value = mention[field];
    if (value !== null) tally[field][value] = (tally[field][value] ?? 0) + 1;
  }
  if (day >= 0) tally.days[day] = (tally.days[day] ?? 0) + 1;
  tally.queries.set(queryId, (tally.queries.get(queryId) ?? 0) + 1);
}

/** Mentions without a sentiment count as neutral. */
function scoreOf({ volume, sentiment }: Tally): number {
  const [positive, negative] = [sentiment["positive"] ?? 0, sentiment["negative"] ?? 0];
  return volume === 0 ? 100 : Math.round(100 + ((positive - negative) / volume) * 100);
}

/**
 * A topic as the first of the two calls shows it, in the documented shape. Chosen: `sentimentScore` runs from 0 to
 * 200, `burst` from 0 to 100.
 */
export function topicRecord(topic: Topic, names: ReadonlyMap<number, string>) {
  const { key, label, kind, volume, sentiment, sentimentScore, burst, days, pageType, gender, queries } =
    topic;
  return {
    id: key,
    label,
    volume,
    type: kind === "hashtags" ? "hashtag" : "topic",
    sentiment,
    sentimentScore,
    burst,
    days,
    pageType,
    gender,
    queries: [...queries].map(([id, count]) => ({ id, name: names.get(id) ?? String(id), volume: count })),
  };
}

/** A topic as the newer call shows it. Documented: the names of its metrics; chosen: the shape around them. */
export function newTopicRecord({ label, kind, volume, percentageVolume, sentiment, burst, gender }: Topic) {
  const net = volume === 0 ? 0 : ((sentiment["positive"] ?? 0) - (sentiment["negative"] ?? 0)) / volume;
  return {
    label,
    type: kind,
    volume,
    percentageVolume,
    sentiment,
    netSentiment: Math.round(net * 10_000) / 100,
    trending: burst,
    gender,
  };
}
