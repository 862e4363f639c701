import { type Html, html } from "../html.ts";

/**
 * A link to where a mention stands, or nothing, if its address is not one that may be followed. By its id a reader's
 * focus finds it again when the list around it is drawn anew.
 */
export function outsideLink(address: string | null, id: string): Html | null {
  const url = followable(address);
  if (url === null) return null;
  return html`<a class="outside" id="${id}" href="${url.href}" target="_blank" rel="noopener noreferrer nofollow ugc">${url.hostname.replace(/^www\./, "")}<span aria-hidden="true"> ↗</span><span class="unseen"> (opens in a new tab)</span></a>`;
}

/** http and https with a host; a user name in front of the host makes `bank.example@evil.example` look right. */
function followable(address: string | null): URL | null {
  if (address === null || address.length > 2000 || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  return url.username === "" && url.password === "" ? url : null;
}
