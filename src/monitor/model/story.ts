import { normalized } from "../../lib/text.ts";
import type { Mention } from "./mention.ts";
import { sketchOf } from "./sketch.ts";

/**
 * The story of a mention: 16 characters, the same for reposts (`RT @x: …`), quotes, syndicated copies and texts that
 * differ only in case, width, punctuation, links, trailing hashtags, a signed source or a cut-off end. Counted across
 * queries and authors. A mention with less than SHORTEST letters and digits in its title and text is a story of its own.
 *
 * Only the first LONGEST letters and digits count: the repost sign takes up room, so a repost is cut, and copies end
 * differently. Texts with the same beginning of that length share a story. Texts that differ in the middle have
 * different keys; ingest finds them by their sketches.
 */
export function storyKey(mention: StoryMentionText): string {
  return keyAndEssence(mention).key;
}

/** The key of a mention's text, and a sketch of it; the sketch is null if the text is too short. */
export interface StoryOfMention {
  readonly key: string;
  readonly sketch: Uint8Array | null;
}

export function storyOf(mention: StoryMentionText): StoryOfMention {
  const { key, essence } = keyAndEssence(mention);
  return { key, sketch: essence.length < SHORTEST_SKETCHED ? null : sketchOf(essence) };
}

/** `essence` is empty if the key does not come from a text. */
function keyAndEssence(mention: StoryMentionText): { readonly key: string; readonly essence: string } {
  const wording = wordingOf(mention).slice(0, COMPARED_LETTERS);
  const repeated = repeatedIn(wording);
  if (repeated !== null) {
    const essence = essenceOf(repeated);
    // A marked repost may be shorter: the mark itself says that the texts are the same.
    if (weightOf(essence) >= SHORTEST_REPEATED) return ofText(essence);
  }
  const essence = essenceOf(wording);
  if (weightOf(essence) >= SHORTEST) return ofText(essence);
  // A short news item is its headline and its first sentence. Networks without titles make one from the text.
  const title = bare(mention.title ?? "");
  const text = bare(mention.text ?? "");
  if (title !== "" && !text.startsWith(title) && weightOf(title + text) >= SHORTEST && text !== "")
    return ofText((title + text).slice(0, LONGEST_SKETCHED));
  const key = mention.repostOf ? keyOf("of", mention.repostOf) : keyOf("own", mention.resourceId);
  return { key, essence: "" };
}

function ofText(essence: string) {
  return { key: keyOf("text", essence.slice(0, LONGEST)), essence };
}

export type StoryMentionText = Pick<Mention, "resourceId" | "title" | "text" | "pageType" | "repostOf">;

/** Letters and digits. Below SHORTEST, "@brand thank you so much" would be one story of a thousand people. */
const SHORTEST = 24;
const SHORTEST_REPEATED = 12;
const SHORTEST_SIGNED = 40;
const LONGEST = 80;
/** Two texts are compared by a longer part; in a shorter text one word weighs too much. */
const LONGEST_SKETCHED = 160;
const SHORTEST_SKETCHED = 40;
/** Only so many characters of a text are read, so that a book costs no more than a post. */
const COMPARED_LETTERS = 600;

/** Pages whose snippet depends on the matched words, while their copies share the headline. */
const HEADLINED = new Set(["news", "blog", "magazine", "newspaper"]);

function wordingOf({ title, text, pageType }: StoryMentionText): string {
  if (title !== null && pageType !== null && HEADLINED.has(pageType) && title.length >= SHORTEST)
    return title;
  return text ?? title ?? "";
}

const REPOST_SIGN = /(?<![\p{L}\p{N}])[RrMm][Tt][\s:"“]*@\w+[\s:!]*/gu;
const QUOTE = /["“”]@\w+(?:\s*:|\s)([^"“”]*)/;

/** The quoted text of a repost or quote, with or without an added comment; null if there is none. */
function repeatedIn(text: string): string | null {
  // A handle at the very start is the addressee; most texts have no other.
  if (text.lastIndexOf("@") <= 0) return null;
  let end = -1;
  for (const sign of text.matchAll(REPOST_SIGN)) end = sign.index + sign[0].length;
  if (end >= 0) return text.slice(end);
  return QUOTE.exec(text)?.[1] ?? null;
}

const LINKS = /(?:https?:\/\/|www\.|pic\.twitter\.com)\S*/gi;
const TAG = /^#[\p{L}\p{M}\p{N}_]+$/u;
const GAP = /[\s…]/;
/** ` - The Daily Paper`, ` | Example.com`, ` via @example` at the end. */
const LONGEST_SIGNATURE = 56;
const SIGNATURE = /\s(?:[-–—|·]\s[^-–—|·]{2,50}|via\s@?\w{2,50})$/i;

/** The text without all the parts in which copies of it differ. */
function essenceOf(text: string): string {
  const unlinked = (text.includes("/") || text.includes("www.") ? text.replace(LINKS, " ") : text).trimEnd();
  const untagged = withoutTagsAtEnd(unlinked);
  const tail = Math.max(0, untagged.length - LONGEST_SIGNATURE);
  const signed = SIGNATURE.exec(untagged.slice(tail));
  if (signed) {
    const unsigned = bare(untagged.slice(0, tail + signed.index));
    if (unsigned.length >= SHORTEST_SIGNED) return unsigned;
  }
  // A text of hashtags only is kept as its hashtags.
  return bare(untagged) || bare(unlinked);
}

/** Tag by tag from the end: one pattern for all would search the end again at each, which a text can abuse. */
function withoutTagsAtEnd(text: string): string {
  let end = text.length;
  for (let at = text.lastIndexOf("#"); at >= 0; at = text.lastIndexOf("#", at - 1)) {
    if (!TAG.test(text.slice(at, endOfWords(text, end)))) break;
    end = endOfWords(text, at);
    if (at === 0) break;
  }
  return text.slice(0, end);
}

function endOfWords(text: string, before: number): number {
  let end = before;
  while (end > 0 && GAP.test(text.charAt(end - 1))) end--;
  return end;
}

const NOT_ESSENTIAL = /[^\p{L}\p{N}]+/gu;

/** The first LONGEST_SKETCHED letters and digits, without regard to case and width. */
function bare(text: string): string {
  // Most texts are Latin-1 with typographic marks and emoji; for those a table is far faster than Unicode's rules.
  let length = 0;
  let i = 0;
  for (; i < text.length && length < LONGEST_SKETCHED; i++) {
    const code = text.charCodeAt(i);
    if (code < 256) {
      const kept = ESSENCE[code] as number;
      if (kept > 0) ESSENTIAL[length++] = kept;
      else if (kept === NOT_SIMPLE) return bareUnicode(text);
    } else if (code === EMOJI && isLowHalf(text.charCodeAt(i + 1))) i++;
    else if (code < 0x2010 || code > 0x2027) return bareUnicode(text);
    // Dashes, typographic quotes and dots are left out.
  }
  // The next character may be an accent of the last letter.
  if (text.charCodeAt(i) >= ESSENCE.length) return bareUnicode(text);
  return ESSENTIAL.toString("latin1", 0, length);
}

/** Where an essence is put together. */
const ESSENTIAL = Buffer.alloc(LONGEST_SKETCHED);

/** The first half of U+1F400 to U+1F7FF: emoji and other signs, none of them a letter or digit. */
const EMOJI = 0xd83d;

function isLowHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function bareUnicode(text: string): string {
  return normalized(text, "NFKC").toLowerCase().replace(NOT_ESSENTIAL, "").slice(0, LONGEST_SKETCHED);
}

/** Reduces to more than one Latin-1 character. */
const NOT_SIMPLE = -1;

/** Character code of Latin-1 → code of its reduced form, 0 for nothing. */
const ESSENCE = Int16Array.from({ length: 256 }, (_, code) => {
  const kept = bareUnicode(String.fromCharCode(code));
  return kept.length > 1 || kept > "\u00ff" ? NOT_SIMPLE : kept === "" ? 0 : kept.charCodeAt(0);
});

const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** The amount of text. An ideograph or a syllable counts as about three letters. */
function weightOf(essence: string): number {
  if (essence.length >= SHORTEST) return essence.length;
  return essence.length + 2 * (essence.match(IDEOGRAPHS)?.length ?? 0);
}

/** The kind separates a text that looks like an id from the mention with that id. */
function keyOf(kind: "text" | "of" | "own", identity: string): string {
  return digestOf(`${kind}:${identity}`);
}

/**
 * 96 bits in 16 characters. Not a cryptographic digest, which would take as long as everything else: an attacker who
 * wants to join a story needs no collision, because repeating its first words is enough.
 */
function digestOf(text: string): string {
  let a = 0x243f6a88;
  let b = 0x13198a2e;
  let c = 0xa4093822;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x9e3779b1);
    a = (a << 13) | (a >>> 19);
    b = Math.imul(b ^ code, 0x7feb352d);
    b = (b << 17) | (b >>> 15);
    c = Math.imul(c ^ code, 0x846ca68b);
    c = (c << 11) | (c >>> 21);
  }
  DIGEST.writeInt32LE(spread(a ^ text.length), 0);
  DIGEST.writeInt32LE(spread(b), 4);
  DIGEST.writeInt32LE(spread(c), 8);
  return DIGEST.toString("base64url");
}

/** Where a digest is put together. */
const DIGEST = Buffer.alloc(12);

/** Spreads the last characters over all 32 bits. */
function spread(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return mixed ^ (mixed >>> 15);
}
