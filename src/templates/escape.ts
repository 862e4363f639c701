import { escapeHtml } from "../lib/text.ts";
import { cleanLine, safeUrl } from "./clean-text.ts";

/** The format: the last part of a template's name before `.hbs`. It decides how values are escaped. */
export const FORMATS = ["html", "mrkdwn", "txt", "header"] as const;
export type Format = (typeof FORMATS)[number];

/**
 * Escapes a value so that it is plain text in that format. Values are always one line: a mention with line breaks could
 * add lines to a mail that look like ours.
 */
export function escapeValue(text: string, format: Format): string {
  const line = cleanLine(text);
  switch (format) {
    case "html":
      return escapeHtml(line);
    case "mrkdwn":
      return escapeMrkdwn(line);
    case "txt":
    case "header":
      return line;
  }
}

/**
 * Slack's three entities disable mentions, links and dates. Slack has no escape for the characters of bold, italics, strike and
 * code, so they are replaced by look-alikes: an open code fence would swallow our text.
 */
function escapeMrkdwn(line: string): string {
  return (
    line
      .replaceAll(/[*~`]/g, (character) => LOOK_ALIKES[character] ?? character)
      // Only where Slack begins italics: names and addresses keep theirs.
      .replaceAll(/(^|[\s([{"'])_(?=\S)/g, "$1ˍ")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
  );
}

const LOOK_ALIKES: Record<string, string> = { "*": "∗", "~": "∼", "`": "ˋ" };

/**
 * A copy of a view in which every text is escaped for the format. Templates then need no own escaping (Handlebars
 * escapes only HTML). Fields named `url` or `…Url` become null unless they are safe to link. Plain data only: own
 * enumerable fields, arrays, texts, numbers, booleans, null.
 */
export function escapeView(view: unknown, format: Format, field = ""): unknown {
  if (typeof view === "string") return escapeField(view, format, field);
  if (Array.isArray(view)) return view.map((item) => escapeView(item, format, field));
  if (view === null || typeof view !== "object") return view;
  return Object.fromEntries(
    Object.entries(view).map(([name, value]) => [name, escapeView(value, format, name)]),
  );
}

function escapeField(text: string, format: Format, field: string): string | null {
  if (!/(^u|U)rl$/.test(field)) {
    const value = escapeValue(capped(text), format);
    return field === "query" && RIGHT_TO_LEFT.test(value) ? `${value}${LEFT_TO_RIGHT_MARK}` : value;
  }
  const url = safeUrl(text);
  return url === null ? null : escapeValue(url, format);
}

/**
 * Isolates a query's name: next to a right-to-left name, the following number would move to its other side and look
 * like a part of the name.
 */
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LEFT_TO_RIGHT_MARK = "\u200e";

/**
 * The builder of a view shortens texts; this limit only stops a forgotten field from filling a message. It reads only
 * the beginning, because it runs for every value of every message.
 */
function capped(text: string): string {
  if (text.length <= MAX_VALUE_LENGTH) return text;
  const line = cleanLine(text.slice(0, 4 * MAX_VALUE_LENGTH));
  if (line.length <= MAX_VALUE_LENGTH) return line;
  const last = CHARACTERS.segment(line.slice(0, MAX_VALUE_LENGTH)).containing(MAX_VALUE_LENGTH - 1);
  return `${line.slice(0, last?.index ?? 0)}…`;
}

const MAX_VALUE_LENGTH = 1000;
const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });
