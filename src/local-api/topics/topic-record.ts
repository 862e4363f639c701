import type { Topic } from "./read-topics.ts";

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
