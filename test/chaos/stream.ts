import { SECOND } from "../../src/lib/instant.ts";
import { createRandom, type Random } from "../../src/listening-api/simulate/random.ts";

/** A mention that a run publishes. Moments are milliseconds from the start of the stream. */
export interface PlannedMention {
  readonly query: string;
  readonly resourceId: string;
  readonly author: string;
  readonly text: string;
  readonly sentiment: Sentiment;
  readonly at: number;
  /** The API shows it so long after it was added: indexing is asynchronous. */
  readonly indexedAfter: number;
  /** When the source finds that it is negative after all; null: never. */
  readonly turnsAt: number | null;
}

type Sentiment = "neutral" | "positive" | "negative";

export const QUERIES = ["Acme", "Globex", "Initech", "Umbrella"];

/** The longest time from `added` to visible. */
export const LATEST_MS = 3 * SECOND;

/**
 * The mentions: most cause no alert; some are about a recall, at times two by one author; some are negative, from the
 * start or only later. The same for the same seed.
 */
export function createStream(options: {
  readonly seed: number;
  readonly lastsMs: number;
  readonly perSecond: number;
}): PlannedMention[] {
  const random = createRandom("chaos stream", options.seed);
  const count = Math.round((options.lastsMs / SECOND) * options.perSecond);
  const recallers = new Map<string, string>();
  return Array.from({ length: count }, (_, index) => {
    const query = random.pick(QUERIES);
    const topic = random.weighted<Topic>(TOPICS);
    const isKnown = topic === "recall" && random.chance(0.2);
    const author = (isKnown ? recallers.get(query) : undefined) ?? authorName(index);
    if (topic === "recall") recallers.set(query, author);
    const at = Math.floor((index * options.lastsMs) / count);
    return {
      query,
      author,
      at,
      resourceId: `mention-${String(index).padStart(6, "0")}`,
      indexedAfter: random.chance(0.3) ? random.whole(0, LATEST_MS) : 0,
      ...contentOf(topic, index, at, random),
    };
  });
}

type Topic = "plain" | "recall" | "negative" | "turning";

const TOPICS: readonly (readonly [Topic, number])[] = [
  ["plain", 76],
  ["recall", 12],
  ["negative", 6],
  ["turning", 6],
];

/** Is in every message about a mention of this author, and in no other message. */
export const AUTHOR = /author-\d{6}/;

function authorName(index: number): string {
  return `author-${String(index).padStart(6, "0")}`;
}

function contentOf(
  topic: Topic,
  index: number,
  at: number,
  random: Random,
): Pick<PlannedMention, "text" | "sentiment" | "turnsAt"> {
  const text = topic === "recall" ? `They ought to recall number ${index}` : `Nothing much about ${index}`;
  if (topic === "negative") return { text, sentiment: "negative", turnsAt: null };
  if (topic === "turning")
    return { text, sentiment: "positive", turnsAt: at + LATEST_MS + random.whole(500, 5_000) };
  return { text, sentiment: random.pick(["neutral", "positive"]), turnsAt: null };
}
