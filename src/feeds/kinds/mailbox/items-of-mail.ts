import { Parser } from "htmlparser2";
import type { Instant } from "../../../lib/instant.ts";
import { stableHash } from "../../../lib/json.ts";
import { parseUrl } from "../../../lib/parse-url.ts";
import { canonicalUrl } from "../../common/canonical-url.ts";
import type { FeedItem } from "../../common/define-feed.ts";
import type { Mail } from "../../common/mail.ts";
import { oneLine } from "../../common/text-of-html.ts";

const GOOGLE_ALERTS = "googlealerts-noreply@google.com";

/** The entries of a Google Alert, or the mail itself as one item. Pure. */
export function itemsOfMail(mail: Mail): readonly FeedItem[] {
  if (mail.from?.address === GOOGLE_ALERTS) {
    const entries = mail.html === null ? [] : entriesOfHtml(mail.html);
    const found = entries.length > 0 ? entries : entriesOfText(mail.text ?? "");
    if (found.length > 0) return found.map((entry) => toItem(entry, mail.receivedAt));
  }
  const { messageId, from, subject, html, text, receivedAt } = mail;
  const id = messageId ?? stableHash([from?.address ?? "", subject ?? "", text ?? html ?? ""]);
  return [
    {
      ...{ id, scope: "mail", url: null, title: subject, publishedAt: receivedAt },
      body: html !== null ? { html } : text !== null ? { text } : null,
      author: from?.address ?? null,
      fullname: from?.name ?? null,
    },
  ];
}

interface Entry {
  readonly url: string;
  readonly title: string;
  readonly site: string | null;
  readonly snippet: string;
}

function toItem({ url, title, site, snippet }: Entry, receivedAt: Instant): FeedItem {
  return {
    ...{ id: url, scope: "google-alerts", url, title, site, author: site, publishedAt: receivedAt },
    body: snippet === "" ? null : { text: snippet },
    // Several alerts may find the same page, each with words of its own around: the first one stays.
    revision: -receivedAt,
  };
}

/** The page behind a link of an alert: google.com/url?…&url=PAGE. Null for all other links. */
function alertTarget(href: string): string | null {
  const address = parseUrl(href);
  if (address === null) return null;
  const { hostname, pathname, searchParams } = address;
  if (!/^(?:www\.)?google\.[a-z.]{2,6}$/.test(hostname) || pathname !== "/url") return null;
  return canonicalUrl(searchParams.get("url") ?? searchParams.get("q"));
}

const MOST_ENTRIES = 200;
const LONGEST_SNIPPET = 1_000;
const SILENT_TAGS = new Set(["script", "style", "head", "title"]);

/**
 * Entries in the order of the mail. The markup changes every few years: all that counts is that an entry begins with a
 * link to its page, and that its text follows up to the next one. Where the parts have names (`itemprop`), they count.
 */
function entriesOfHtml(html: string): Entry[] {
  type Draft = { url: string; title: string; site: string; named: string; rest: string };
  const drafts = new Map<string, Draft>();
  let current: Draft | null = null;
  /** Open elements; what their text is for. */
  const open: { readonly tag: string; readonly use: "title" | "site" | "named" | "rest" | "nothing" }[] = [];
  const parser = new Parser({
    onopentag(tag, { href = "", itemprop = "" }) {
      const inside = open.at(-1)?.use ?? "rest";
      let use = inside;
      if (SILENT_TAGS.has(tag) || inside === "nothing") use = "nothing";
      else if (tag === "a") {
        const url = alertTarget(href);
        use = url !== null ? "title" : inside === "rest" ? "nothing" : inside;
        if (url !== null && (drafts.has(url) || drafts.size < MOST_ENTRIES)) {
          // Picture and headline have the same link.
          current = drafts.get(url) ?? { url, title: "", site: "", named: "", rest: "" };
          drafts.set(url, current);
        }
      } else if (itemprop === "publisher") use = "site";
      else if (itemprop === "description") use = "named";
      open.push({ tag, use });
      if (open.length > 1_000) parser.reset();
    },
    onclosetag(tag) {
      if (open.at(-1)?.tag === tag) open.pop();
    },
    ontext(text) {
      if (current === null) return;
      const use = open.at(-1)?.use ?? "rest";
      if (use !== "nothing" && current[use].length < LONGEST_SNIPPET) current[use] += text;
    },
  });
  parser.end(html);
  return [...drafts.values()].flatMap(({ url, title, site, named, rest }) => {
    const [heading, name, snippet] = [oneLine(title), oneLine(site), oneLine(named === "" ? rest : named)];
    return heading === "" ? [] : [{ url, title: heading, site: name === "" ? null : name, snippet }];
  });
}

/** Entries of an alert without HTML: a headline, lines of text, and the link in angle brackets. */
function entriesOfText(text: string): Entry[] {
  const entries: Entry[] = [];
  for (const block of text.split(/\n\s*\n/)) {
    const lines = block.split("\n").map(oneLine);
    const at = lines.findIndex((line) => alertTarget(line.replaceAll(/^<|>$/g, "")) !== null);
    const url = at < 0 ? null : alertTarget(lines[at]?.replaceAll(/^<|>$/g, "") ?? "");
    const [title = "", ...more] = lines.slice(0, Math.max(0, at)).filter((line) => line !== "");
    if (url !== null && title !== "" && entries.length < MOST_ENTRIES)
      entries.push({ url, title, site: null, snippet: more.join(" ").slice(0, LONGEST_SNIPPET) });
  }
  return [...new Map(entries.map((entry) => [entry.url, entry])).values()];
}
