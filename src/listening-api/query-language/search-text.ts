import type { KnownFields } from "./fields/define-field.ts";
import { splitWords, type Word } from "./split-words.ts";

/** Title and text of a mention, split once for any number of queries. Words of the title come first. */
export interface SearchText {
  readonly title: string;
  readonly text: string;
  readonly words: readonly Word[];
  /** Index of the first word of the text. */
  readonly textFrom: number;
  /** Indexes of each folded word, ascending. */
  readonly byWord: ReadonlyMap<string, readonly number[]>;
  /** Indexes of the words that fit a glob; filled as queries ask. */
  readonly byGlob: Map<string, readonly number[]>;
}

/** Further than any distance that can be asked for: nothing in the title is near anything in the text. */
const TITLE_TO_TEXT = 2_000_000_000;

function searchText(title: string | null, text: string | null): SearchText {
  const titleWords = splitWords(title ?? "");
  const textWords = splitWords(text ?? "");
  const words =
    titleWords.length === 0
      ? textWords
      : [...titleWords, ...textWords.map((word) => ({ ...word, place: word.place + TITLE_TO_TEXT }))];
  const byWord = new Map<string, number[]>();
  for (let i = 0; i < words.length; i++) {
    const folded = words[i]?.folded ?? "";
    const indexes = byWord.get(folded);
    if (indexes === undefined) byWord.set(folded, [i]);
    else indexes.push(i);
  }
  return {
    title: title ?? "",
    text: text ?? "",
    words,
    textFrom: titleWords.length,
    byWord,
    byGlob: new Map(),
  };
}

/** A mention as queries see it. Made once, matched against any number of them: see `searchableMention`. */
export interface Searchable {
  readonly text: SearchText;
  readonly known: KnownFields;
}

/**
 * A mention, prepared for matching. `text` is its full text if that is known, else the snippet; the other fields of the
 * record answer fields such as `site:`.
 */
export function searchableMention(known: KnownFields, text: string | null = null): Searchable {
  return { text: searchText(known.title ?? null, text ?? known.snippet ?? null), known };
}
