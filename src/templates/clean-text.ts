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
// C0 without tab and line feed, DEL, C1; direction marks; zero-width space, word joiner, byte-order mark, soft hyphen,
// interlinear anchors; the Hangul and Braille blanks stay, they are visible as space.
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it replaces these control characters, and keeps white space.
  /[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g;
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
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
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
