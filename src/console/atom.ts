import { createHash } from "node:crypto";
import { type Instant, toIso } from "../lib/instant.ts";
import { storableText } from "../lib/text.ts";
import { type Html, html } from "./common/html.ts";

/** A feed of the console as Atom 1.0 (RFC 4287). Every text may come from strangers. */
export interface AtomFeed {
  /** What it lists, below its authority: `["alerts"]`. It never changes. */
  readonly id: readonly string[];
  readonly title: string;
  /** Its own address, without a token, and that of its page. */
  readonly self: string;
  readonly page: string;
  readonly entries: readonly AtomEntry[];
}

export interface AtomEntry {
  /** Below its authority, the same for ever: `["alerts", "0199…"]`. */
  readonly id: readonly string[];
  readonly title: string;
  /** Who wrote it; null: Earshot. */
  readonly author: string | null;
  readonly url: string;
  readonly published: Instant;
  readonly updated: Instant;
  readonly text: string;
  readonly categories: readonly string[];
}

export const ATOM_TYPE = "application/atom+xml; charset=utf-8";

/**
 * Writes a feed. Ids are tags (RFC 4151) of the authority, which is a host name: they stay the same whatever address a
 * reader uses.
 */
export function writeAtom(feed: AtomFeed, authority: string): string {
  const { title, self, page, entries } = feed;
  const updated = Math.max(0, ...entries.map((entry) => entry.updated));
  const markup = html`<feed xmlns="http://www.w3.org/2005/Atom">
<id>${tagOf(authority, feed.id)}</id>
<title>${xmlText(title)}</title>
<updated>${toIso(updated)}</updated>
<link rel="self" type="application/atom+xml" href="${xmlText(self)}"/>
<link rel="alternate" type="text/html" href="${xmlText(page)}"/>
<author><name>Earshot</name></author>
<generator>Earshot</generator>
${entries.map((entry) => entryOf(entry, authority))}</feed>
`;
  return `<?xml version="1.0" encoding="utf-8"?>\n${markup.toString()}`;
}

function entryOf(entry: AtomEntry, authority: string): Html {
  const { title, author, url, published, updated, text, categories } = entry;
  return html`<entry>
<id>${tagOf(authority, entry.id)}</id>
<title>${xmlText(title)}</title>
<link rel="alternate" href="${xmlText(url)}"/>
${
  author !== null &&
  html`<author><name>${xmlText(author)}</name></author>
`
}<published>${toIso(published)}</published>
<updated>${toIso(updated)}</updated>
${categories.map(
  (term) => html`<category term="${xmlText(term)}"/>
`,
)}<content type="text">${xmlText(text)}</content>
</entry>
`;
}

/** The year in which ids of this form began: a part of them. */
const SINCE = "2026";

function tagOf(authority: string, id: readonly string[]): string {
  return `tag:${authority},${SINCE}:${id.map((part) => encodeURIComponent(xmlText(part))).join("/")}`;
}

/** XML has no place for these, not even escaped; `html` replaces control characters. */
function xmlText(text: string): string {
  return storableText(text).replaceAll(/[\uFFFE\uFFFF]/g, "\uFFFD");
}

/** Weak, because the same feed is sent with and without compression. */
export function etagOf(body: string): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
}

/** Whether a reader has this already: RFC 9110, If-None-Match. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return (ifNoneMatch ?? "").split(",").some((tag) => tag.trim() === "*" || bare(tag) === bare(etag));
}
