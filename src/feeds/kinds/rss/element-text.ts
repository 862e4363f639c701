import { isUtf8 } from "node:buffer";
import { decodeEntities } from "../../common/entities.ts";
import { textOfHtml } from "../../common/text-of-html.ts";
import type { XmlElement } from "./walk-xml.ts";

/** What a field says: text, or HTML that is to become text. */
export type Content = { readonly text: string } | { readonly html: string };

/**
 * What stands in an element: escaped, in CDATA, as elements of its own (XHTML), or in base64, as its `type` and `mode` say.
 * Null where it has nothing that people read.
 */
export function contentOf(element: XmlElement, byDefault: "html" | "sniff" | "text"): Content | null {
  const type = element.attributes.get("type")?.trim().toLowerCase().replace(/;.*$/, "") ?? "";
  if (isPacked(element, type)) return unpacked(element.raw, type);
  const { text, isMarkup } = unwrapped(element.raw, type === "xhtml");
  if (text.trim() === "") return null;
  if (isMarkup) return { html: text };
  if (type === "text" || type === "text/plain" || (type === "" && byDefault === "text")) return { text };
  return type === "" && byDefault === "sniff" && !HTML.test(text) ? { text } : { html: text };
}

/** The same in one line, for names, dates and addresses. */
export function lineOf(element: XmlElement | undefined): string | undefined {
  if (element === undefined) return undefined;
  const { text, isMarkup } = unwrapped(element.raw, false);
  const line = (isMarkup ? textOfHtml(text) : text).trim();
  return line === "" ? undefined : line;
}

/** Titles are HTML in some feeds and text in others; without tags and entities both are the same. */
export function titleOf(title: string): string {
  if (!/<[a-z/!]|&(?:#\d|#x|[a-z]+;)/i.test(title)) return title;
  // `vector<int>` has no tag of HTML.
  return textOfHtml(title.replaceAll(NO_TAG, "&lt;"));
}

const TAGS =
  "a|abbr|acronym|address|article|b|bdi|bdo|big|blink|blockquote|body|br|center|cite|code|dd|del|details|dfn|div|dl|dt|em|" +
  "embed|figcaption|figure|font|footer|h[1-6]|head|header|hr|html|i|iframe|img|ins|kbd|li|main|mark|nobr|noscript|" +
  "object|ol|p|pre|q|s|samp|script|section|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|" +
  "template|th|time|tr|tt|u|ul|var|video|wbr";
const NO_TAG = new RegExp(`<(?!/?(?:[a-z]+:)?(?:${TAGS})(?:[\\s/>]|$)|!--)`, "gi");
/** Something that only HTML has. */
const HTML = new RegExp(`<(?:/?(?:${TAGS})(?:\\s[^<>]*)?/?>|!--)|&(?:#x?[\\da-f]+|[a-z][a-z\\d]+);`, "i");

const CDATA = /<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g;

/** Without the escaping of XML. `isMarkup`: it has elements, and is escaped once as HTML still. */
function unwrapped(raw: string, isXhtml: boolean): { readonly text: string; readonly isMarkup: boolean } {
  if (!raw.includes("<")) return { text: decodeEntities(raw), isMarkup: false };
  const pieces = raw.split(CDATA);
  const isMarkup = pieces.some((piece, index) => index % 2 === 0 && /<[a-z/!?]/i.test(piece));
  const text = pieces.map((piece, index) => {
    if (index % 2 === 0) return isMarkup ? piece : decodeEntities(piece);
    return isMarkup && isXhtml ? piece.replaceAll("&", "&amp;").replaceAll("<", "&lt;") : piece;
  });
  return { text: text.join(""), isMarkup };
}

/** Atom: in base64 if it says so, and all that is neither text nor XML. */
function isPacked({ attributes }: XmlElement, type: string): boolean {
  const mode = attributes.get("mode")?.toLowerCase() ?? attributes.get("encoding")?.toLowerCase();
  if (mode !== undefined) return mode === "base64";
  return type.includes("/") && !/^(?:text|message)\/|[/+]xml$|html$/.test(type);
}

function unpacked(raw: string, type: string): Content | null {
  const { text } = unwrapped(raw, false);
  if (!/^[\w+/=\s-]*$/.test(text)) return null;
  const bytes = Buffer.from(text, "base64");
  // A picture is nothing to read.
  if (!isUtf8(bytes) || bytes.includes(0)) return null;
  const decoded = bytes.toString("utf8");
  if (decoded.trim() === "") return null;
  return type === "text" || type === "text/plain" || !HTML.test(decoded)
    ? { text: decoded }
    : { html: decoded };
}
