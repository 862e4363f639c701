import { type Html, html } from "../html.ts";

/**
 * A link to a mention's page, or nothing if its address is unsafe. The id lets the browser keep the focus when the list
 * is replaced.
 */
export function outsideLink(address: string | null, id: string): Html | null {
  const url = followable(address);
  if (url === null) return null;
  return html`<a class="outside" id="${id}" href="${url.href}" target="_blank" rel="noopener noreferrer nofollow ugc">${url.hostname.replace(/^www\./, "")}<span aria-hidden="true"> ↗</span><span class="unseen"> (opens in a new tab)</span></a>`;
}

/** Allows http and https with a host and no user name: `bank.example@evil.example` looks like bank.example. */
function followable(address: string | null): URL | null {
  if (address === null || address.length > 2000 || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  return url.username === "" && url.password === "" ? url : null;
}
