/** How many cells of a terminal a text takes: two for East Asian wide characters and emoji, none for marks. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += segmentWidth(segment);
  return width;
}

/** The text, cut so that it takes at most `width` cells; an ellipsis says that something is missing. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let taken = "";
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += segmentWidth(segment);
    if (used > width - 1) break;
    taken += segment;
  }
  return `${taken.trimEnd()}…`;
}

const segmenter = new Intl.Segmenter();
const PLAIN = /^[ -~]*$/;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;

function segmentWidth(segment: string): number {
  if (NO_WIDTH.test(segment)) return 0;
  return WIDE.test(segment) ? 2 : 1;
}
