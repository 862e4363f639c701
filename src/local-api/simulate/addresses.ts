import { createHash } from "node:crypto";
import type { PageType } from "./post.ts";

/**
 * The address of a generated post. All hosts are under `.example`, which belongs to nobody (RFC 2606): a reader who
 * clicks never reaches a real person.
 */
export function addressOf(
  pageType: PageType,
  key: string,
  words: { handle: string; brand: string; subreddit: string; site?: string },
): { url: string; domain: string } {
  const id = BigInt(`0x${createHash("sha256").update(key).digest("hex").slice(0, 15)}`).toString();
  const brand = words.brand.toLowerCase();
  switch (pageType) {
    case "twitter":
      return at("twitter.example", `${words.handle}/status/${id}`);
    case "instagram":
      return at("instagram.example", `p/${Number(id.slice(0, 14)).toString(36)}`);
    case "reddit":
      return at("reddit.example", `r/${words.subreddit}/comments/${Number(id.slice(0, 12)).toString(36)}`);
    case "forum":
      return at("talk.householders.example", `threads/${brand}-${id.slice(0, 7)}`);
    case "review":
      return at("reviews.example", `${brand}/${id.slice(0, 8)}`);
    case "news":
      return at(words.site ?? "news.example", `business/${brand}-${id.slice(0, 6)}`);
  }
}

function at(domain: string, path: string): { url: string; domain: string } {
  return { url: `https://${domain}/${path}`, domain };
}
