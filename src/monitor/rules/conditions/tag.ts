import { defineCondition } from "../define-condition.ts";
import { listOf, Word } from "../params.ts";
import { oneOfWords } from "../word-predicate.ts";

/** `tag: [vip, "press office"]`: a tag that people put on the mention at the source. */
export const tag = defineCondition({
  type: "tag",
  params: listOf(Word).describe(
    "Tags that people set on the mention at the source, one or a list. Example: vip",
  ),
  compile: (words) =>
    oneOfWords(
      "tag",
      "its tag",
      words,
      (mention) => mention.tags,
      (word) => `tagged "${word}"`,
    ),
});
