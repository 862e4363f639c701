import { z } from "zod";
import { type Html, html, trustedHtml } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import {
  type EmailMessage,
  fileAddress,
  type InboxMessage,
  type InboxView,
  type SlackMessage,
} from "../inbox/inbox-view.ts";
import { livePart } from "../parts/live.ts";
import type { Page } from "../parts/page.ts";
import { foreign, shorten } from "../parts/words.ts";

/** The buttons of a Slack message post here. */
export const PRESS_PATH = "/inbox/press";

interface InboxParts {
  readonly inbox: InboxView;
  readonly times: Times;
  /** For forms; null if buttons do nothing. */
  readonly token: string | null;
}

/** The number of newest messages to show. */
const LENGTH = 300;

export const InboxQuestion = z.object({
  /** `slack:<channel id>` or `email:<address>`. */
  place: z.string().max(500).catch(""),
  message: z.string().max(500).catch(""),
});
export type InboxQuestion = z.output<typeof InboxQuestion>;

interface InboxFolder {
  readonly key: string;
  readonly name: string;
  readonly kind: InboxMessage["kind"];
  /** Newest first. */
  readonly messages: readonly InboxMessage[];
}

export async function inboxPage(address: string, parts: InboxParts, question: InboxQuestion): Promise<Page> {
  const places = sortIntoPlaces(await parts.inbox.list({ limit: LENGTH }));
  const chosen = places.find((place) => place.key === question.place) ?? places[0];
  const content = inboxPart(places, chosen, parts, question);
  const reading = chosen?.kind === "email" ? emailPane(chosen, question, parts.times) : null;
  return {
    title: "Inbox",
    section: "/inbox",
    body: html`<div class="title"><h1>Inbox</h1><p class="hint">Sent messages, as their readers see them.</p></div>
<div class="inbox${reading !== null && " has-reading"}">${livePart(address, { name: "places", on: ["inbox"] }, content)}${reading}</div>`,
  };
}

/** The mailboxes and channels, and the messages of the chosen one. The open email is outside of it and stays. */
export async function inboxPlaces(parts: InboxParts, question: InboxQuestion): Promise<Html> {
  const places = sortIntoPlaces(await parts.inbox.list({ limit: LENGTH }));
  const chosen = places.find((place) => place.key === question.place) ?? places[0];
  return inboxPart(places, chosen, parts, question);
}

function inboxPart(
  places: readonly InboxFolder[],
  chosen: InboxFolder | undefined,
  parts: InboxParts,
  question: InboxQuestion,
): Html {
  if (chosen === undefined) return html`<p class="panel empty">No message was sent yet.</p>`;
  return html`<nav aria-label="Channels and mailboxes"><ul class="tabs">${places.map(
    (place) =>
      html`<li>
<a href="${placeAddress(place.key)}"${place.key === chosen.key && html` aria-current="page"`}>${foreign(place.name)} <span
  class="count is-quiet">${place.messages.length}</span></a>
</li>`,
  )}</ul></nav>
<div
  class="panel${chosen.kind === "slack" && " is-narrow"}">${chosen.kind === "slack" ? channel(chosen, parts) : emailList(chosen, question, parts.times)}</div>`;
}

function sortIntoPlaces(messages: readonly InboxMessage[]): readonly InboxFolder[] {
  const places = new Map<string, { name: string; kind: InboxMessage["kind"]; messages: InboxMessage[] }>();
  for (const message of messages) {
    for (const { key, name } of placesOf(message)) {
      const place = places.get(key) ?? { name, kind: message.kind, messages: [] };
      place.messages.push(message);
      places.set(key, place);
    }
  }
  return [...places]
    .map(([key, place]) => ({ key, ...place }))
    .sort((a, b) => b.kind.localeCompare(a.kind, "en") || a.name.localeCompare(b.name, "en"));
}

function placesOf(message: InboxMessage): readonly { key: string; name: string }[] {
  if (message.kind === "slack") {
    return [{ key: `slack:${message.channel}`, name: `#${message.channelName}` }];
  }
  return message.to.map((address) => ({ key: `email:${address}`, name: address }));
}

function placeAddress(key: string, message?: string): string {
  return `/inbox?${new URLSearchParams({ place: key, ...(message === undefined ? {} : { message }) })}`;
}

/** Newest message first, so that arrivals are seen; replies come below their message, oldest first. */
function channel(place: InboxFolder, parts: InboxParts): Html {
  const messages = place.messages.filter((message) => message.kind === "slack");
  const known = new Set(messages.map((message) => message.ts));
  const roots = messages.filter((message) => message.threadTs === null || !known.has(message.threadTs));
  return html`<ol class="channel">${roots.map((root) => {
    const replies = messages.filter(
      (message) => message.threadTs === root.ts && message.ts !== root.ts && message !== root,
    );
    return html`<li>${slackMessage(root, parts)}${
      replies.length > 0 &&
      html`<ol class="thread" aria-label="Replies in the thread">${replies.toReversed().map((reply) => html`<li>${slackMessage(reply, parts)}</li>`)}</ol>`
    }</li>`;
  })}</ol>`;
}

function slackMessage(message: SlackMessage, { inbox, times, token }: InboxParts): Html {
  const form = token === null ? undefined : { action: PRESS_PATH, hidden: { token, message: message.id } };
  return html`<article class="slack">
<p class="slack-sender">
<strong>Earshot</strong> <span class="app">app</span> <span
  class="when">${times.moment(message.receivedAt)}</span>${
    message.editedAt !== null &&
    html` <span
  class="detail">(edited)</span>`
  }${
    message.broadcast === true &&
    html` <span
  class="detail">also sent to the channel</span>`
  }${
    message.ephemeral === true &&
    html` <span
  class="detail">only visible to you</span>`
  }</p>${
    (message.text !== "" || message.blocks.length > 0) &&
    trustedHtml(inbox.renderSlack(message.blocks, message.text, form))
  }${(message.files ?? []).map(picture)}</article>`;
}

function picture({ id, title }: NonNullable<SlackMessage["files"]>[number]): Html {
  const address = fileAddress(id);
  return address === null
    ? html`<p class="detail">[file: ${foreign(title)}]</p>`
    : html`<figure class="slack-file">
<figcaption class="detail">${foreign(title)}</figcaption>
<a href="${address}"><img class="slack-picture" src="${address}" alt="${title}"></a>
</figure>`;
}

function emailList(place: InboxFolder, question: InboxQuestion, times: Times): Html {
  const emails = place.messages.filter((message) => message.kind === "email");
  const chosen = chosenEmail(place, question);
  return html`<ol class="emails">${emails.map(
    (email) =>
      html`<li>
<a href="${placeAddress(place.key, email.id)}#reading"${email.id === chosen?.id && html` aria-current="true"`}><span
  class="subject">${foreign(shorten(email.subject, 160))}</span><span class="detail">${foreign(beginningOf(email))}</span><span
  class="when">${times.moment(email.receivedAt)}</span></a>
</li>`,
  )}</ol>`;
}

/** Of its text: the sender is the same for all of them. */
function beginningOf({ text, from }: EmailMessage): string {
  return shorten((text ?? from).replaceAll(/\s+/g, " ").trim(), 120);
}

function chosenEmail(place: InboxFolder, question: InboxQuestion): EmailMessage | undefined {
  const emails = place.messages.filter((message) => message.kind === "email");
  return emails.find((email) => email.id === question.message) ?? emails[0];
}

function emailPane(place: InboxFolder, question: InboxQuestion, times: Times): Html | null {
  const email = chosenEmail(place, question);
  if (email === undefined) return null;
  return html`<article class="panel reading" id="reading" aria-labelledby="h-subject" tabindex="-1">
<h2 id="h-subject">${foreign(email.subject)}</h2>
<p class="detail">From ${foreign(email.from)} to ${foreign(email.to.join(", "))}, ${times.moment(email.receivedAt)}</p>
${
  email.html !== null &&
  html`<iframe title="The email as its reader sees it" sandbox="allow-popups allow-popups-to-escape-sandbox"
  src="/inbox/email/${encodeURIComponent(email.id)}/html"></iframe>`
}
${
  email.text !== null &&
  html`<details${email.html === null && html` open`}>
<summary>Plain text part</summary>
<pre class="mail-text" dir="auto">${email.text}</pre>
</details>`
}
<details>
<summary>Headers</summary>
<dl class="facts">${email.headers.map(
    ({ name, value }) => html`<dt>${foreign(name)}</dt>
<dd>${foreign(value)}</dd>`,
  )}</dl>
</details>
</article>`;
}
