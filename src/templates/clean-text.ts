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
