import { toUSVString } from "node:util";

/** Far more than a post or an article has; longer text was made to keep its reader busy. */
export const LONGEST_TEXT = 20_000;

/**
 * The beginning of a text that is too long, ended by `…`: it shows that something is missing, and no pattern takes the
 * cut for the end. Never splits a surrogate pair.
 */
export function cutText(text: string, most = LONGEST_TEXT): string {
  return text.length <= most ? text : `${startOf(text, most - 1)}…`;
}

/** The first `most` characters; one less where the last would be the half of a surrogate pair. */
export function startOf(text: string, most: number): string {
  const last = text.charCodeAt(most - 1);
  const isHalf = text.length > most && last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? most - 1 : most);
}

/** A longer word is cut: an address, or a script without blanks. */
const LONGEST_HALF_WORD = 20;

/** A text of which `rest` was cut off, without the half of a word at its end. */
export function withoutHalfWord(head: string, rest: string): string {
  if (/^\s/.test(rest)) return head.trimEnd();
  const least = Math.max(head.length - LONGEST_HALF_WORD, head.length / 2);
  let end = head.length;
  while (end > least && !/\s/.test(head.charAt(end - 1))) end--;
  return (end > least ? head.slice(0, end) : head).trimEnd();
}

const UNSTORABLE_OR_PAIR = /[\0\ud800-\udfff]/;

/**
 * Text that PostgreSQL accepts: U+0000 and halves of surrogate pairs become U+FFFD, everything else is unchanged. For
 * most texts one scan is enough.
 */
export function storableText(text: string): string {
  return UNSTORABLE_OR_PAIR.test(text) ? toUSVString(text).replaceAll("\0", "\ufffd") : text;
}

/** What a stranger's program wrote, as the beginning of one line that can be stored and shown: nothing in it acts. */
export function plainLine(text: string, most: number): string {
  const plain = text.slice(0, 4 * most).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\s]+/gu, " ");
  return startOf(plain.trim(), most);
}

/** Without the full stops and blanks at its end. By hand: `/[.\s]+$/` takes the square of the length of a long run. */
export function trimFullStops(text: string): string {
  let end = text.length;
  while (end > 0 && /[.\s]/.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/**
 * Normalises text for comparisons of words: lower case, accents of European scripts removed, compatibility forms (full
 * width, ligatures) made plain, invisible characters removed, typographic apostrophes straight, white space single.
 */
export function foldText(text: string): string {
  // Most texts are plain, and the long way changes nothing but their capitals.
  if (!NOT_PLAIN.test(text)) return text.toLowerCase().trim();
  return (foldSimple(text) ?? foldWhole(text)).replaceAll(BLANKS, " ").trim();
}

/** Anything but visible ASCII characters and single spaces. */
const NOT_PLAIN = /[^ -~]| {2}/;

function foldWhole(text: string): string {
  const plain = normalized(text, "NFKD")
    .replaceAll(/[\u0300-\u036f]|\p{Cf}/gu, "")
    .toLowerCase();
  const bare = normalized(plain, "NFKD").replaceAll(/[\u0300-\u036f]/g, "");
  return normalized(bare, "NFC").replaceAll(/[\u2018\u2019\u02bc]/g, "'");
}

/**
 * The text in a normal form of Unicode, in linear time: normalising sorts the marks of a letter, which takes the square of
 * their number (14 s for 200,000). In a text with hundreds of them in a row, those beyond the thirtieth are left out: no
 * language has so many (UAX #15, "stream-safe").
 */
export function normalized(text: string, form: "NFC" | "NFKC" | "NFKD"): string {
  return (hasManyMarks(text) ? text.replaceAll(SURPLUS_MARKS, "$1") : text).normalize(form);
}

const SURPLUS_MARKS = /(\p{M}{30})\p{M}+/gu;
const LONG_RUN = /\p{M}{31}/u;
const LOOK_EVERY = 500;

/** Looks at a piece now and then, as most texts have to be read fast: a longer run of marks fills one of them. */
function hasManyMarks(text: string): boolean {
  for (let at = LOOK_EVERY; at < text.length; at += LOOK_EVERY)
    if (LONG_RUN.test(text.slice(at, at + 64))) return true;
  return false;
}

/** Any white space but a single space. */
const BLANKS = / \s+|[^\S ]\s*/g;

/**
 * Most other texts are Latin letters, typographic marks, and emoji, which stay unchanged. None of these affects its
 * neighbours, so each is folded alone. Null if there is anything else.
 */
function foldSimple(text: string): string | null {
  let folded = "";
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x250 || (code >= 0x2000 && code <= 0x206f)) {
      folded += text.slice(from, i) + foldAlone(code);
      from = i + 1;
    } else if (isEmoji(text, i)) i++;
    else return null;
  }
  return (folded + text.slice(from)).toLowerCase();
}

/** U+1F300 to U+1FAFF, in two halves. */
function isEmoji(text: string, at: number): boolean {
  const [high, low] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
  if (low < 0xdc00 || low > 0xdfff) return false;
  return (high === 0xd83c && low >= 0xdf00) || high === 0xd83d || (high === 0xd83e && low <= 0xdeff);
}

const foldedAlone = new Array<string | undefined>(0x2070);

function foldAlone(code: number): string {
  const folded = foldedAlone[code] ?? foldWhole(String.fromCharCode(code));
  foldedAlone[code] = folded;
  return folded;
}

/** Text for HTML, inside elements and inside quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** JSON that a terminal shows and does not obey. It stays the same JSON: active characters are escaped. */
export function escapeActing(json: string): string {
  return json.replaceAll(
    ACTING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// JSON escapes C0 itself; DEL, C1, line separators and direction marks are escaped here.
const ACTING = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** The first three of a list of names, and how many more there are. */
export function nameSome(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => cutText(name, 60));
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

/** For sorting: an order that is the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** With a capital at its beginning. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a vendor or a library said, in words for people and as one sentence: it may end with a full stop of its own. */
export function sentence(text: string): string {
  const plain = text.replace(
    /(?:\b(?:connect|getaddrinfo|read|write) )?\b(E[A-Z_]{4,})\b(?: (?:\S+:\d+|\/\S+))?/g,
    (all, code) => ERRORS[code] ?? all,
  );
  return `${trimFullStops(plain)}.`;
}

const ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection broken off",
  EPIPE: "connection broken off",
  ETIMEDOUT: "no answer in time",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "host not found at the moment",
  EHOSTUNREACH: "host not reachable",
  ENETUNREACH: "network not reachable",
};
