/** The site of an address, in lower case and without `www.`; null when it is no address of the web. */
export function domainOf(url: string | null | undefined): string | null {
  if (typeof url !== "string" || !/^https?:/i.test(url) || !URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/^www\./, "") || null;
}
