import { defineCondition } from "../define-condition.ts";
import { listOf, Word } from "../params.ts";
import { oneOfWords } from "../word-predicate.ts";

/** `category: Safety`: a category or its parent, by name or id. A parent includes all of its subcategories. */
export const category = defineCondition({
  type: "category",
  params: listOf(Word).describe(
    "Categories of the source, by name or id, one or a list. A parent category includes its subcategories. Example: Safety",
  ),
  compile: (words) =>
    oneOfWords(
      "category",
      "its category",
      words,
      (mention) =>
        mention.categories.flatMap(({ id, name, parentId, parentName }) => [name, id, parentName, parentId]),
      (word) => `in category "${word}"`,
      (mention) => mention.categories.map(({ id, name }) => name ?? id),
    ),
});
