import { cutText } from "../../../lib/text.ts";
import { contentOf, lineOf, titleOf } from "./element-text.ts";
import { dateIn, type FeedFacts, type FoundItem, joinTexts, languageOf } from "./found-item.ts";
import type { XmlElement } from "./walk-xml.ts";

/** Names are cut where they are stored; this only keeps long ones from the loop. */
const LONGEST_NAME = 1_000;

/** When it was published, or else when it was last changed. */
const DATES = [
  ...["pubdate", "published", "atom:published", "issued", "dcterms:issued", "created", "dcterms:created"],
  ...["dc:date", "dcterms:date", "date", "updated", "atom:updated", "modified", "dcterms:modified"],
];
/** What it says: the article and its excerpt. */
const TEXTS = [
  ...["content:encoded", "content", "atom:content", "description", "summary", "atom:summary"],
  ...["body", "xhtml:body", "xhtml:div", "fullitem", "dc:description", "dcterms:abstract", "itunes:summary"],
];
/** What a reader shows beside it. */
const NOTES = ["itunes:subtitle", "subtitle"];
const TITLES = ["title", "atom:title", "dc:title", "itunes:title"];

/** An RSS item or an Atom entry. */
export function toFound(item: XmlElement): FoundItem {
  const all = (names: readonly string[]) => names.flatMap((name) => named(item, name));
  const [titled] = all(TITLES).filter((one) => lineOf(one) !== undefined);
  const media = mediaOf(item);
  const title = nameOf(titled) ?? nameOf(media.titles[0]);
  const texts = all([...TEXTS, ...NOTES]);
  const guidElement = all(["guid", "id", "atom:id"]).find((one) => lineOf(one) !== undefined);
  const guid = lineOf(guidElement) ?? attributeOf(item, "about")?.trim() ?? null;
  const url = linkOf(item) ?? (isPermanent(guidElement) ? resolve(guid, item.base) : null);
  const isEntry = item.name === "entry";
  const contents = texts.map((one) => contentOf(one, isEntry ? "sniff" : "html"));
  const notes = [...media.titles, ...media.descriptions].map((one) => contentOf(one, "text"));
  return {
    ...{ guid: guid === "" ? null : guid, url, title },
    text: joinTexts([...contents, ...notes.filter((one) => !isTitle(one, title))], title),
    ...dateIn(all(DATES).map(lineOf)),
    author: authorOf(item),
    language:
      languageOf(lineOf(all(["dc:language", "language"])[0])) ??
      languageOf(texts[0]?.language ?? titled?.language ?? item.language),
    likes: media.likes,
  };
}

/** What a feed says of itself. `language`: of the answer that it came in. */
export function toFacts(fields: readonly XmlElement[], language: string | null): FeedFacts {
  const feed: XmlElement = {
    name: "feed",
    attributes: new Map(),
    raw: "",
    language: null,
    base: "",
    children: fields,
  };
  const one = (...names: string[]) =>
    names.flatMap((name) => named(feed, name)).find((found) => lineOf(found) !== undefined);
  return {
    site: nameOf(one(...TITLES)),
    language: languageOf(lineOf(one("language", "dc:language"))) ?? languageOf(language),
    // An entry without an author has that of its feed (RFC 4287).
    author: personIn(named(feed, "author").find(({ children }) => children.length > 0)),
  };
}

function named({ children }: XmlElement, name: string): readonly XmlElement[] {
  return children.filter((child) => child.name === name);
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
  return trimmed !== "" && URL.canParse(trimmed, base) ? new URL(trimmed, base).href : null;
}

/** The page of the item: the text of a link, else the address of the first that leads to the same in another form. */
function linkOf(item: XmlElement): string | null {
  const links = [...named(item, "link"), ...named(item, "atom:link")];
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
  const [own] = named(item, "author");
  const names = ["dc:creator", "dc:author", "itunes:author", "atom:author"].flatMap((name) =>
    named(item, name),
  );
  const written = own !== undefined && own.children.length > 0 ? personIn(own) : null;
  const first = [...names, ...(own === undefined ? [] : [own])]
    .map((one) => nameIn(lineOf(one)))
    .find((name) => name !== null);
  return written ?? first ?? null;
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
function mediaOf(item: XmlElement) {
  const found = {
    titles: [] as XmlElement[],
    descriptions: [] as XmlElement[],
    likes: undefined as number | undefined,
  };
  const look = (element: XmlElement): void => {
    for (const child of element.children) {
      if (child.name === "media:title") found.titles.push(child);
      else if (child.name === "media:description") found.descriptions.push(child);
      else if (child.name === "media:starrating") found.likes ??= countIn(child.attributes.get("count"));
      else if (child.name.startsWith("media:")) look(child);
    }
  };
  look(item);
  return found;
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
