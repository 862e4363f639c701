/** Other signs of a text, each once, in the order of the text. Links are given whole, sites by their host. */
export interface TextSigns {
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
const END_OF_SENTENCE = /(?<![.,;:!?'")\]}…])[.,;:!?'")\]}…]+$/;
/** A pictograph with its skin tone or variation, joined ones as one; or two letters of a flag; or a keycap. */
const EMOJI =
  /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})*(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})*)*|[\u{1F1E6}-\u{1F1FF}]{2}|[#*0-9]\uFE0F?\u20E3/gu;
/**
 * Faces of punctuation, between spaces: the ":/" of an address is none, and neither is what is read as a number, a
 * word or a formula first (80, 8d, XP, x3, =3).
 */
const EMOTICON =
  /(?<!\S)(?:[:;]'?[-^o]?[)(\][dDpPoO0/\\|*3@$]|='?[-^]?[)(\][DpP]|8-[)(D]|[xX]-?[)(D]|[)(\]]-?[:;=]|D-?[:;]|<\/?3|\^_*\^|-_+-|[oO]_[oO]|T_T|¯\\_\(ツ\)_\/¯)(?!\S)/g;

export function linksIn(text: string): string[] {
  if (!text.includes("://")) return [];
  return (text.match(LINK) ?? []).map((link) => link.replace(END_OF_SENTENCE, ""));
}

function hostOf(link: string): string[] {
  const host = URL.canParse(link) ? new URL(link).hostname.replace(/^www\./, "") : "";
  return host === "" ? [] : [host];
}

export function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
