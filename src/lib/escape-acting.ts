/** JSON that a terminal shows and does not obey. It stays the same JSON: active characters are escaped. */
export function escapeActing(json: string): string {
  return json.replaceAll(
    ACTING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// JSON escapes C0 itself; DEL, C1, line separators and direction marks are escaped here.
const ACTING = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
