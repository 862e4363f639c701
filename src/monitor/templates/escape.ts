import { parseUrl } from "../../lib/parse-url.ts";
import { escapeHtml, withoutHalfWord } from "../../lib/text.ts";

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
      .replaceAll(/(^|[\s([{"'“])_(?=\S)/g, "$1ˍ")
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

/**
 * Removes from a text what must never be shown: control characters, marks that change the reading direction (they make
 * `evil.exe` look like a picture), invisible fillers, and halves of characters. Keeps joiners, because emoji and
 * Persian need them. Line breaks become `\n`; PostgreSQL, SMTP and Slack accept every result.
 */
export function cleanText(text: string): string {
  return text
    .replace(LINE_BREAKS, "\n")
    .replace(UNSEEN, "")
    .replace(SPACES, " ")
    .replace(HIDDEN_TAGS, "")
    .replace(LONE_SURROGATES, "\uFFFD")
    .replace(STACKED_MARKS, "$1");
}

/** The same on one line, without leading and trailing space. */
export function cleanLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}

const LINE_BREAKS = /\r\n?|[\u0085\u2028\u2029\v\f]/g;
// Control characters but white space; direction marks; zero-width space, word joiner, byte-order mark, soft hyphen,
// interlinear anchors; the Hangul and Braille blanks stay, they are visible as space.
const UNSEEN =
  /[^\P{Cc}\t-\r]|[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/gu;
// No-break spaces break plain text mails; every kind of space becomes a plain one.
const SPACES = /[\t\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;
/** Invisible tag characters; only the flags of some regions use them. */
const HIDDEN_TAGS = /(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]{0,8})[\u{E0000}-\u{E007F}]/gu;
/** No language puts more accents on a letter; stacks of them hide the lines above and below. */
const STACKED_MARKS = /(\p{Mn}{6})\p{Mn}+/gu;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/**
 * Returns the address if it is safe to link, else null: http or https, with a host, without a user name (which makes
 * `https://bank.example@evil.example` look right), not too long. The result is percent-encoded with an ASCII host, so
 * it holds no character that ends a link in HTML, Slack or a header.
 */
export function safeUrl(text: string | null | undefined): string | null {
  if (!text || text.length > MAX_LENGTH || UNSAFE.test(text)) return null;
  const url = parseUrl(text);
  if (url === null) return null;
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  if (url.hostname === "" || url.username !== "" || url.password !== "") return null;
  const href = url.href.replaceAll(/[<>|"'`\\^{}\s]/g, (character) =>
    encodeURIComponent(character).replace("'", "%27"),
  );
  return href.length > MAX_LENGTH ? null : href;
}

/** Slack accepts 3000 characters in a link. */
const MAX_LENGTH = 2000;
// The parser silently drops line breaks and tabs, which could trick an earlier filter: refuse them instead.
const UNSAFE = /\p{Cc}/u;

/** A text of strangers as one line of at most so many characters. */
export function shortLine(text: string, limit: number): string {
  return shortenText(cleanLine(text), limit);
}

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
  for (const { segment } of CHARACTERS.segment(head)) {
    if (kept.length === limit || units + segment.length > room) return cutBehind(text, kept, limit);
    kept.push(segment);
    units += segment.length;
  }
  return head.length === text.length ? text : cutBehind(text, kept, limit);
}

function cutBehind(text: string, characters: readonly string[], limit: number): string {
  const head = characters.slice(0, limit - 1).join("");
  return `${withoutHalfWord(head, text.slice(head.length, head.length + 1))}…`;
}

const MAX_UNITS_PER_CHARACTER = 8;
