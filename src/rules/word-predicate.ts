import { foldText } from "../lib/text.ts";
import type { Mention } from "../model/mention.ts";
import type { Predicate } from "./predicate.ts";

/** One of the mention's words equals one of the rule's, ignoring case and accents. `describe` puts the word in a phrase. */
export function oneOfWords(
  type: string,
  words: readonly string[],
  read: (mention: Mention) => readonly (string | null)[],
  describe: (word: string) => string,
): Predicate {
  const byFolded = new Map(words.map((word) => [foldText(word), word]));
  const find = (mention: Mention): string | undefined => {
    for (const value of read(mention)) {
      const word = value === null ? undefined : byFolded.get(foldText(value));
      if (word !== undefined) return word;
    }
    return undefined;
  };
  return {
    form: { [type]: [...byFolded.keys()].sort() },
    matches: (mention) => find(mention) !== undefined,
    explain: (mention) => describe(find(mention) ?? ""),
    label: words.map(describe).join(" or "),
    attribute: words.map(describe).join(" or "),
  };
}
