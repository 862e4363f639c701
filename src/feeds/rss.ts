import { parseFeed, parseOpml } from "feedsmith";
import { z } from "zod";
import { UserError } from "../lib/errors.ts";
import { HttpAddress } from "../lib/http-address.ts";
import { HOUR, MINUTE, SECOND } from "../lib/instant.ts";
import { registrableDomain } from "./common/canonical-url.ts";
import {
  defineFeed,
  type FeedAnswer,
  FeedError,
  type FeedItem,
  FeedKeys,
  type FeedPart,
  type FeedReader,
} from "./common/define-feed.ts";
import { readFeedDate } from "./common/feed-date.ts";
import { MOST_PAGES, pageReference, recheckPages } from "./common/recheck-pages.ts";
import { textOfHtml } from "./common/text-of-html.ts";

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
  recheck: { most: MOST_PAGES, read: recheckPages },
});

const ACCEPT =
  "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5";

function* readRss(part: FeedPart): FeedReader {
  const [answer] = yield [{ url: part.url ?? "", conditional: true, headers: { accept: ACCEPT } }];
  if (answer === undefined || answer.status === 304) return { items: [], deletes: [], cursor: null };
  const scope = registrableDomain(answer.url) ?? "";
  const { items, problem } = readDocument(answer);
  return {
    items: items.map((item) => ({ ...item, scope, ...pageReference(item.url) })),
    ...{ deletes: [], cursor: null },
    ...(problem === undefined ? {} : { problem }),
  };
}

/** The items of a feed document of any format. Throws a FeedError if it is none. */
export function readDocument(answer: FeedAnswer): { items: FeedItem[]; problem?: string } {
  const { document, problem } = parseDocument(answer.body);
  return { items: toItems(document, answer.url), ...(problem === undefined ? {} : { problem }) };
}

type Parsed = ReturnType<typeof parseFeed>;

/**
 * feedsmith reads what most readers do: prefixed names, capitals, tags that do not match, stray `&`. It expands no
 * entities of the document itself, so that an entity bomb stays a few characters. (rss-parser refuses those documents,
 * moves bold words to the end of an XHTML text, and needs 8 s for 20,000 nested tags.)
 */
function parseDocument(body: string): { document: Parsed; problem?: string } {
  const text = body.replace(/^[\s\ufeff]+/, "");
  const whole = wholeItems(text);
  try {
    if (whole === null) return { document: parseFeed(text) };
    return {
      document: parseFeed(whole),
      problem: "its document breaks off; the whole items of it were read",
    };
  } catch {
    throw new FeedError(whatItIs(text));
  }
}

/**
 * A document that breaks off, ended behind its last whole item; null for one that reaches its end. The library takes
 * some broken ones for whole, and the items behind the break would be missed until the document changes.
 */
function wholeItems(text: string): string | null {
  const opening = /<((?:[\w-]+:)?(?:rss|feed|rdf))[\s>]/i.exec(text);
  const root = opening?.[1];
  if (opening === null || root === undefined) return null;
  const ends = [...text.matchAll(/<\/(?:[\w-]+:)?(?:item|entry)\s*>/gi)];
  const last = ends.at(-1);
  const until = last === undefined ? opening.index + root.length : last.index + last[0].length;
  if (text.slice(until).toLowerCase().includes(`</${root.toLowerCase()}`)) return null;
  if (last === undefined) throw new FeedError("its document breaks off before the end of its first item");
  // In RDF, items stand beside the channel.
  return `${text.slice(0, until)}${/rss$/i.test(root) ? "</channel>" : ""}</${root}>`;
}

/** What stands at the address instead of a feed, in words that help. */
function whatItIs(text: string): string {
  if (text.trim() === "") return "its answer is empty";
  if (/^(?:<!doctype html|<html[\s>]|<(?:head|body|div|script)[\s>])/i.test(text)) {
    const link = /<link\b[^>]*type\s*=\s*["']application\/(?:rss|atom)\+xml["'][^>]*>/i.exec(
      text.slice(0, 100_000),
    )?.[0];
    const href = /href\s*=\s*["']([^"']{1,300})["']/i.exec(link ?? "")?.[1];
    return href === undefined
      ? "a web page is at this address, not a feed (a login, a block page, or the address of the site itself)"
      : `a web page is at this address, not a feed; its feed is at ${href}`;
  }
  if (/^[[{]/.test(text)) return "its answer is JSON, and no JSON feed";
  return /^</.test(text) ? "its XML is damaged, or no feed" : "its answer is no feed";
}

/** What each format calls the fields, in one shape. */
interface Fields {
  readonly guid: string | undefined;
  readonly link: string | undefined;
  readonly title: string | undefined;
  readonly html: string | undefined;
  readonly date: unknown;
  readonly author: string | undefined;
  readonly isPlain?: boolean;
  readonly likes?: number | undefined;
}

function toItems(parsed: Parsed, base: string): FeedItem[] {
  const { site, language, items } = fieldsOf(parsed);
  const links = new Map<string, Set<string>>();
  for (const { guid, link } of items)
    if (guid !== undefined) links.set(guid, (links.get(guid) ?? new Set()).add(link ?? ""));
  return items.flatMap(({ guid, link, title, html, date, author, isPlain, likes }) => {
    const url =
      link !== undefined && URL.canParse(link.trim(), base) ? new URL(link.trim(), base).href : null;
    // One id for several addresses is no id.
    const isShared = guid !== undefined && (links.get(guid)?.size ?? 0) > 1;
    const id = isShared ? `${guid} ${url ?? title ?? ""}` : (guid ?? url ?? title ?? html);
    if (id === undefined) return [];
    const item: FeedItem = {
      id,
      url: url ?? (guid !== undefined && /^https?:\/\//i.test(guid) ? guid : null),
      title: title === undefined ? null : plainTitle(title),
      body: html === undefined ? null : isPlain === true ? { text: html } : { html },
      publishedAt: readFeedDate(typeof date === "string" ? date : null),
      author: author ?? null,
      ...(likes === undefined ? {} : { engagement: { likes } }),
      site: site === undefined ? null : plainTitle(site),
      language:
        language !== undefined && /^[a-z]{2}\b/i.test(language) ? language.slice(0, 2).toLowerCase() : null,
    };
    return [item];
  });
}

/** Titles are HTML in some feeds and text in others; without tags and entities both are the same. */
function plainTitle(title: string): string {
  return /<[a-z/!]|&(?:#\d|#x|[a-z]+;)/i.test(title) ? textOfHtml(title) : title;
}

function fieldsOf(parsed: Parsed): {
  site: string | undefined;
  language: string | undefined;
  items: readonly Fields[];
} {
  switch (parsed.format) {
    case "rss": {
      const { title, language, items = [] } = parsed.feed;
      return {
        site: title,
        language,
        items: items.map((item) => ({
          guid: item.guid?.value,
          link: item.link ?? (item.guid?.isPermaLink === true ? item.guid.value : undefined),
          title: item.title,
          html: longer(item.content?.encoded, item.description),
          date: item.pubDate ?? item.dc?.dates?.[0],
          author: item.dc?.creators?.[0] ?? authorIn(item.authors?.[0]),
        })),
      };
    }
    case "atom": {
      const { title, entries = [] } = parsed.feed;
      return {
        site: title?.value,
        language: undefined,
        items: entries.map((entry) => ({
          ...mediaOf(entry.media?.groups?.[0]),
          guid: entry.id,
          link:
            entry.links?.find(({ rel }) => rel === undefined || rel === "alternate")?.href ??
            entry.links?.[0]?.href,
          title: entry.title?.value,
          ...textOfEntry(entry),
          date: entry.published ?? entry.updated,
          author: entry.authors?.[0]?.name,
        })),
      };
    }
    case "rdf": {
      const { title, items = [] } = parsed.feed;
      return {
        site: title,
        language: undefined,
        items: items.map((item) => ({
          guid: item.rdf?.about,
          link: item.link,
          title: item.title,
          html: longer(item.content?.encoded, item.description),
          date: item.dc?.dates?.[0],
          author: item.dc?.creators?.[0],
        })),
      };
    }
    case "json": {
      const { title, language, items = [] } = parsed.feed;
      return {
        site: title,
        language,
        items: items.map((item) => ({
          guid: item.id,
          link: item.url ?? item.external_url,
          title: item.title,
          html: item.content_html ?? item.content_text ?? item.summary,
          isPlain: item.content_html === undefined,
          date: item.date_published ?? item.date_modified,
          author: item.authors?.[0]?.name,
        })),
      };
    }
  }
}

/** Sites of videos have the description and the counts apart, where an entry has no text. */
function mediaOf(
  group: { description?: { value?: string }; community?: { starRating?: { count?: number } } } | undefined,
): Pick<Fields, "html" | "isPlain" | "likes"> {
  return { html: group?.description?.value, isPlain: true, likes: group?.community?.starRating?.count };
}

function textOfEntry(entry: {
  content?: { value?: string; type?: string };
  summary?: { value?: string; type?: string };
}): Partial<Pick<Fields, "html" | "isPlain">> {
  const html = longer(entry.content?.value, entry.summary?.value);
  return html === undefined ? {} : { html, isPlain: (entry.content ?? entry.summary)?.type === "text" };
}

/** Many feeds have the whole text and an excerpt. */
function longer(one: string | undefined, other: string | undefined): string | undefined {
  return (one?.length ?? -1) >= (other?.length ?? -1) ? one : other;
}

/** `mail@site.example (Ann Lee)` → `Ann Lee`: RSS wants an address there, which is nobody's business. */
function authorIn(author: unknown): string | undefined {
  const text = typeof author === "string" ? author : Reflect.get(Object(author), "name");
  if (typeof text !== "string") return undefined;
  const whole = text.trim();
  const opens = whole.lastIndexOf("(");
  if (opens >= 0 && whole.endsWith(")") && opens < whole.length - 2) return whole.slice(opens + 1, -1);
  return whole.includes("@") ? undefined : whole;
}

function nameOf(url: string): string {
  const { host, pathname, search } = new URL(url);
  return `${host}${pathname === "/" ? "" : pathname}${search}`.slice(0, 100);
}

function addressesIn(text: string, file: string): string[] {
  try {
    const found: string[] = [];
    const walk = (outlines: readonly { xmlUrl?: string; outlines?: readonly object[] }[] = []): void => {
      for (const { xmlUrl, outlines: inner } of outlines) {
        if (xmlUrl !== undefined && HttpAddress.safeParse(xmlUrl).success) found.push(xmlUrl);
        walk(inner as typeof outlines);
      }
    };
    walk(parseOpml(text).body?.outlines as Parameters<typeof walk>[0]);
    if (found.length > 0) return found;
  } catch {
    // Said below.
  }
  throw new UserError(`${file} is no OPML file with addresses of feeds (xmlUrl)`);
}
