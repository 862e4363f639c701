import { createHash } from "node:crypto";
import { Parser } from "htmlparser2";
import { simpleParser } from "mailparser";
import type { Message, Quote, RawMessage } from "./message.ts";

/** What a reader of the message reads: our own lines, what is quoted of strangers, and where its links lead. */
export async function readMessage(raw: RawMessage): Promise<Message> {
  switch (raw.kind) {
    case "slack": {
      const { lines, quotes, links } = readBlocks(raw.blocks);
      const thread = `slack ${raw.channel} ${raw.threadTs ?? raw.ts}`;
      const fallback = plain(raw.text);
      return {
        ...{ kind: raw.kind, at: raw.at, place: `slack #${raw.channel}`, thread, isEdit: raw.isEdit },
        lines: [...fallback.lines, ...lines],
        quotes,
        links: [...new Set([...fallback.links, ...links])],
      };
    }
    case "email": {
      const mail = await simpleParser(raw.raw, {
        skipImageLinks: true,
        skipTextToHtml: true,
        skipHtmlToText: true,
      });
      const text = readMailText(mail.text ?? "");
      const html = readHtml(mail.html === false ? "" : mail.html);
      const references = [mail.references ?? []].flat();
      const thread = `mail ${raw.to} ${references[0] ?? mail.inReplyTo ?? mail.messageId ?? ""}`;
      const headers = [...mail.headerLines].flatMap(({ line }) => addressesIn(line.replaceAll(/\s+/g, " ")));
      return {
        ...{ kind: raw.kind, at: raw.at, place: `mail to ${raw.to}`, thread, isEdit: false },
        lines: [mail.subject ?? "", ...text.lines, ...html.lines],
        quotes: [...text.quotes, ...html.quotes],
        links: [
          ...new Set([
            ...headers.filter((link) => !link.startsWith("mailto:")),
            ...text.links,
            ...html.links,
          ]),
        ],
      };
    }
    case "webhook": {
      // All that is said of an alert has its page.
      const id = /\/alerts\/([\w-]+)"/.exec(raw.body)?.[1] ?? /"id":"([\w-]+)"/.exec(raw.body)?.[1];
      const thread = `webhook ${id ?? createHash("sha1").update(raw.body).digest("hex")}`;
      const texts = textsOf(JSON.parse(raw.body));
      return {
        ...{ kind: raw.kind, at: raw.at, place: "webhook", thread, isEdit: false, quotes: [] },
        lines: texts.filter((text) => !/^https?:/.test(text)),
        links: texts.filter((text) => /^https?:/.test(text)),
      };
    }
    case "seen": {
      const { kind, at, place, thread, isEdit } = raw;
      const { lines, quotes } = readHtml(raw.html);
      return { kind, at, place, thread, isEdit, lines, quotes, links: [] };
    }
    case "page": {
      const { lines, quotes } = readHtml(raw.html);
      return {
        ...{ kind: raw.kind, at: raw.at, place: `page ${raw.address}`, thread: `page ${raw.address}` },
        ...{ isEdit: false, lines, quotes, links: [] },
      };
    }
  }
}

/** Addresses that a page leads to. */
export function linksIn(html: string): readonly string[] {
  return [...html.matchAll(/href="([^"]+)"/g)].map(([, link = ""]) => unescaped(link));
}

/** Addresses in the words of strangers: they are quoted, and not ours to open. */
export function quotedAddresses(texts: readonly (string | null)[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => addressesIn(text ?? "")));
}

interface ReadBlocks {
  readonly lines: string[];
  readonly quotes: Quote[];
  readonly links: string[];
}

type Json = Readonly<Record<string, unknown>>;

function readBlocks(blocks: readonly unknown[]): ReadBlocks {
  const read: ReadBlocks = { lines: [], quotes: [], links: [] };
  const add = (text: unknown) => {
    if (typeof text !== "string") return;
    const { lines, links } = plain(text);
    read.lines.push(...lines);
    read.links.push(...links);
  };
  for (const block of blocks as readonly Json[]) {
    if (block["type"] === "rich_text") read.quotes.push(quoteOf(block));
    else if (block["type"] === "actions") {
      for (const { url } of block["elements"] as readonly Json[])
        if (typeof url === "string") read.links.push(url);
    } else {
      add((block["text"] as Json | undefined)?.["text"]);
      add(block["alt_text"]);
      for (const part of [block["elements"], block["fields"]].flat() as readonly (Json | undefined)[])
        add(part?.["text"]);
    }
  }
  return read;
}

function quoteOf(block: Json): Quote {
  const [heading, body] = block["elements"] as readonly Json[];
  const parts = (one: Json | undefined) => (one?.["elements"] ?? []) as readonly Json[];
  const link = parts(body).find(({ type }) => type === "link")?.["url"];
  return {
    heading: parts(heading)
      .map(({ text }) => String(text ?? ""))
      .join("")
      .trim(),
    url: typeof link === "string" ? link : null,
  };
}

/** Slack's markup without its signs. */
function plain(mrkdwn: string): { readonly lines: string[]; readonly links: string[] } {
  const links: string[] = [];
  const text = mrkdwn
    .replaceAll(/<(https?:[^|>]+)(?:\|([^>]*))?>/g, (_, url: string, label = "") => {
      links.push(unescaped(url));
      return label;
    })
    .replaceAll(/(?<![\w])\*(?=\S)|(?<=\S)\*(?![\w])/g, "");
  links.push(...addressesIn(unescaped(text)));
  const lines = unescaped(text)
    .replaceAll(/https?:\/\/[^\s”]+/g, "")
    .split("\n");
  return { lines: lines.map((line) => line.trim()).filter((line) => line !== ""), links };
}

/** The text part of a mail: what follows a star is about a mention, what is indented below it are its words. */
function readMailText(text: string): ReadBlocks {
  const read: ReadBlocks = { lines: [], quotes: [], links: addressesIn(text) };
  let section = "";
  let quote: { heading: string; url: string | null } | null = null;
  const all = text.split("\n");
  for (const [index, line] of all.entries()) {
    if (/^-{3,}$/.test(line.trim())) continue;
    if (/^-{3,}$/.test((all[index + 1] ?? "").trim())) section = line.trim();
    const isIndented = /^\s{2,}/.test(line);
    if (line.startsWith("* ")) {
      quote = { heading: line.slice(2).trim(), url: null };
      read.quotes.push(quote);
    } else if (quote !== null && (isIndented || line.trim() === "")) {
      const [url] = addressesIn(line);
      if (url !== undefined && line.trim() === url) quote.url = url;
    } else if (/^top stories$/i.test(section) && line.startsWith("- ")) quote = null;
    else {
      quote = null;
      const own = line.replaceAll(/https?:\/\/[^\s”]+/g, "").trim();
      if (own !== "" && own !== "--") read.lines.push(own);
    }
  }
  return read;
}

/** Elements whose text belongs together. */
const BLOCKS = new Set(
  "p div td th li h1 h2 h3 h4 dt dd figcaption caption section article header footer nav main tr ul ol table button label summary details form option".split(
    " ",
  ),
);
/** No text for readers, or not of ours: pictures, code, and the words of strangers. */
const SKIPPED = new Set(["style", "script", "svg", "head", "template", "blockquote", "select", "time-zone"]);

function readHtml(html: string): ReadBlocks {
  const read: ReadBlocks = { lines: [], quotes: [], links: [] };
  let skipped = 0;
  let line = "";
  const end = () => {
    const text = line.replaceAll(/\s+/g, " ").replaceAll(/^[ |]+|[ |]+$/g, "");
    if (text !== "") read.lines.push(text);
    line = "";
  };
  const isCell = (name: string) => name === "td" || name === "th";
  const stack: boolean[] = [];
  const parser = new Parser({
    onopentag: (name, attributes) => {
      const isStrange =
        SKIPPED.has(name) || attributes["dir"] === "auto" || attributes["data-quote"] !== undefined;
      // The cells of a row are one line.
      if (isCell(name)) line += " | ";
      else if (BLOCKS.has(name) || name === "br") end();
      stack.push(isStrange);
      if (isStrange) skipped += 1;
      const { href } = attributes;
      if (name === "a" && href !== undefined && skipped === 0) read.links.push(href);
    },
    ontext: (text) => {
      if (skipped === 0) line += text;
    },
    onclosetag: (name) => {
      if (BLOCKS.has(name) && !isCell(name)) end();
      if (stack.pop() === true) skipped -= 1;
    },
  });
  parser.end(html);
  end();
  return read;
}

/** Every sentence of a JSON document; ids, moments and words of strangers are data of their own. */
function textsOf(value: unknown, key = ""): string[] {
  if (STRANGE.has(key)) return [];
  if (typeof value === "string") {
    if (/^[\da-f]{8}-[\da-f-]{27}$|^\d{4}-\d\d-\d\dT/.test(value)) return [];
    if (key === "counted") return [`${value} so far`];
    return [/^\d[\d,]* in \d/.test(value) ? `peak ${value}` : value];
  }
  // The number alone is for programs: beside it stands what was counted.
  if (key === "mentionsCount") return [];
  if (key === "openedAt" && typeof value === "number") return [`Since ${new Date(value).toISOString()}`];
  if (Array.isArray(value)) return value.flatMap((one) => textsOf(one));
  if (typeof value !== "object" || value === null) return [];
  // In an incident an alert's own count is documented to be 0: what was counted is in the incident's sentence.
  const isIncident = "incident" in value && value.incident !== null && value.incident !== undefined;
  return Object.entries(value).flatMap(([name, one]) =>
    isIncident && name === "counted" ? [] : textsOf(one, name),
  );
}

/** Keys of a webhook's body whose values people wrote elsewhere, or that have no sentence. */
const STRANGE = new Set([
  ...["mentions", "topMentions", "topStories", "topAuthors", "labels", "actions", "values"],
  ...["example", "notificationId"],
]);

function addressesIn(text: string): string[] {
  return (text.match(/(?:https?|mailto):[^\s<>"|”]+/g) ?? []).map((link) => link.replace(/[).,;]+$/, ""));
}

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#x3D;", "=")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
