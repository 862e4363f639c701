import { z } from "zod";
import { defineCondition } from "../define-condition.ts";
import { listOf } from "../params.ts";
import { oneOfWords } from "../word-predicate.ts";

/** `sentiment: negative`, or a list. */
export const sentiment = defineCondition({
  type: "sentiment",
  params: listOf(z.enum(["positive", "neutral", "negative"])).describe(
    "The mood of the mention, one or a list.",
  ),
  compile: (words) => ({
    ...oneOfWords(
      "sentiment",
      "its sentiment",
      words,
      (mention) => [mention.sentiment],
      (word) => word,
    ),
    adjective: words.join(" or "),
    ...(words.length === 1 && words[0] !== undefined && { sentiment: words[0] }),
  }),
});
