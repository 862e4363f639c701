import { escapeXml } from "./escape-xml.ts";
import type { Theme } from "./palette.ts";

/**
 * Any text as the content of an XML element of a drawing. A page has letters for every writing; pictures are made with
 * the fonts in node_modules, and what those lack is an ellipsis there instead of a row of empty boxes.
 */
export function drawableText(text: string, theme: Theme): string {
  return escapeXml(theme === "page" ? text : text.replace(WITHOUT_LETTERS, "…"));
}

/** Writings, full-width signs and pictograms that the DejaVu fonts do not have. */
const WITHOUT_LETTERS =
  /(?:[\u2e80-\ufaff\ufe30-\ufe4f\uff00-\uffef\u{1f000}-\u{1f5ff}\u{1f650}-\u{1fbff}]|[\ufe00-\ufe0f]|[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Georgian}\p{Script=Common}\p{Script=Inherited}]|(?<=\p{Extended_Pictographic})\u200d)+/gu;
