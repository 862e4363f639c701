import { parseUrl } from "../../lib/parse-url.ts";
import type { MentionFields } from "./mention-record.ts";

/** Other signs of a text, each once, in the order of the text. Links are given whole, sites by their host. */
interface TextSigns {
  readonly links: readonly string[];
  readonly sites: readonly string[];
  readonly emoji: readonly string[];
  readonly emoticons: readonly string[];
}

/** Reads the signs of a text. `expanded` are the addresses behind shortened links: where there are some, they count. */
export function textSigns(text: string, expanded: readonly string[]): TextSigns {
  const links = distinct(expanded.length > 0 ? expanded : linksIn(text));
  return {
    links,
    sites: distinct(links.flatMap(hostOf)),
    emoji: ASCII.test(text) ? [] : distinct(text.match(EMOJI) ?? []),
    emoticons: distinct(text.match(EMOTICON) ?? []),
  };
}

const ASCII = /^[\0-\x7f]*$/;
const LINK = /https?:\/\/[^\s<>"]{1,2000}/gi;
const END_OF_SENTENCE = /(?<![.,;:!?'")\]}…。、，！？」』）】》”’])[.,;:!?'")\]}…。、，！？」』）】》”’]+$/;
/**
 * A pictograph with its skin tone or variation, joined ones as one, and the letters behind the flag of a part of a
 * country; or two letters of a flag; or a keycap. The signs of rights are text unless they are drawn as an emoji.
 */
const EMOJI =
  /(?![©®™](?!\uFE0F))\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}|[\u{E0020}-\u{E007F}])*(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})*)*|[\u{1F1E6}-\u{1F1FF}]{2}|[#*0-9]\uFE0F?\u20E3/gu;
/**
 * Faces of punctuation, between spaces: the ":/" of an address is none, and neither is what is read as a number, a
 * word or a formula first (80, 8d, XP, x3, =3).
 */
const EMOTICON =
  /(?<!\S)(?:[:;]'?[-^o]?[)(\][dDpPoO0/\\|*3@$]|='?[-^]?[)(\][DpP]|8-[)(D]|[xX]-?[)(D]|[)(\]]-?[:;=]|D-?[:;]|<\/?3|\^_*\^|-_+-|[oO]_[oO]|T_T|¯\\_\(ツ\)_\/¯)(?!\S)/g;

function linksIn(text: string): string[] {
  if (!text.includes("://")) return [];
  return (text.match(LINK) ?? []).map(withoutEnd);
}

/** Without what ends the sentence around it. A bracket that the address opens itself belongs to it. */
function withoutEnd(link: string): string {
  const bare = link.replace(END_OF_SENTENCE, "");
  const isOpen = bare.lastIndexOf("(") > bare.lastIndexOf(")");
  return isOpen && link[bare.length] === ")" ? `${bare})` : bare;
}

function hostOf(link: string): string[] {
  const host = parseUrl(link)?.hostname.replace(/^www\./, "") ?? "";
  return host === "" ? [] : [host];
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** Hashtags and mentioned authors of a text, each once, with their sign, in the order of the text. */
export function insightsOf(text: string): { insightsHashtag: string[]; insightsMentioned: string[] } {
  return {
    insightsHashtag: text.includes("#") ? distinct(text.match(HASHTAG) ?? []) : [],
    insightsMentioned: text.includes("@") ? distinct(text.match(AUTHOR) ?? []) : [],
  };
}

/** Vowel signs and accents stand behind their letters, and Persian parts of a word are not joined. */
const HASHTAG =
  /(?<![\p{L}\p{M}\p{N}_&])#[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_]|[\u200c\u200d](?=\p{L})){0,99}/gu;
const AUTHOR = /(?<![\p{L}\p{N}_])@[A-Za-z0-9_]{1,30}/gu;

/**
 * The links of a text as records show them: shortened addresses, the others, and what a reader sees of those. Where a
 * shortened address leads is not known here, so it is never among the expanded ones.
 */
export function linkFields(
  text: string,
): Required<Pick<MentionFields, "displayUrls" | "expandedUrls" | "shortUrls">> {
  const links = distinct(linksIn(text));
  const expandedUrls = links.filter((link) => !SHORTENER.test(link));
  return {
    shortUrls: links.filter((link) => SHORTENER.test(link)),
    expandedUrls,
    displayUrls: expandedUrls.map((link) => link.replace(/^https?:\/\/(www\.)?/i, "")),
  };
}

const SHORTENER =
  /^https?:\/\/(?:t\.co|bit\.ly|ow\.ly|tinyurl\.com|goo\.gl|buff\.ly|dlvr\.it|fb\.me|lnkd\.in|is\.gd)\//i;

/** The site of an address, in lower case and without `www.`; null when it is no address of the web. */
export function domainOf(url: string | null | undefined): string | null {
  const usual = USUAL.exec(url ?? "")?.[1];
  if (usual !== undefined) return usual.toLowerCase();
  if (typeof url !== "string" || !/^https?:/i.test(url)) return null;
  return parseUrl(url)?.hostname.replace(/^www\./, "") || null;
}

/** Of letters and digits, its end no number: what a URL would make of it is plain to see, without the cost of one. */
const USUAL = /^https?:\/\/(?:www\.)?((?!www\.)(?:[a-z0-9]+\.)+[a-z]+)(?=[/?#]|$)/i;
