import { foldText } from "../../lib/text.ts";
import type { Mention } from "../model/mention.ts";
import { differs } from "./miss.ts";
import type { Predicate } from "./predicate.ts";

/**
 * One of the mention's words equals one of the rule's, ignoring case and accents. `noun` names the field: "its
 * language"; `describe` puts the word in a phrase.
 */
export function oneOfWords(
  type: string,
  noun: string,
  words: readonly string[],
  read: (mention: Mention) => readonly (string | null)[],
  describe: (word: string) => string,
  /** The values as people know them, without ids. */
  shown: (mention: Mention) => readonly (string | null)[] = read,
): Predicate {
  const byFolded = new Map(words.map((word) => [foldText(word), word]));
  const find = (mention: Mention): string | undefined => {
    for (const value of read(mention)) {
      const word = value === null ? undefined : byFolded.get(foldText(value));
      if (word !== undefined) return word;
    }
    return undefined;
  };
  const [first = "", ...others] = words.map(describe);
  return {
    form: { [type]: [...byFolded.keys()].sort() },
    matches: (mention) => find(mention) !== undefined,
    explain: (mention) => describe(find(mention) ?? ""),
    miss: (mention) => differs(type, noun, shown(mention), words),
    label: words.map(describe).join(" or "),
    attribute: words.map(describe).join(" or "),
    ...(others.length > 0 && { shortAttribute: `${first} or others` }),
  };
}
