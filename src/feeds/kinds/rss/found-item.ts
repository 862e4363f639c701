import type { Instant } from "../../../lib/instant.ts";
import { cutText } from "../../../lib/text.ts";
import type { FeedDocument, FeedItem } from "../../common/define-feed.ts";
import { readFeedDate } from "../../common/feed-date.ts";
import { readAgo } from "../../common/local-date.ts";
import { oneLine, textOfHtml, tidyLines } from "../../common/text-of-html.ts";
import type { Content } from "./element-text.ts";

/** An item of a document, before its neighbours are known. */
export interface FoundItem {
  /** As the document names it; null: it does not. */
  readonly guid: string | null;
  readonly url: string | null;
  readonly title: string | null;
  readonly text: string | null;
  readonly date: Instant | null;
  /** Where it has no date, but says how long ago it was. */
  readonly agoMs: number | null;
  readonly author: string | null;
  readonly language: string | null;
  readonly likes?: number | undefined;
}

/** What a document says of itself. */
export interface FeedFacts {
  readonly site: string | null;
  readonly language: string | null;
  readonly author: string | null;
  readonly links: FeedDocument["links"];
}

/** Of the lines of an excerpt, more are not compared. */
const MOST_LINES = 100;

/**
 * The longest of the texts, and below it what the others say beside it: most feeds have the whole text and an excerpt,
 * some say different things in their fields, and people search in all of them.
 */
export function joinTexts(contents: readonly (Content | null)[], title: string | null): string | null {
  const texts: string[] = [];
  for (const one of contents) {
    const text = one === null ? "" : textOf(one);
    if (text !== "") texts.push(text);
  }
  if (texts.length === 1) return texts[0] ?? null;
  const [longest = null, ...others] = texts.sort((a, b) => b.length - a.length);
  if (longest === null) return null;
  let all = longest;
  for (const other of others) {
    if (all.includes(other)) continue;
    const known = oneLine(`${title ?? ""} ${all}`);
    const added = other
      .split("\n", MOST_LINES)
      .filter((line) => line !== "" && !known.includes(withoutDots(oneLine(line))));
    if (added.length > 0) all = `${all}\n\n${added.join("\n")}`;
  }
  return cutText(all);
}

const MOST_TAGS = 20;
const LONGEST_TAG = 100;

/** The text, and below it the categories that an item has and its text does not name: people search for those, too. */
export function withTags(text: string | null, title: string | null, tags: readonly string[]): string | null {
  const known = `${title ?? ""} ${text ?? ""}`.toLowerCase();
  const fit = tags.map((tag) => oneLine(tag)).filter((tag) => tag !== "" && tag.length <= LONGEST_TAG);
  const added = [...new Set(fit)].slice(0, MOST_TAGS).filter((tag) => !known.includes(tag.toLowerCase()));
  // Without anything else it is no item.
  if (added.length === 0 || known.trim() === "") return text;
  return cutText([...(text === null ? [] : [text]), added.join(", ")].join("\n\n"));
}

function textOf(content: Content): string {
  return cutText("html" in content ? textOfHtml(content.html) : tidyLines(content.text));
}

/** An excerpt ends with `[…]`, `…` or `...`. */
function withoutDots(line: string): string {
  return line.replace(/\s?[[(]?(?:…|\.{3})[\])]?$/, "");
}

/** The first of these that is a date, or a time before now. */
export function dateIn(texts: readonly (string | undefined)[]): Pick<FoundItem, "date" | "agoMs"> {
  for (const text of texts) {
    const date = readFeedDate(text);
    if (date !== null) return { date, agoMs: null };
  }
  for (const text of texts) {
    const agoMs = text === undefined ? null : readAgo(text);
    if (agoMs !== null) return { date: null, agoMs };
  }
  return { date: null, agoMs: null };
}

/** `en-GB` → `en`; null for anything that is none of two letters. */
export function languageOf(name: string | null | undefined): string | null {
  const two = /^\s*([a-z]{2})(?![a-z])/i.exec(name ?? "")?.[1];
  return two === undefined ? null : two.toLowerCase();
}

/** Items with ids that are theirs alone, and with what they have from their feed. */
export function toItems(found: readonly FoundItem[], feed: FeedFacts): FeedItem[] {
  const idOf = idsAmong(found);
  const items: FeedItem[] = [];
  for (const item of found) {
    const { guid, url, title, text, date, agoMs, author, language, likes } = item;
    const id = idOf(item);
    if (id === null) continue;
    items.push({
      id,
      url: url ?? (guid !== null && /^https?:\/\//i.test(guid) ? guid : null),
      title,
      body: text === null ? null : { text },
      publishedAt: date,
      ...(agoMs === null ? {} : { publishedAgoMs: agoMs }),
      author: author ?? feed.author,
      site: feed.site,
      language: language ?? feed.language,
      ...(likes === undefined ? {} : { engagement: { likes } }),
    });
  }
  return items;
}

/** The id of each item of a document, which only all of them together show; null: it has nothing of its own. */
function idsAmong(found: readonly FoundItem[]): (item: FoundItem) => string | null {
  const links = new Map<string, Set<string>>();
  const pages = new Map<
    string,
    { readonly titles: Set<string | null>; readonly dates: Set<number | null> }
  >();
  const named = new Map<string, Set<number | null>>();
  for (const item of found) {
    const { guid, url, title, date } = item;
    if (guid !== null) links.set(guid, (links.get(guid) ?? new Set()).add(url ?? ""));
    else {
      const page = pages.get(standInOf(item)) ?? { titles: new Set(), dates: new Set() };
      page.titles.add(title);
      page.dates.add(date);
      pages.set(standInOf(item), page);
      named.set(nameOf(item), (named.get(nameOf(item)) ?? new Set()).add(date));
    }
  }
  return (item) => {
    const { guid, url, title, text, date } = item;
    // One id for several addresses is no id.
    if (guid !== null) return (links.get(guid)?.size ?? 0) > 1 ? `${guid} ${url ?? title ?? ""}` : guid;
    const { titles, dates } = pages.get(standInOf(item)) ?? { titles: new Set(), dates: new Set() };
    // And one page for several times is none: a list of changes, say. A page that is listed twice has one date.
    const isShared = dates.size > 1 || (dates.has(null) && titles.size > 1);
    if (!isShared) return url ?? title ?? text;
    // Some documents have other dates at every fetch.
    return (named.get(nameOf(item))?.size ?? 0) > 1 ? `${nameOf(item)} ${date ?? ""}` : nameOf(item);
  };
}

function nameOf(item: FoundItem): string {
  return `${standInOf(item)} ${item.title ?? ""}`;
}

/** What stands for the id of an item without one. */
function standInOf({ url, title, text }: FoundItem): string {
  return url ?? title ?? text ?? "";
}
