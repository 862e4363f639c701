/**
 * Text that PostgreSQL cannot store, with a NUL or half a surrogate pair, as a JSON string for a second column, whose
 * escapes it can store; null for any other text, which is nearly every text.
 */
export function exactText(text: string | null): string | null {
  return text === null || (!text.includes("\0") && !LONE_SURROGATE.test(text)) ? null : JSON.stringify(text);
}

/** The text as it was found, of what is stored of it. */
export function textAsFound(stored: {
  readonly full_text: string | null;
  readonly exact_text: string | null;
}): string | null {
  return stored.exact_text === null ? stored.full_text : String(JSON.parse(stored.exact_text));
}

const LONE_SURROGATE = /\p{Surrogate}/u;
