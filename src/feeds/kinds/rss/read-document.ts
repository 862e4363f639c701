import { parseFeed } from "feedsmith";
import { cutText } from "../../../lib/text.ts";
import { type FeedDocument, FeedError, type FeedItem } from "../../common/define-feed.ts";
import { readFeedDate } from "../../common/feed-date.ts";
import { textOfHtml } from "../../common/text-of-html.ts";

/** Of one document. */
const MOST_ITEMS = 5_000;
/** Names are cut where they are stored; this only keeps long ones from the loop. */
const LONGEST_NAME = 1_000;

/**
 * The items of a feed document of any format, the newest ones if they are too many, with text in place of HTML. Throws a
 * FeedError if it is none.
 */
export function readDocument(text: string, url: string): FeedDocument {
  const { document, problem } = parseDocument(text);
  const found = toItems(document, url);
  const items = newestFirst(found).slice(0, MOST_ITEMS).map(plain);
  return { items, leftOut: found.length - items.length, problem: problem ?? null };
}

/** In their order where they are few enough; those without a date stay before all others. */
function newestFirst(items: readonly FeedItem[]): readonly FeedItem[] {
  if (items.length <= MOST_ITEMS) return items;
  const at = ({ publishedAt }: FeedItem): number => publishedAt ?? Number.MAX_SAFE_INTEGER;
  return [...items].sort((a, b) => at(b) - at(a));
}

function plain(item: FeedItem): FeedItem {
  const { body, title, author, site } = item;
  const text = body === null ? null : "html" in body ? textOfHtml(body.html) : body.text;
  return {
    ...item,
    title: title === null ? null : cutText(title, LONGEST_NAME),
    author: author === null ? null : cutText(author, LONGEST_NAME),
    site: site == null ? null : cutText(site, LONGEST_NAME),
    body: text === null ? null : { text: cutText(text) },
  };
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
