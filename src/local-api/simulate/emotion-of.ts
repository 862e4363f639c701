import type { Post } from "./post.ts";
import { createRandom } from "./random.ts";
import type { Sentiment } from "./topics.ts";

/** What the feeling of a post was judged to be, as the record shows classifications; for many posts nothing. */
export function emotionOf(seed: string, post: Post, sentiment: Sentiment) {
  const random = createRandom(seed, "emotion", post.key);
  if (sentiment === "neutral" || random.chance(0.4)) return [];
  const emotion = random.pick(sentiment === "positive" ? GLAD : UPSET);
  const confidence = Math.round((0.55 + random.next() * 0.44) * 100) / 100;
  return [{ classifierId: "emotions", labelId: emotion, name: emotion, confidence }];
}

const GLAD = ["Joy", "Joy", "Joy", "Surprise"];
const UPSET = ["Anger", "Anger", "Anger", "Disgust", "Fear", "Sadness", "Sadness"];
