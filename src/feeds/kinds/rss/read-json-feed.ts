import { isRecord, readJson } from "../../../lib/json.ts";
import { parseUrl } from "../../../lib/parse-url.ts";
import { cutText } from "../../../lib/text.ts";
import type { Content } from "./element-text.ts";
import { titleOf } from "./element-text.ts";
import { dateIn, type FeedFacts, type FoundItem, joinTexts, languageOf, withTags } from "./found-item.ts";

/** A value of a stranger: each is looked at before it is used. */
type Loose = Readonly<Record<string, unknown>>;

/** The items of a JSON Feed, one by one; null if the text is none. */
export function readJsonFeed(
  text: string,
  base: string,
  { language, onItem }: { readonly language: string | null; readonly onItem: (item: FoundItem) => void },
): FeedFacts | null {
  const feed = readJson(text);
  if (!isRecord(feed) || !Array.isArray(feed["items"])) return null;
  const version = textIn(feed["version"]) ?? "";
  if (!version.includes("jsonfeed") && textIn(feed["title"]) === undefined) return null;
  for (const item of feed["items"]) if (isRecord(item)) onItem(toFound(item, base));
  return {
    site: nameIn(feed["title"]),
    language: languageOf(textIn(feed["language"])) ?? languageOf(language),
    author: authorIn(feed),
    links: { hub: hubIn(feed, base), self: addressIn(feed["feed_url"], base) },
  };
}

function hubIn({ hubs }: Loose, base: string): string | null {
  const all: readonly unknown[] = Array.isArray(hubs) ? hubs : [];
  const hub = all.find((one) => isRecord(one) && /^websub$/i.test(textIn(one["type"]) ?? ""));
  return isRecord(hub) ? addressIn(hub["url"], base) : null;
}

function addressIn(value: unknown, base: string): string | null {
  const address = textIn(value);
  return address === undefined ? null : (parseUrl(address, base)?.href ?? null);
}

function toFound(item: Loose, base: string): FoundItem {
  const { id, url, external_url: external } = item;
  const guid = typeof id === "number" ? String(id) : textIn(id);
  const title = nameIn(item["title"]);
  const address = textIn(url) ?? textIn(external);
  const html = textIn(item["content_html"]);
  const contents: Content[] = html === undefined ? [] : [{ html }];
  for (const field of html === undefined ? ["content_text", "summary"] : ["summary"]) {
    const text = textIn(item[field]);
    if (text !== undefined) contents.push({ text });
  }
  return {
    guid: guid ?? null,
    title,
    url: address === undefined ? null : (parseUrl(address, base)?.href ?? null),
    text: withTags(joinTexts(contents, title), title, tagsIn(item)),
    ...dateIn([textIn(item["date_published"]), textIn(item["date_modified"])]),
    author: authorIn(item),
    language: languageOf(textIn(item["language"])),
  };
}

function tagsIn({ tags }: Loose): readonly string[] {
  return Array.isArray(tags) ? tags.slice(0, 100).flatMap((tag: unknown) => textIn(tag) ?? []) : [];
}

function authorIn({ authors, author }: Loose): string | null {
  const first: unknown = Array.isArray(authors) ? authors[0] : author;
  return isRecord(first) ? nameIn(first["name"]) : null;
}

const LONGEST_NAME = 1_000;

function nameIn(value: unknown): string | null {
  const text = textIn(value);
  return text === undefined ? null : cutText(titleOf(text), LONGEST_NAME);
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
