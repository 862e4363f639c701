import { defineCondition } from "../define-condition.ts";
import { listOf, Word } from "../params.ts";
import { oneOfWords } from "../word-predicate.ts";

/** `country: [DEU, Austria]`: three letters of ISO 3166-1 or the name that the source uses. */
export const country = defineCondition({
  type: "country",
  params: listOf(Word).describe(
    "Countries: three letters of ISO 3166-1, or the name that the source uses, one or a list. Example: [DEU, Austria]",
  ),
  compile: (words) =>
    oneOfWords(
      "country",
      "its country",
      words,
      (mention) => [mention.countryCode, mention.country],
      (word) => `from ${word}`,
      (mention) => [mention.country ?? mention.countryCode],
    ),
});
