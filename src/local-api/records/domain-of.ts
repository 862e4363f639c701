/** The site of an address, in lower case and without `www.`; null when it is no address of the web. */
export function domainOf(url: string | null | undefined): string | null {
  const usual = USUAL.exec(url ?? "")?.[1];
  if (usual !== undefined) return usual.toLowerCase();
  if (typeof url !== "string" || !/^https?:/i.test(url) || !URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/^www\./, "") || null;
}

/** Of letters and digits, its end no number: what a URL would make of it is plain to see, without the cost of one. */
const USUAL = /^https?:\/\/(?:www\.)?((?!www\.)(?:[a-z0-9]+\.)+[a-z]+)(?=[/?#]|$)/i;
