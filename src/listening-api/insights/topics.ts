import type { Instant } from "../../lib/instant.ts";
import { bucketLabel, timeBuckets } from "../charts/time-buckets.ts";
import { SENTIMENTS } from "../filters/content-filters.ts";
import type { Database } from "../store/database.ts";
import type { MentionRange } from "../store/mention-range.ts";
import { type TopicText, topicTexts } from "../store/topic-texts.ts";
import {
  type ChosenTopic,
  chooseTopics,
  type TopicCounts,
  type TopicKind,
  topicsOf,
} from "./count-topics.ts";

/** What mentions say of a topic. */
interface Topic {
  readonly key: string;
  /** As most of the first mentions write it. */
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
}

/** Topics are found in the latest so many mentions, and counted in the latest so many. */
const FOUND_IN = 5_000;
const COUNTED_IN = 50_000;
const AT_A_TIME = 1_000;
const MAX_DAYS = 400;

/** The topics of a range: what its texts speak of more than those of the project's other queries do. */
export async function readTopics(db: Database, request: TopicsRequest): Promise<readonly Topic[]> {
  const { range, otherQueryIds, at, kinds, limit, orderBy } = request;
  const spelling = new Map<string, string>();
  const here = await countTopics(db, { range, at }, kinds, spelling);
  const others = { ...range, queryIds: otherQueryIds, conditions: [] };
  const elsewhere = await countTopics(db, { range: others, at }, kinds);
  // Order by burst is known only once they are counted: so more are chosen than are shown.
  const chosen = chooseTopics(here, elsewhere, orderBy === "burst" ? limit * 2 : limit);
  const topics = await describeTopics(db, request, chosen, spelling);
  return [...topics].sort((a, b) => b[orderBy] - a[orderBy] || b.volume - a.volume).slice(0, limit);
}

async function countTopics(
  db: Database,
  which: { range: MentionRange; at: Instant },
  kinds: readonly TopicKind[],
  spelling?: Map<string, string>,
): Promise<TopicCounts> {
  const counts = new Map<string, number>();
  let texts = 0;
  for await (const some of topicTexts(db, { ...which, most: FOUND_IN, atATime: AT_A_TIME })) {
    texts += some.length;
    for (const mention of some) {
      for (const [key, label] of topicsOf(mention, kinds)) {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (spelling !== undefined && !spelling.has(key)) spelling.set(key, label);
      }
    }
  }
  return { texts, counts };
}

type Tally = Record<"sentiment" | "pageType" | "gender", Record<string, number>> & {
  volume: number;
  late: number;
  readonly days: number[];
  readonly queries: Map<number, number>;
};

async function describeTopics(
  db: Database,
  { range, at, kinds, zone }: TopicsRequest,
  chosen: readonly ChosenTopic[],
  spelling: ReadonlyMap<string, string>,
): Promise<readonly Topic[]> {
  const days = timeBuckets("days", range, zone, MAX_DAYS) ?? [];
  const tallies = new Map(chosen.map(({ key }) => [key, emptyTally(days.length)]));
  const lateFrom = range.to - (range.to - range.from) / 4;
  let looked = 0;
  for await (const some of topicTexts(db, { range, at, most: COUNTED_IN, atATime: AT_A_TIME })) {
    looked += some.length;
    for (const mention of some)
      for (const key of topicsOf(mention, kinds).keys()) {
        const tally = tallies.get(key);
        if (tally !== undefined) note(tally, mention, { days, lateFrom });
      }
  }
  return chosen.map(({ key }) => {
    const tally = tallies.get(key) ?? emptyTally(0);
    const { volume, late, days: byDay, ...rest } = tally;
    return {
      ...rest,
      key,
      label: spelling.get(key) ?? key,
      kind: key.startsWith("#") ? "hashtags" : key.includes(" ") ? "phrases" : "words",
      volume,
      percentageVolume: looked === 0 ? 0 : Math.round((volume / looked) * 10_000) / 100,
      sentimentScore: scoreOf(tally),
      burst: volume === 0 ? 0 : Math.round((late / volume) * 100),
      days: days.map((start, index) => ({ date: bucketLabel(start, zone).id, volume: byDay[index] ?? 0 })),
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
  { date, queryId, ...mention }: TopicText,
  { days, lateFrom }: { days: readonly Instant[]; lateFrom: Instant },
): void {
  tally.volume++;
  if (date >= lateFrom) tally.late++;
  for (const field of ["sentiment", "pageType", "gender"] as const) {
    const value = mention[field];
    if (value !== null) tally[field][value] = (tally[field][value] ?? 0) + 1;
  }
  const day = days.findLastIndex((start) => start <= date);
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
