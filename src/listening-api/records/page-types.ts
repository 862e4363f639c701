/** Page types with the names that records show. */
export const PAGE_TYPE_NAMES: Readonly<Record<string, string>> = {
  blog: "Blog",
  bluesky: "Bluesky",
  facebook: "Facebook",
  forum: "Forum",
  four_chan: "4chan",
  general: "General",
  image: "Image",
  instagram: "Instagram",
  lexis_nexis_licensed_news: "LexisNexis",
  linkedin: "LinkedIn",
  news: "News",
  qq: "QQ",
  reddit: "Reddit",
  review: "Review",
  sina_weibo: "Sina Weibo",
  tiktok: "TikTok",
  tumblr: "Tumblr",
  twitter: "Twitter",
  video: "Video",
  vk: "VK",
  youtube: "YouTube",
};

export const PAGE_TYPES: readonly string[] = Object.keys(PAGE_TYPE_NAMES);

/** The page type of a site, where the site is a network of its own; else undefined. */
export function pageTypeOfSite(domain: string): string | undefined {
  return Object.entries(SITES).find(([site]) => domain === site || domain.endsWith(`.${site}`))?.[1];
}

/** The site of a page type that has one. */
export function siteOfPageType(pageType: string): string | null {
  return Object.entries(SITES).find(([, type]) => type === pageType)?.[0] ?? null;
}

/** The first site of a page type is the one by which it goes in records. */
const SITES: Readonly<Record<string, string>> = {
  "twitter.com": "twitter",
  "x.com": "twitter",
  "bsky.app": "bluesky",
  "facebook.com": "facebook",
  "instagram.com": "instagram",
  "linkedin.com": "linkedin",
  "reddit.com": "reddit",
  "tiktok.com": "tiktok",
  "tumblr.com": "tumblr",
  "youtube.com": "youtube",
  "youtu.be": "youtube",
  "vk.com": "vk",
  "weibo.com": "sina_weibo",
  "4chan.org": "four_chan",
};
