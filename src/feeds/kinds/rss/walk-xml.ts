import { parseUrl } from "../../../lib/parse-url.ts";
import { decodeEntities } from "../../common/entities.ts";
import { tokenize } from "../../common/tokenize.ts";

/** An element of a feed: a field, or a group of fields. */
export interface XmlElement {
  /** In small letters, with the usual prefix of its namespace whatever the document calls it: `title`, `dc:creator`. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** What stands between its tags, as it is written. */
  readonly raw: string;
  /** `xml:lang` of it or of what contains it. */
  readonly language: string | null;
  /** What its addresses are relative to. */
  readonly base: string;
  readonly children: readonly XmlElement[];
}

/** What a document is besides its items. */
interface WalkedDocument {
  /** The fields of the feed itself. */
  readonly fields: readonly XmlElement[];
  /** Whether its root has an end. */
  readonly isWhole: boolean;
}

/** Groups of fields; every other element is a field, and what is in it is its text. */
const GROUPS = new Set([
  "author",
  "source",
  "media:group",
  "media:content",
  "media:community",
  "media:player",
]);
const ROOTS = new Set(["rss", "feed", "rdf:rdf", "rdf", "channel"]);
const ITEMS = new Set(["item", "entry"]);
const MOST_FIELDS = 300;
const MOST_ATTRIBUTES = 20;
const LONGEST_ATTRIBUTE = 4_000;
const DEEPEST = 40;

/** Namespaces by their addresses, without `https`, `www`, and what stands at their ends. "": the format itself. */
const NAMESPACES = new Map<string, string>([
  ...["purl.org/rss/1.0", "purl.org/net/rss1.1", "my.netscape.com/rdf/simple/0.9"].map(
    (uri) => [uri, ""] as const,
  ),
  ...["backend.userland.com/rss2", "backend.userland.com/rss", "blogs.law.harvard.edu/tech/rss"].map(
    (uri) => [uri, ""] as const,
  ),
  ["w3.org/2005/atom", "atom"],
  ["purl.org/atom/ns", "atom"],
  ["w3.org/1999/02/22-rdf-syntax-ns", "rdf"],
  ["w3.org/1999/xhtml", "xhtml"],
  ["purl.org/dc/elements/1.1", "dc"],
  ["purl.org/dc/elements/1.0", "dc"],
  ["purl.org/dc/terms", "dcterms"],
  ["purl.org/rss/1.0/modules/content", "content"],
  ["itunes.com/dtds/podcast-1.0.dtd", "itunes"],
  ["search.yahoo.com/mrss", "media"],
]);

interface OpenElement {
  /** As it is written, in small letters. */
  readonly tag: string;
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly contentAt: number;
  readonly language: string | null;
  readonly base: string;
  /** The namespace of names without a prefix. */
  readonly plainNamespace: string | undefined;
  readonly children: XmlElement[];
  readonly role: "root" | "item" | "group" | "field" | "other";
}

/**
 * Reads a feed in one pass, element by element, and hands over each item when it ends: a large document costs memory for
 * one item. Prefixes, capitals, tags that do not match and stray `&` do no harm. Only the tokenizer of htmlparser2 is
 * used, whose time is in proportion to the length.
 *
 * @param text begins with its root
 */
export function walkXml(
  text: string,
  { base, onItem }: { readonly base: string; readonly onItem: (item: XmlElement) => void },
): WalkedDocument {
  const open: OpenElement[] = [];
  const fields: XmlElement[] = [];
  const prefixes = new Map<string, string>();
  let isAtom = false;
  let isWhole = false;
  let tag: { readonly name: string; attributes: Map<string, string> | null } | null = null;
  let [attribute, value] = ["", ""];
  // Inside a field, only tags of the same name count: they say where it ends.
  let [field, nested, isSame]: [OpenElement | null, number, boolean] = [null, 0, false];
  const lower = (start: number, end: number) => text.slice(start, end).toLowerCase();

  function nameOf(written: string, plainNamespace: string | undefined): string {
    const colon = written.indexOf(":");
    const prefix = colon < 0 ? "" : written.slice(0, colon);
    const uri = colon < 0 ? plainNamespace : prefixes.get(prefix);
    const usual = uri === undefined ? undefined : NAMESPACES.get(uri);
    const namespace = usual ?? prefix;
    const isPlain = namespace === "" || (isAtom && namespace === "atom");
    return isPlain ? written.slice(colon + 1) : `${namespace}:${written.slice(colon + 1)}`;
  }

  function begin(written: string, attributes: ReadonlyMap<string, string>, contentAt: number): OpenElement {
    const parent = open.at(-1);
    for (const [name, uri] of attributes)
      if (name.startsWith("xmlns:") && prefixes.size < 100) prefixes.set(name.slice(6), plainUri(uri));
    const ownNamespace = attributes.get("xmlns");
    const plainNamespace = ownNamespace === undefined ? parent?.plainNamespace : plainUri(ownNamespace);
    if (parent === undefined) {
      isAtom = written.endsWith("feed");
      // Whatever namespace the root is in, it is that of the format.
      const colon = written.indexOf(":");
      if (colon > 0 && !written.endsWith(":rdf")) prefixes.set(written.slice(0, colon), NAMESPACE_OF_FORMAT);
    }
    const name = nameOf(written, plainNamespace);
    const own = attributes.get("xml:base")?.trim() ?? "";
    const outer = parent?.base ?? base;
    const role = roleOf(name, parent);
    // Spelled out: there is one for every element, and spreading takes a third of the time.
    return {
      tag: written,
      name,
      attributes,
      contentAt,
      plainNamespace,
      role,
      language: attributes.get("xml:lang") ?? parent?.language ?? null,
      base: own !== "" && own.length < 2_000 ? (parseUrl(own, outer)?.href ?? outer) : outer,
      children: role === "field" ? NO_CHILDREN : [],
    };
  }

  function roleOf(name: string, parent: OpenElement | undefined): OpenElement["role"] {
    if (parent === undefined || (parent.role === "root" && ROOTS.has(name))) return "root";
    if (parent.role === "root" && ITEMS.has(name)) return "item";
    if (parent.role === "item" || parent.role === "group") return GROUPS.has(name) ? "group" : "field";
    if (parent.role !== "root") return "other";
    return NOT_OF_THE_FEED.has(name) ? "other" : GROUPS.has(name) ? "group" : "field";
  }

  function end(one: OpenElement, contentEnd: number): void {
    const { name, attributes, contentAt, language, base, children, role } = one;
    if (role === "root" || role === "other") return;
    const raw = role === "item" ? "" : text.slice(contentAt, Math.max(contentAt, contentEnd));
    const element = { name, attributes, raw, language, base, children };
    const parent = open.at(-1);
    if (role === "item") onItem(element);
    else if (parent !== undefined && parent.role !== "root") {
      if (parent.children.length < MOST_FIELDS) parent.children.push(element);
    } else if (fields.length < MOST_FIELDS) fields.push(element);
  }

  function endField(contentEnd: number): void {
    if (field !== null) end(field, contentEnd);
    field = null;
  }

  /** Ends everything down to the element at this place of the stack. */
  function endDownTo(index: number, contentEnd: number): void {
    while (open.length > index) {
      const one = open.pop();
      if (one !== undefined) end(one, contentEnd);
    }
  }

  function started(contentAt: number, isEmpty: boolean): void {
    if (tag === null) return;
    const { name, attributes } = tag;
    tag = null;
    if (open.length >= DEEPEST) return;
    const one = begin(name, attributes ?? NO_ATTRIBUTES, contentAt);
    if (isEmpty) {
      if (one.role === "root" && open.length === 0) isWhole = true;
      end(one, contentAt);
    } else if (one.role === "field") [field, nested] = [one, 0];
    else open.push(one);
  }

  /** An item that begins inside another one, or inside a field of the feed: those have lost their ends. */
  function startsItem(name: string, tagAt: number): void {
    if (!ITEMS.has(name.slice(name.indexOf(":") + 1))) return;
    const index = open.findIndex(({ role }) => role === "item");
    if (field !== null && index < 0) endField(tagAt);
    if (field === null && index >= 0 && open.at(-1)?.role !== "group" && open[index]?.tag === name)
      endDownTo(index, tagAt);
  }

  tokenize(
    text,
    { decodeEntities: false, xmlMode: true },
    {
      onopentagname(start, endAt) {
        if (isWhole) return;
        const name = lower(start, endAt);
        startsItem(name, start - 1);
        if (field !== null) isSame = field.tag === name;
        else tag = { name, attributes: null };
      },
      onattribname(start, endAt) {
        if (tag !== null) [attribute, value] = [lower(start, endAt), ""];
      },
      onattribdata(start, endAt) {
        if (tag !== null && value.length < LONGEST_ATTRIBUTE) value += text.slice(start, endAt);
      },
      onattribend() {
        if (tag === null) return;
        tag.attributes ??= new Map();
        if (tag.attributes.size < MOST_ATTRIBUTES && !tag.attributes.has(attribute))
          tag.attributes.set(attribute, decodeEntities(value));
      },
      onopentagend(endAt) {
        if (field !== null && isSame) nested++;
        isSame = false;
        started(endAt + 1, false);
      },
      onselfclosingtag(endAt) {
        isSame = false;
        started(endAt + 1, true);
      },
      onclosetag(start, endAt) {
        const name = lower(start, endAt);
        const tagAt = start - 2;
        if (field !== null) {
          if (field.tag === name && nested > 0) nested--;
          else if (field.tag === name) return endField(tagAt);
          // Fields that have lost their end.
          const container = open.findIndex((one) => one.tag === name && one.role !== "group");
          if (container < 0 || field === null) return;
          endField(tagAt);
        }
        for (let index = open.length - 1; index >= 0; index--)
          if (open[index]?.tag === name) {
            endDownTo(index, tagAt);
            if (index === 0) isWhole = true;
            return;
          }
      },
    },
  );
  return { fields, isWhole: isWhole || endsInItsRoot(text, open[0]?.tag) };
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();
const NO_CHILDREN: XmlElement[] = [];
const NAMESPACE_OF_FORMAT = "purl.org/rss/1.0";
/** Groups of the feed whose titles and links are not its own. */
const NOT_OF_THE_FEED = new Set([
  "image",
  "textinput",
  "items",
  "cloud",
  "skiphours",
  "skipdays",
  "itunes:owner",
]);

/** The signs at its end go by hand: `/[/#]+$/` takes the square of the length of a long run. */
function plainUri(uri: string): string {
  const plain = uri
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, "");
  let end = plain.length;
  while (end > 0 && "/#".includes(plain.charAt(end - 1))) end--;
  return plain.slice(0, end);
}

/** A last tag without its `>`. */
function endsInItsRoot(text: string, tag: string | undefined): boolean {
  return tag !== undefined && text.slice(-200).trimEnd().toLowerCase().endsWith(`</${tag}`);
}
