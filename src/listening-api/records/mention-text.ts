/** How long a snippet is at most, in UTF-16 code units; what is longer is in the full text. */
export const SNIPPET_CHARACTERS = 1_000;

/** The beginning of a text, at most so many UTF-16 code units (null: all of it); no character is cut in two. */
export function excerptOf(text: string | null, characters: number | null): string | null {
  if (text === null || characters === null || text.length <= characters) return text;
  const isInsidePair =
    /[\uD800-\uDBFF]/.test(text.charAt(characters - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(characters));
  return text.slice(0, isInsidePair ? characters - 1 : characters);
}

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

/** `RT @someone: text` → who is repeated, in lower case, and the text with its spaces evened; else null. */
export function repostedText(text: string): { author: string; text: string } | null {
  const [, author, repeated] = /^\s*RT @(\w{1,30}):?\s+([\s\S]+)$/.exec(text) ?? [];
  if (author === undefined || repeated === undefined) return null;
  return { author: author.toLowerCase(), text: repeated.replaceAll(/\s+/g, " ").trim() };
}

/** Title and text, as analysers read them; the answers are stored under its hash. */
export function textForAnalyser(mention: {
  readonly fields: object;
  readonly fullText: string | null;
}): string {
  const { title, snippet } = mention.fields as { title?: unknown; snippet?: unknown };
  const text = mention.fullText ?? snippet;
  const parts = [title, text].filter(
    (part): part is string => typeof part === "string" && part.trim() !== "",
  );
  const [first, second] = parts;
  // Posts without a title of their own are often given their beginning as one.
  if (first !== undefined && second?.startsWith(first)) return second.trim();
  return parts.join("\n").trim();
}
