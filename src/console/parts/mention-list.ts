import { createHash } from "node:crypto";
import { type Mention, type ShownMention, speakerOf } from "#monitor";
import { counted } from "../../lib/numbers.ts";
import { parseUrl } from "../../lib/parse-url.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import { listFacts } from "./author-lists.ts";
import { highlight, type Mark } from "./highlight.ts";
import { followed, foreign, shorten } from "./words.ts";
import { workflowFacts, writeKey } from "./workflow.ts";

export const SENTIMENTS = ["negative", "neutral", "positive"] as const;
export type ShownSentiment = (typeof SENTIMENTS)[number] | "unknown";

/** The sentiments that have a colour; any other is shown as unknown. */
export function sentimentOf(value: string | null): ShownSentiment {
  return SENTIMENTS.find((known) => known === value) ?? "unknown";
}

/** What a story says: the headline or the text of its first mention. */
export function storyWords({ title, text, domain }: Mention): string {
  return title ?? text ?? domain ?? "a mention without text";
}

/** How many people a mention may have reached; null: its source says nothing. */
export function mentionReach({ reach, followers }: Mention): number | null {
  return reach ?? followers;
}

/** The shape and the word carry the meaning; the colour only helps. */
function sentimentMark(value: string | null): Html | null {
  const sentiment = sentimentOf(value);
  if (sentiment === "unknown") return null;
  return html`<span class="sentiment is-${sentiment}"><span aria-hidden="true">${SHAPES[sentiment]}</span> ${sentiment}</span>`;
}

const SHAPES = { negative: "▼", neutral: "●", positive: "▲" } as const;

const TEXT_LIMIT = 600;

/** A list of mentions. Every value in it comes from strangers. */
export function mentionList(
  mentions: readonly ShownMention[],
  times: Times,
  empty: string,
  {
    marks = new Map(),
    isWorkedOn = false,
  }: {
    /** What was searched for in the text of each. */
    readonly marks?: ReadonlyMap<ShownMention, readonly Mark[]>;
    /** Whether each has a box of the form `work`. */
    readonly isWorkedOn?: boolean;
  } = {},
): Html {
  if (mentions.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<ol class="mentions">${mentions.map((one) => mentionItem(one, times, marks.get(one) ?? [], isWorkedOn))}</ol>`;
}

function mentionItem(
  { mention, projectId, queryName, eventAt, workflow, lists }: ShownMention,
  times: Times,
  marks: readonly Mark[],
  isWorkedOn: boolean,
): Html {
  const name = speakerOf(mention);
  const { queryId, resourceId } = mention;
  const id = shortId(projectId, queryId, resourceId);
  const reach = mention.followers !== null && mention.followers > 0 ? followed(mention.followers) : null;
  const facts = [
    foreign(queryName),
    mention.pageType === null ? null : foreign(mention.pageType),
    mention.language === null ? null : foreign(mention.language),
    reach,
    mention.reposts !== null && mention.reposts > 0 ? counted(mention.reposts, "repost") : null,
    ...mention.categories
      .slice(0, 3)
      .map((category) => (category.name === null ? null : foreign(category.name))),
  ].filter((fact) => fact !== null);
  return html`<li class="mention is-${sentimentOf(mention.sentiment)}"${isWorkedOn && html` id="${id}-item" tabindex="-1"`}>
<div class="mention-head">${
    isWorkedOn &&
    html`<label class="choose"><input type="checkbox" form="work" name="mention" id="${id}-box"
  value="${writeKey({ projectId, queryId, resourceId })}"><span class="unseen">Choose ${name ?? "this one"}, ${times.moment(eventAt)}</span></label>`
  }<span class="author">${name === null ? "unknown author" : foreign(shorten(name, 80))}${
    mention.verified === true && html` <span class="verified">verified</span>`
  }</span>${sentimentMark(mention.sentiment)}<span class="when">${times.moment(eventAt)}</span></div>
${mention.title !== null && mention.title !== mention.text && html`<p class="mention-title" dir="auto">${shorten(mention.title, 200)}</p>`}
${mention.text !== null && html`<p class="mention-text" dir="auto">${highlight(mention.text, marks, TEXT_LIMIT)}</p>`}
<div class="mention-foot">${listFacts(lists)}${workflowFacts(workflow)}${facts.map(
    (fact) => html`<span
  class="fact">${fact}</span>`,
  )}${outsideLink(mention.url, id)}<a class="fact"
  href="/why?${new URLSearchParams({ of: resourceId }).toString()}">why?</a>
</div>
</li>`;
}

function shortId(...parts: readonly string[]): string {
  return `m-${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12)}`;
}

/**
 * A link to a mention's page, or nothing if its address is unsafe. The id lets the browser keep the focus when the list
 * is replaced.
 */
function outsideLink(address: string | null, id: string): Html | null {
  const url = followable(address);
  if (url === null) return null;
  return html`<a class="outside" id="${id}" href="${url.href}" target="_blank"
  rel="noopener noreferrer nofollow ugc">${url.hostname.replace(/^www\./, "")}<span aria-hidden="true"> ↗</span><span
  class="unseen"> (opens in a new tab)</span></a>`;
}

/** Allows http and https with a host and no user name: `bank.example@evil.example` looks like bank.example. */
export function followable(address: string | null): URL | null {
  const url = address === null || address.length > 2000 ? null : parseUrl(address);
  if (url === null) return null;
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  return url.username === "" && url.password === "" ? url : null;
}
