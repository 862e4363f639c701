/**
 * The first `limit` characters as a reader counts them, with an ellipsis if something is cut. It never splits an emoji
 * with skin tone, a flag or a letter with accents. One "character" may have hundreds of combining marks, so the result
 * is also never longer than `8 × limit` UTF-16 units.
 */
export function shortenText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = limit * MAX_UNITS_PER_CHARACTER;
  // Enough to find `limit` characters, and little enough that a text of a megabyte costs nothing.
  const head = text.slice(0, room + MAX_UNITS_PER_CHARACTER);
  const kept: string[] = [];
  let units = 0;
  for (const { segment } of SEGMENTER.segment(head)) {
    if (kept.length === limit || units + segment.length > room) {
      return `${kept
        .slice(0, limit - 1)
        .join("")
        .trimEnd()}…`;
    }
    kept.push(segment);
    units += segment.length;
  }
  return head.length === text.length
    ? text
    : `${kept
        .slice(0, limit - 1)
        .join("")
        .trimEnd()}…`;
}

const MAX_UNITS_PER_CHARACTER = 8;
const SEGMENTER = new Intl.Segmenter("en", { granularity: "grapheme" });
