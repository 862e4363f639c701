import type { Searchable } from "./evaluate.ts";
import type { KnownFields } from "./fields/field.ts";
import { searchText } from "./search-text.ts";

/**
 * A mention, taken apart for matching. `text` is its full text where that is known, else the snippet stands in;
 * whatever else the record carries answers fields such as `site:`.
 */
export function searchableMention(known: KnownFields, text: string | null = null): Searchable {
  return { text: searchText(known.title ?? null, text ?? known.snippet ?? null), known };
}
