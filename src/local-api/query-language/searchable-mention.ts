import type { Searchable } from "./evaluate.ts";
import type { KnownFields } from "./fields/field.ts";
import { searchText } from "./search-text.ts";

/**
 * A mention, prepared for matching. `text` is its full text if that is known, else the snippet; the other fields of the
 * record answer fields such as `site:`.
 */
export function searchableMention(known: KnownFields, text: string | null = null): Searchable {
  return { text: searchText(known.title ?? null, text ?? known.snippet ?? null), known };
}
