import { foldText } from "../lib/fold-text.ts";
import { stableHash } from "../lib/stable-hash.ts";
import type { Mention } from "../model/mention.ts";

/**
 * What a mention repeats: the original of a repost, else its text without addresses, names it speaks to and repost
 * marks, so that copies of one text are one story. A mention without either is its own story.
 */
export function storyOf(mention: Mention): string {
  if (mention.repostOf !== null) return stableHash({ repostOf: mention.repostOf });
  const words = foldText(mention.text ?? mention.title ?? "")
    .replaceAll(/https?:\/\/\S+/g, " ")
    .replaceAll(/(?<![\p{L}\p{N}])@[\p{L}\p{N}_]+:?/gu, " ")
    .replace(/^\s*rt\b/, " ")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return words.length < 20 ? stableHash({ mention: mention.resourceId }) : stableHash({ words });
}
