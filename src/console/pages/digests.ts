import { z } from "zod";
import type { ConsoleFacts, Previews, ShownDigest, ShownEdition, ShownPreview } from "#monitor";
import { groupBy } from "../../lib/group-by.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { Page } from "../parts/page.ts";
import { foreign } from "../parts/words.ts";

export interface DigestsParts {
  readonly previews: Previews;
  readonly facts: Pick<ConsoleFacts, "digestEditions" | "unsubscribedReaders">;
  readonly times: Times;
}

/** The edition to read; none of that name and date: the newest. */
export const DigestsQuestion = z.object({
  name: z.string().max(300).catch(""),
  date: z.string().max(40).catch(""),
});
export type DigestsQuestion = z.output<typeof DigestsQuestion>;

const EDITIONS = 300;
/** Of one digest. */
const LISTED = 8;

/** The digests of the configuration, and the editions of all that there ever were, the newest first. */
export async function readDigests({ previews, facts }: DigestsParts) {
  const [editions, unsubscribed] = await Promise.all([
    facts.digestEditions(EDITIONS),
    facts.unsubscribedReaders(),
  ]);
  return { digests: previews.digests(), editions, unsubscribed };
}

export async function digestsPage(parts: DigestsParts, { name, date }: DigestsQuestion): Promise<Page> {
  const { times, previews } = parts;
  const { digests, editions, unsubscribed } = await readDigests(parts);
  const requested = editions.find((one) => one.name === name && one.localDate === date);
  const chosen = requested ?? editions.find(({ state }) => state === "built") ?? null;
  const message = chosen === null ? null : await previews.ofEdition(chosen.name, chosen.localDate);
  const byName = groupBy(editions, (edition) => edition.name);
  const known = new Set(digests.map((digest) => digest.name));
  const left = [...byName].filter(([one]) => !known.has(one));
  const list = (of: string) => editionList(byName.get(of) ?? [], chosen, times);
  return {
    title: "Digests",
    section: "/digests",
    body: html`<div class="title"><h1>Digests</h1><p class="hint">What is sent at fixed times.
<a href="/preview?about=digest">Samples of all messages</a></p></div>
<div class="inbox${chosen !== null && " has-reading"}"><div>
${
  digests.length === 0 &&
  html`<p class="panel empty">No digest is configured: <code>digests</code> in earshot.yaml names them.</p>`
}
${digests.map(
  (digest, n) => html`<section class="panel" aria-labelledby="h-digest-${n}">
<h2 id="h-digest-${n}">${foreign(digest.title)}</h2>
${describe(digest, unsubscribed, times)}${list(digest.name)}</section>`,
)}
${left.map(
  ([one], n) => html`<section class="panel" aria-labelledby="h-former-${n}">
<h2 id="h-former-${n}">${foreign(one)}</h2><p class="hint">It is in the configuration no more.</p>${list(one)}</section>`,
)}</div>
${chosen !== null && readingPane(chosen, message, times)}</div>`,
  };
}

function describe(
  { name, schedule, timezone, nextAt, receivers, queries, skipQuiet }: ShownDigest,
  unsubscribed: readonly { readonly digest: string; readonly receiver: string }[],
  times: Times,
): Html {
  const gone = (receiver: string) =>
    unsubscribed.some((one) => one.digest === name && one.receiver === receiver);
  return html`<dl class="facts">
<dt>Comes</dt><dd>${schedule}, ${timezone}${skipQuiet && html` <span class="detail">nothing is sent where nothing happened</span>`}</dd>
<dt>Next</dt><dd>${times.moment(nextAt)}</dd>
<dt>For</dt><dd>${receivers.map(
    (one, n) =>
      html`${n > 0 && ", "}${foreign(one)}${gone(one) && html` <span class="detail">(unsubscribed)</span>`}`,
  )}</dd>
<dt>About</dt><dd>${queries.includes("*") ? "all queries" : foreign(queries.join(", "))}</dd></dl>`;
}

function editionList(editions: readonly ShownEdition[], chosen: ShownEdition | null, times: Times): Html {
  if (editions.length === 0) return html`<p class="empty">None was made yet.</p>`;
  return html`<ol class="emails">${editions.slice(0, LISTED).map(
    (
      edition,
    ) => html`<li><a href="${addressOf("/digests", edition)}#reading"${edition === chosen && html` aria-current="true"`}><span
  class="subject">${times.moment(edition.dueAt)}</span><span class="detail">${stateOf(edition)}</span></a></li>`,
  )}</ol>${
    editions.length > LISTED &&
    html`<details><summary>Earlier ones</summary><ol class="emails">${editions.slice(LISTED).map(
      (edition) =>
        html`<li><a href="${addressOf("/digests", edition)}#reading"${edition === chosen && html` aria-current="true"`}
>${times.moment(edition.dueAt)}</a></li>`,
    )}</ol></details>`
  }`;
}

/** `sent to comms, board; waits for desk`. */
function stateOf({ state, readers }: ShownEdition): Html {
  if (state === "due") return html`is being made`;
  if (state === "skipped") return html`not sent: nothing happened`;
  if (readers.length === 0) return html`for nobody`;
  const words = WORDS.flatMap(([of, text]) => {
    const names = readers.filter((one) => one.state === of).map(({ receiver }) => receiver);
    return names.length === 0 ? [] : [html`${text} ${foreign(names.join(", "))}`];
  });
  return html`${words.map((one, n) => html`${n > 0 && "; "}${one}`)}`;
}

const WORDS = [
  ["sent", "sent to"],
  ["due", "waits for"],
  ["dead", "given up for"],
] as const;

function readingPane(edition: ShownEdition, message: ShownPreview | null, times: Times): Html {
  const { periodFrom, periodTo } = edition;
  return html`<article class="panel reading" id="reading" aria-labelledby="h-subject" tabindex="-1">
<h2 id="h-subject">${message === null ? "There is no text of it" : foreign(message.email.subject)}</h2>
<p class="detail">From ${times.moment(periodFrom)} to ${times.moment(periodTo)}; ${stateOf(edition)}</p>
${
  message !== null &&
  html`<iframe title="The digest as its readers see it" sandbox="allow-popups allow-popups-to-escape-sandbox"
  src="${addressOf("/digests/html", edition)}"></iframe>
<details><summary>Plain text part</summary><pre class="mail-text" dir="auto">${message.email.text}</pre></details>`
}</article>`;
}

function addressOf(path: string, { name, localDate }: Pick<ShownEdition, "name" | "localDate">): string {
  return `${path}?${new URLSearchParams({ name, date: localDate })}`;
}
