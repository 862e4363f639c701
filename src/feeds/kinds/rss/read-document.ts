import { parseUrl } from "../../../lib/parse-url.ts";
import type { FeedDocument } from "../../common/define-feed.ts";
import { FeedError } from "../../common/feed-error.ts";
import { type FeedFacts, type FoundItem, toItems } from "./found-item.ts";
import { readJsonFeed } from "./read-json-feed.ts";
import { walkXml } from "./walk-xml.ts";
import { toFacts, toFound } from "./xml-item.ts";

/** Of one document: what is beyond is older, or has no date and stands behind. */
const MOST_ITEMS = 5_000;
/** Of their texts and titles together: what comes back from a thread stops the loop for a moment. */
const MOST_CHARACTERS = 8_000_000;

/** What an answer says of the document besides its text. */
interface DocumentHeaders {
  /** The address that its addresses are relative to, where that is not the one that answered. */
  readonly location?: string | null;
  readonly language?: string | null;
}

/**
 * The items of a feed document of any format, the newest ones if they are too many, with text in place of HTML. Throws a
 * FeedError if it is none.
 */
export function readDocument(
  text: string,
  url: string,
  { location = null, language = null }: DocumentHeaders = {},
): FeedDocument {
  const base = location === null ? url : (parseUrl(location, url)?.href ?? url);
  const plain = text.replace(/^[\s\ufeff]+/, "");
  const kept = keepNewest();
  const { feed, problem } = /^[[{]/.test(plain)
    ? readJsonDocument(plain, base, language, kept.add)
    : readXmlDocument(plain, base, language, kept);
  const { items, leftOut } = kept.end();
  const { links } = feed;
  return { items: toItems(items, feed), leftOut, problem, usualLength: middleLength(items), links };
}

function middleLength(items: readonly FoundItem[]): number | null {
  const lengths = items.map(({ text }) => text?.length ?? 0).sort((a, b) => a - b);
  return lengths[Math.floor(lengths.length / 2)] ?? null;
}

type DocumentFacts = { readonly feed: FeedFacts; readonly problem: string | null };

function readJsonDocument(
  text: string,
  base: string,
  language: string | null,
  onItem: (item: FoundItem) => void,
): DocumentFacts {
  const feed = readJsonFeed(text, base, { language, onItem });
  if (feed === null) throw new FeedError("its answer is JSON, and no JSON feed");
  return { feed, problem: null };
}

/** A document that breaks off ends behind its last whole item: the others come when it is fetched again. */
function readXmlDocument(
  text: string,
  base: string,
  language: string | null,
  kept: ReturnType<typeof keepNewest>,
): DocumentFacts {
  const root = WEB_PAGE.test(text) ? null : /<(?:[\w-]+:)?(?:rss|feed|rdf)(?=[\s>/])/i.exec(text);
  if (root === null) throw new FeedError(whatItIs(text));
  const { fields, isWhole } = walkXml(text.slice(root.index), {
    base,
    onItem: (item) => kept.add(toFound(item)),
  });
  if (!isWhole && kept.count() === 0)
    throw new FeedError("its document breaks off before the end of its first item");
  const problem = isWhole ? null : "its document breaks off; the whole items of it were read";
  return { feed: toFacts(fields, language), problem };
}

/** As many items as are kept of a document, in their order where they are few enough. */
function keepNewest() {
  let found: FoundItem[] = [];
  let [count, characters] = [0, 0];
  const sizeOf = ({ text, title }: FoundItem) => (text?.length ?? 0) + (title?.length ?? 0);
  // Those without a date stay before all others.
  const at = ({ date }: FoundItem): number => date ?? Number.MAX_SAFE_INTEGER;
  const cut = (): void => {
    found.sort((a, b) => at(b) - at(a));
    let [most, sum] = [0, 0];
    for (const item of found.slice(0, MOST_ITEMS)) {
      sum += sizeOf(item);
      if (sum > MOST_CHARACTERS && most > 0) break;
      most++;
    }
    found = found.slice(0, most);
    characters = found.reduce((total, item) => total + sizeOf(item), 0);
  };
  const isFull = (factor: number) =>
    found.length > factor * MOST_ITEMS || characters > factor * MOST_CHARACTERS;
  return {
    count: () => count,
    add(item: FoundItem): void {
      found.push(item);
      count++;
      characters += sizeOf(item);
      // A document of any length takes memory for twice as many.
      if (isFull(2)) cut();
    },
    end(): { readonly items: readonly FoundItem[]; readonly leftOut: number } {
      if (isFull(1)) cut();
      return { items: found, leftOut: count - found.length };
    },
  };
}

const WEB_PAGE = /^(?:<\?xml[^>]*\?>\s*)?(?:<!doctype html|<html[\s>]|<(?:head|body|div|script)[\s>])/i;

/** What stands at the address instead of a feed, in words that help. */
function whatItIs(text: string): string {
  if (text.trim() === "") return "its answer is empty";
  if (WEB_PAGE.test(text)) {
    const link = /<link\b[^>]*type\s*=\s*["']application\/(?:rss|atom)\+xml["'][^>]*>/i.exec(
      text.slice(0, 100_000),
    )?.[0];
    const href = /href\s*=\s*["']([^"']{1,300})["']/i.exec(link ?? "")?.[1];
    return href === undefined
      ? "a web page is at this address, not a feed (a login, a block page, or the address of the site itself)"
      : `a web page is at this address, not a feed; its feed is at ${href}`;
  }
  return /^</.test(text) ? "its XML is damaged, or no feed" : "its answer is no feed";
}
