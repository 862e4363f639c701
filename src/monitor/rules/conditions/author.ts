import { fitsGlob } from "../../../lib/patterns.ts";
import { foldText } from "../../../lib/text.ts";
import type { Mention } from "../../model/mention.ts";
import { defineCondition } from "../define-condition.ts";
import { differs } from "../miss.ts";
import { listOf, Word } from "../params.ts";

/** `author: ["@reuters", "*news"]`: handle or full name, ignoring case and accents; `*` and `?` are wildcards. */
export const author = defineCondition({
  type: "author",
  params: listOf(Word).describe(
    'Handles or full names of authors, one or a list. Case and accents make no difference; * and ? are wildcards. Example: ["@reuters", "*news"]',
  ),
  compile: (names) => {
    const globs = names.map((name) => ({ name, glob: foldName(name) }));
    const find = (mention: Mention): string | undefined => {
      const own = [mention.author, mention.authorName].filter((name) => name !== null).map(foldName);
      return globs.find(({ glob }) => own.some((name) => fitsGlob(glob, name)))?.name;
    };
    return {
      form: { author: globs.map(({ glob }) => glob).sort() },
      matches: (mention) => find(mention) !== undefined,
      explain: (mention) => `by an author on the list ("${find(mention) ?? ""}")`,
      miss: ({ author, authorName }) => differs("author", "its author", [author, authorName], names),
      label: `by ${names.join(" or ")}`,
      attribute: `by ${names.join(" or ")}`,
    };
  },
});

function foldName(name: string): string {
  return foldText(name).replace(/^@/, "");
}
