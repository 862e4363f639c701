import type { KnownFields } from "./fields/field.ts";
import { type SearchText, searchText } from "./search-text.ts";

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
