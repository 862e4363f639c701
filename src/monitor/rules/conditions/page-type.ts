import { closestWord } from "../../../lib/closest-word.ts";
import { defineCondition } from "../define-condition.ts";
import { listOf, Word } from "../params.ts";
import { oneOfWords } from "../word-predicate.ts";

/** The known values. The source may add new ones, so only a likely typing error is refused. */
const KNOWN = [
  "blog",
  "bluesky",
  "facebook",
  "forum",
  "four_chan",
  "general",
  "image",
  "instagram",
  "lexis_nexis_licensed_news",
  "linkedin",
  "news",
  "qq",
  "reddit",
  "review",
  "sina_weibo",
  "tiktok",
  "tumblr",
  "twitter",
  "video",
  "vk",
  "youtube",
];

const PageType = Word.superRefine((word, context) => {
  const near = closestWord(word, KNOWN);
  if (KNOWN.includes(word.toLowerCase()) || near === undefined) return;
  context.addIssue({ code: "custom", message: `unknown page type "${word}"`, params: { suggestion: near } });
}).meta({ anyOf: [{ enum: KNOWN }, {}] });

/** `pageType: [news, blog]`. */
export const pageType = defineCondition({
  type: "pageType",
  params: listOf(PageType).describe("Kinds of sites or networks, one or a list. Example: [news, blog]"),
  compile: (words) =>
    oneOfWords(
      "pageType",
      "its page type",
      words,
      (mention) => [mention.pageType],
      (word) => `on ${word}`,
    ),
});
