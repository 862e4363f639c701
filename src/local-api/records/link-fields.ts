import type { MentionFields } from "./mention-record.ts";
import { distinct, linksIn } from "./text-signs.ts";

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
