/** The beginning of a text, at most so many UTF-16 code units (null: all of it); no character is cut in two. */
export function excerptOf(text: string | null, characters: number | null): string | null {
  if (text === null || characters === null || text.length <= characters) return text;
  const isInsidePair =
    /[\uD800-\uDBFF]/.test(text.charAt(characters - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(characters));
  return text.slice(0, isInsidePair ? characters - 1 : characters);
}
