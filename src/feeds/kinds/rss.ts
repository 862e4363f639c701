import { z } from "zod";
import { HttpAddress } from "../../lib/http-address.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import { registrableDomain } from "../common/canonical-url.ts";
import { spanOf } from "../common/decide-completeness.ts";
import { defineFeed, type FeedPart, type FeedReader, FetchedKeys } from "../common/define-feed.ts";
import { hubOf, linksIn } from "../common/hub-links.ts";
import { MOST_PAGES, pageReference, recheckPages } from "../common/recheck-pages.ts";
import { addressesIn } from "./rss/addresses-in-opml.ts";

/** RSS, Atom, RDF and JSON Feed, whatever the address calls it. */
export const rss = defineFeed({
  kind: "rss",
  about: "RSS, Atom or JSON feeds of news sites, blogs and forums, by address or from an OPML file.",
  config: z
    .strictObject({
      kind: z.literal("rss").describe("RSS, Atom and JSON feeds: news, blogs, forums."),
      ...FetchedKeys,
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
      headers: z
        .record(
          z.string().regex(/^[\w-]{1,100}$/, "expected the name of a header"),
          z.string().min(1).max(2_000),
        )
        .exactOptional()
        .meta({
          description:
            'Headers that its server wants, such as a key or another user agent. Sent to the servers of these addresses only. Example: { x-api-key: "${FEED_KEY}" }',
          writeOnly: true,
        }),
      login: z
        .strictObject({
          user: z.string().min(1).describe("Name of the account."),
          password: z
            .string()
            .min(1)
            .meta({ description: 'Its password. Example: "${FEED_PASSWORD}"', writeOnly: true }),
        })
        .exactOptional()
        .describe("For servers that ask for a name and a password (HTTP Basic)."),
      maxMegabytes: z
        .int()
        .min(1)
        .max(200)
        .exactOptional()
        .describe("The largest document that is read, in MB, also unpacked. Default: 50. Example: 100"),
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
  findsByLink: true,
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

interface Settings {
  readonly maxMegabytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly login?: { readonly user: string; readonly password: string };
}

function headersOf({ headers = {}, login }: Settings): Readonly<Record<string, string>> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const basic =
    login === undefined ? null : Buffer.from(`${login.user}:${login.password}`).toString("base64");
  return {
    accept: ACCEPT,
    ...Object.fromEntries(named),
    ...(basic === null ? {} : { authorization: `Basic ${basic}` }),
  };
}

/** Podcasts and archives have up to 30. */
const MEGABYTES = 50;

const ACCEPT =
  "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5";

function* readRss(part: FeedPart, settings: Settings, _cursor: unknown, now: Instant): FeedReader {
  const headers = headersOf(settings);
  const [answer] = yield [
    {
      url: part.url ?? "",
      conditional: true,
      headers,
      reads: "document",
      maxBytes: (settings.maxMegabytes ?? MEGABYTES) * 1_000_000,
    },
  ];
  if (answer?.document == null) return { items: [], deletes: [], cursor: null };
  // Where it is configured to be: one that has moved brings the same items.
  const scope = registrableDomain(part.url ?? answer.url) ?? "";
  const { items, leftOut, problem, usualLength, links } = answer.document;
  const hub = hubOf(links, linksIn(answer.header("link"), answer.url), answer.url);
  return {
    items: items.map((item) => ({ ...item, scope, ...pageReference(item.url) })),
    ...{ deletes: [], cursor: null, leftOut },
    // One that breaks off may name its hub in the part that did not come.
    ...(hub === null && problem !== null ? {} : { hub }),
    document: {
      ...spanOf(
        items.map(({ publishedAt }) => publishedAt),
        now,
      ),
      usualLength,
    },
    ...(problem === null ? {} : { problem }),
  };
}

function nameOf(url: string): string {
  const { host, pathname, search } = new URL(url);
  const shown = search.replaceAll(/([?&][^=&]*)=[^&]*/g, (whole, parameter: string) =>
    SECRET.test(parameter) ? `${parameter}=…` : whole,
  );
  return `${host}${pathname === "/" ? "" : pathname}${shown}`.slice(0, 100);
}

/** Parameters with which somebody shows that a private feed is theirs: names stand on pages and in messages. */
const SECRET = /(?:token|key|secret|password|passwd|auth|sig|signature)$/i;
