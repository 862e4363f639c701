import type { ShownPreview } from "#monitor";
import { type Html, html, trustedHtml } from "../common/html.ts";
import { renderSlackMessage } from "../inbox/render-slack-message.ts";
import { foreign } from "./words.ts";

/** The message in Slack, and as a mail; `mailAddress` is that of the HTML of the mail. */
export function messageParts({ slack, email }: ShownPreview, mailAddress: string): Html {
  return html`<section class="panel is-narrow" aria-labelledby="h-slack"><h2 id="h-slack">Slack</h2>
<article class="slack">
<p class="slack-sender">
<strong>Earshot</strong> <span class="app">app</span>
</p>${trustedHtml(renderSlackMessage(slack.blocks, slack.text))}</article>
${
  slack.thread.length > 0 &&
  html`<ol class="thread" aria-label="What follows in the thread">${slack.thread.map(
    (reply) => html`<li>
<article class="slack">
<p class="slack-sender">
<strong>Earshot</strong> <span class="app">app</span>
</p>${trustedHtml(renderSlackMessage(reply.blocks, reply.text))}</article>
</li>`,
  )}</ol>`
}
<details><summary>In notifications</summary><pre class="mail-text" dir="auto">${slack.text}</pre></details>
<details><summary>As JSON</summary><pre class="mail-text">${JSON.stringify(slack, null, 2)}</pre></details>
</section>
<section class="panel reading" aria-labelledby="h-subject"><h2 id="h-subject">${foreign(email.subject)}</h2>
<iframe title="The email as its reader sees it" sandbox="allow-popups allow-popups-to-escape-sandbox" src="${mailAddress}"></iframe>
<details><summary>Plain text part</summary><pre class="mail-text" dir="auto">${email.text}</pre></details>
</section>`;
}
