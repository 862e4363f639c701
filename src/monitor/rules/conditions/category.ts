import type { Mention } from "../../model/mention.ts";
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
      namesOf,
      (word) => `in category "${word}"`,
      (mention) => mention.categories.map(({ id, name }) => name ?? id),
    ),
});

/** A loop, not a chain: this runs for every mention. */
function namesOf({ categories }: Mention): readonly (string | null)[] {
  const names: (string | null)[] = [];
  for (const { id, name, parentId, parentName } of categories) names.push(name, id, parentName, parentId);
  return names;
}
