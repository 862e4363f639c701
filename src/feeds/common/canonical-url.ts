import { getDomain } from "tldts";
import { parseUrl } from "../../lib/parse-url.ts";

/** Parameters that say where a click came from, and nothing about the page. */
const TRACKING =
  /^(?:utm_[\w-]*|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|mc_cid|mc_eid|igshid|igsh|_hsenc|_hsmi|vero_id|oly_enc_id|oly_anon_id|ref_src|at_medium|at_campaign|cmpid|ns_campaign|ns_mchannel|ns_source|wt_mc|wtrid)$/i;

const LONGEST = 2_000;

/**
 * The address of a page by which it is recognised again: without tracking parameters, fragment and default port. Null
 * if it is no http address.
 */
export function canonicalUrl(address: string | null | undefined): string | null {
  const trimmed = address?.trim() ?? "";
  const url = trimmed.length > LONGEST ? null : parseUrl(trimmed);
  if (url === null) return null;
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  url.username = "";
  url.password = "";
  // Single-page sites name the page there.
  if (!url.hash.startsWith("#!") && !url.hash.startsWith("#/")) url.hash = "";
  const names = [...new Set(url.searchParams.keys())].filter((name) => TRACKING.test(name));
  // Writing parameters anew would change how the others are escaped.
  for (const name of names) url.searchParams.delete(name);
  return url.href.length > LONGEST ? null : url.href;
}

/** The domain that somebody has registered: `news.bbc.co.uk` → `bbc.co.uk`. Null for an IP address or a plain name. */
export function registrableDomain(url: string): string | null {
  return getDomain(url, { allowPrivateDomains: true });
}
