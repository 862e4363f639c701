import { z } from "zod";
import { HttpAddress } from "../../lib/http-address.ts";
import { HOUR, MINUTE, SECOND } from "../../lib/instant.ts";
import { registrableDomain } from "../common/canonical-url.ts";
import { defineFeed, FeedKeys, type FeedPart, type FeedReader } from "../common/define-feed.ts";
import { MOST_PAGES, pageReference, recheckPages } from "../common/recheck-pages.ts";
import { addressesIn } from "./rss/addresses-in-opml.ts";

/** RSS, Atom, RDF and JSON Feed, whatever the address calls it. */
export const rss = defineFeed({
  kind: "rss",
  about: "RSS, Atom or JSON feeds of news sites, blogs and forums, by address or from an OPML file.",
  config: z
    .strictObject({
      kind: z.literal("rss").describe("RSS, Atom and JSON feeds: news, blogs, forums."),
      ...FeedKeys,
      urls: z
        .array(HttpAddress)
        .default([])
        .describe('Addresses of feeds. Example: ["https://blog.example/feed"]'),
      opml: z
        .string()
        .min(1)
        .exactOptional()
        .describe(
          "A list of feeds that a feed reader has exported, relative to this file. Example: feeds.opml",
        ),
    })
    .refine(({ urls, opml }) => urls.length > 0 || opml !== undefined, {
      error: "name at least one address in urls, or an opml file",
    }),
  policy: {
    version: 2,
    storedCharacters: 1_000,
    sentOut: "headline, short snippet and link",
    deletesLearntBy: "the page of an item, asked for again where robots.txt allows it: 404 and 410",
    terms: "those of the publisher",
  },
  pace: { everyMs: 2 * SECOND, atOnce: 1 },
  everyMs: 10 * MINUTE,
  pageType: "general",
  editedEveryMs: HOUR,
  parts({ urls, opml, name }, { readFile }) {
    const listed = opml === undefined ? [] : addressesIn(readFile(opml), opml);
    const all = [...new Set([...urls, ...listed])];
    return all.map((url) => ({
      id: url,
      url,
      name: all.length === 1 && name !== undefined ? name : nameOf(url),
    }));
  },
  read: readRss,
  recheck: { most: MOST_PAGES, asksPages: true, read: recheckPages },
});

const ACCEPT =
  "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5";

function* readRss(part: FeedPart): FeedReader {
  const headers = { accept: ACCEPT };
  const [answer] = yield [{ url: part.url ?? "", conditional: true, headers, reads: "document" }];
  if (answer?.document == null) return { items: [], deletes: [], cursor: null };
  const scope = registrableDomain(answer.url) ?? "";
  const { items, leftOut, problem } = answer.document;
  return {
    items: items.map((item) => ({ ...item, scope, ...pageReference(item.url) })),
    ...{ deletes: [], cursor: null, leftOut },
    ...(problem === null ? {} : { problem }),
  };
}

function nameOf(url: string): string {
  const { host, pathname, search } = new URL(url);
  return `${host}${pathname === "/" ? "" : pathname}${search}`.slice(0, 100);
}
