import { parseUrl } from "../../lib/parse-url.ts";
import type { FeedDocument, FeedHub } from "./define-feed.ts";

const MOST_LINKS = 20;
const LONGEST = 10_000;

/** The addresses with the relations `hub` and `self` in a header `Link` (RFC 8288). */
export function linksIn(header: string | null, base: string): FeedDocument["links"] {
  const links = { hub: null as string | null, self: null as string | null };
  const parts = (header ?? "").slice(0, LONGEST).split(/,(?=\s*<)/, MOST_LINKS);
  for (const part of parts) {
    const [, address = "", parameters = ""] = /^\s*<([^<>]*)>(.*)$/s.exec(part) ?? [];
    const relations = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/i.exec(parameters);
    const named = (relations?.[1] ?? relations?.[2] ?? "").toLowerCase().split(/\s+/);
    for (const which of ["hub", "self"] as const)
      if (links[which] === null && named.includes(which))
        links[which] = parseUrl(address, base)?.href ?? null;
  }
  return links;
}

/** The hub of a document that came from `url`: headers count before what is written in it (WebSub, 4). */
export function hubOf(
  inside: FeedDocument["links"],
  header: FeedDocument["links"],
  url: string,
): FeedHub | null {
  const hub = header.hub ?? inside.hub;
  if (hub === null || !/^https?:/i.test(hub)) return null;
  return { url: hub, topic: header.self ?? inside.self ?? url, base: url };
}
