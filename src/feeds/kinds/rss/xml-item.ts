import { parseUrl } from "../../../lib/parse-url.ts";
import { cutText } from "../../../lib/text.ts";
import { contentOf, lineOf, titleOf } from "./element-text.ts";
import { dateIn, type FeedFacts, type FoundItem, joinTexts, languageOf, withTags } from "./found-item.ts";
import type { XmlElement } from "./walk-xml.ts";

/** Names are cut where they are stored; this only keeps long ones from the loop. */
const LONGEST_NAME = 1_000;

/** When it was published, or else when it was last changed. */
const DATES = inOrder([
  ...["pubdate", "published", "atom:published", "issued", "dcterms:issued", "created", "dcterms:created"],
  ...["dc:date", "dcterms:date", "date", "updated", "atom:updated", "modified", "dcterms:modified"],
]);
/** What it says: the article and its excerpt, and what a reader shows beside it. */
const TEXTS = inOrder([
  ...["content:encoded", "content", "atom:content", "description", "summary", "atom:summary"],
  ...["body", "xhtml:body", "xhtml:div", "fullitem", "dc:description", "dcterms:abstract", "itunes:summary"],
  ...["itunes:subtitle", "subtitle"],
]);
const TITLES = inOrder(["title", "atom:title", "dc:title", "itunes:title"]);
const IDS = inOrder(["guid", "id", "atom:id"]);
const LINKS = inOrder(["link", "atom:link"]);
const LANGUAGES = inOrder(["dc:language", "language"]);
const AUTHORS = inOrder(["dc:creator", "dc:author", "itunes:author", "atom:author", "author"]);

const TAGS = inOrder([
  ...["category", "atom:category", "dc:subject", "media:category", "media:keywords", "itunes:keywords"],
]);

type Order = ReadonlyMap<string, number>;

function inOrder(names: readonly string[]): Order {
  return new Map(names.map((name, rank) => [name, rank]));
}

/** The fields with these names, in their order. */
function fieldsOf({ children }: Pick<XmlElement, "children">, order: Order): readonly XmlElement[] {
  const found = children.filter(({ name }) => order.has(name));
  const rank = ({ name }: XmlElement) => order.get(name) ?? 0;
  return found.length < 2 ? found : found.sort((a, b) => rank(a) - rank(b));
}

/** The name of a category: in Atom an attribute, whose label is for people; keywords are a list. */
function tagsIn(element: XmlElement): readonly string[] {
  const { name, attributes } = element;
  const label = attributes.get("label") ?? attributes.get("term") ?? lineOf(element) ?? "";
  return name.endsWith("keywords") ? label.split(",") : [label];
}

/** An RSS item or an Atom entry. */
export function toFound(item: XmlElement): FoundItem {
  const titled = fieldsOf(item, TITLES).find(isFilled);
  const media = mediaOf(item);
  const title = nameOf(titled) ?? nameOf(media.titles[0]);
  const texts = fieldsOf(item, TEXTS);
  const guidElement = fieldsOf(item, IDS).find(isFilled);
  const guid = lineOf(guidElement) ?? attributeOf(item, "about")?.trim() ?? null;
  const url = linkOf(item) ?? (isPermanent(guidElement) ? resolve(guid, item.base) : null);
  const isEntry = item.name === "entry";
  const contents = texts.map((one) => contentOf(one, isEntry ? "sniff" : "html"));
  for (const one of [...media.titles, ...media.descriptions]) {
    const note = contentOf(one, "text");
    if (!isTitle(note, title)) contents.push(note);
  }
  return {
    guid: guid === "" ? null : guid,
    url,
    title,
    text: withTags(joinTexts(contents, title), title, fieldsOf(item, TAGS).flatMap(tagsIn)),
    ...dateIn(fieldsOf(item, DATES).map(lineOf)),
    author: authorOf(item),
    language:
      languageOf(lineOf(fieldsOf(item, LANGUAGES)[0])) ??
      languageOf(texts[0]?.language ?? titled?.language ?? item.language),
    likes: media.likes,
  };
}

/** What a feed says of itself. `language`: of the answer that it came in. */
export function toFacts(fields: readonly XmlElement[], language: string | null): FeedFacts {
  const feed = { children: fields };
  const [person] = fieldsOf(feed, AUTHORS).filter(({ children }) => children.length > 0);
  return {
    site: nameOf(fieldsOf(feed, TITLES).find(isFilled)),
    language: languageOf(lineOf(fieldsOf(feed, LANGUAGES).find(isFilled))) ?? languageOf(language),
    // An entry without an author has that of its feed (RFC 4287).
    author: personIn(person),
    links: { hub: linkIn(fields, "hub"), self: linkIn(fields, "self") },
  };
}

/** The address of the first `<link>` of the feed with this relation. */
function linkIn(fields: readonly XmlElement[], relation: string): string | null {
  for (const field of fields) {
    const { name, base } = field;
    const isMeant = /^(?:atom:)?link$/.test(name) && attributeOf(field, "rel")?.toLowerCase() === relation;
    const href = isMeant ? attributeOf(field, "href")?.trim() : undefined;
    const url = href !== undefined && href.length <= LONGEST_LINK ? parseUrl(href, base) : null;
    if (url !== null) return url.href;
  }
  return null;
}

const LONGEST_LINK = 2_000;

function isFilled(element: XmlElement): boolean {
  return element.raw !== "" && lineOf(element) !== undefined;
}

function nameOf(element: XmlElement | undefined): string | null {
  const content = element === undefined ? null : contentOf(element, "html");
  if (content === null) return null;
  return cutText(titleOf("html" in content ? content.html : content.text).trim(), LONGEST_NAME);
}

/** Attributes of RDF have its prefix, or none. */
function attributeOf({ attributes }: XmlElement, name: string): string | undefined {
  for (const [key, value] of attributes) if (key === name || key.endsWith(`:${name}`)) return value;
  return undefined;
}

function resolve(address: string | null | undefined, base: string): string | null {
  const trimmed = address?.trim() ?? "";
  return trimmed === "" ? null : (parseUrl(trimmed, base)?.href ?? null);
}

/** The page of the item: the text of a link, else the address of the first that leads to the same in another form. */
function linkOf(item: XmlElement): string | null {
  const links = fieldsOf(item, LINKS);
  for (const link of links) {
    const text = lineOf(link);
    const found = text === undefined ? null : resolve(text, link.base);
    if (found !== null) return found;
  }
  const addressed = links.filter(
    ({ attributes }) => attributes.has("href") || attributes.has("rdf:resource"),
  );
  const relOf = (link: XmlElement) => link.attributes.get("rel")?.toLowerCase() ?? "alternate";
  const best = addressed.find((link) => relOf(link) === "alternate") ?? addressed[0];
  return best === undefined
    ? null
    : resolve(best.attributes.get("href") ?? best.attributes.get("rdf:resource"), best.base);
}

function isPermanent(guid: XmlElement | undefined): boolean {
  return guid?.attributes.get("ispermalink")?.trim().toLowerCase() === "true";
}

function authorOf(item: XmlElement): string | null {
  const authors = fieldsOf(item, AUTHORS);
  const person = personIn(authors.find(({ name, children }) => name === "author" && children.length > 0));
  return person ?? authors.map((one) => nameIn(lineOf(one))).find((name) => name !== null) ?? null;
}

/** The name of a person of Atom. */
function personIn(person: XmlElement | undefined): string | null {
  const name = lineOf(person?.children.find((child) => child.name === "name" || child.name === "atom:name"));
  return name === undefined ? null : cutText(name, LONGEST_NAME);
}

/** `mail@site.example (Ann Lee)` → `Ann Lee`: RSS wants an address there, which is nobody's business. */
function nameIn(text: string | undefined): string | null {
  const whole = text?.trim() ?? "";
  const opens = whole.lastIndexOf("(");
  if (opens >= 0 && whole.endsWith(")") && opens < whole.length - 2)
    return cutText(whole.slice(opens + 1, -1), LONGEST_NAME);
  const angle = whole.indexOf("<");
  const name = angle > 0 && whole.endsWith(">") ? whole.slice(0, angle).trim() : whole;
  return name === "" || name.includes("@") ? null : cutText(name, LONGEST_NAME);
}

/** Sites of videos and pictures have titles, descriptions and counts apart, also in groups. */
function mediaOf(
  { children }: XmlElement,
  found: Media = { titles: [], descriptions: [], likes: undefined },
): Media {
  for (const child of children) {
    const { name } = child;
    if (!name.startsWith("media:")) continue;
    if (name === "media:title") found.titles.push(child);
    else if (name === "media:description") found.descriptions.push(child);
    else if (name === "media:starrating") found.likes ??= countIn(child.attributes.get("count"));
    else mediaOf(child, found);
  }
  return found;
}

interface Media {
  readonly titles: XmlElement[];
  readonly descriptions: XmlElement[];
  likes: number | undefined;
}

function countIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text.trim()) ? Number(text) : undefined;
}

function isTitle(content: ReturnType<typeof contentOf>, title: string | null): boolean {
  return (
    content !== null &&
    title !== null &&
    titleOf("html" in content ? content.html : content.text).trim() === title
  );
}
