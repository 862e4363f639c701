import { z } from "zod";
import { type Html, html, trustedHtml } from "../html.ts";
import { foreign, spellOut } from "../parts/words.ts";
import type { PreviewMessage, PreviewView } from "../preview-view.ts";
import type { Page } from "./page.ts";

export const PreviewQuestion = z.object({
  about: z.enum(["alert", "digest"]).catch("alert"),
  sample: z.string().max(100).nullable().catch(null),
  /** Id of a stored alert; then `about` and `sample` do not count. */
  alert: z.string().max(100).nullable().catch(null),
});
export type PreviewQuestion = z.output<typeof PreviewQuestion>;

export async function readPreview(
  previews: PreviewView,
  { about, sample, alert }: PreviewQuestion,
): Promise<PreviewMessage | null> {
  return alert === null ? previews.ofSample(about, sample) : previews.ofAlert(alert);
}

/** A message as Slack and as a mail program show it, and as the text that goes to those without HTML. */
export function previewPage(previews: PreviewView, message: PreviewMessage, question: PreviewQuestion): Page {
  const { slack, email } = message;
  return {
    title: "Preview of messages",
    section: "/alerts",
    body: html`<div class="title"><h1>Preview of messages</h1><p class="hint">${
      question.alert === null
        ? "Samples, as the templates of this installation show them."
        : "What a message about this alert would show now. Nothing is sent."
    }</p></div>
<nav aria-label="Samples"><ul class="tabs">${previews.samples.map((sample) => tab(sample, previews, question))}</ul></nav>
<div class="two">
<section class="panel is-narrow" aria-labelledby="h-slack"><h2 id="h-slack">Slack</h2>
<article class="slack"><p class="slack-sender"><strong>Earshot</strong> <span class="app">app</span></p>${trustedHtml(previews.renderSlack(slack.blocks, slack.text))}</article>
${slack.thread.length > 0 && html`<ol class="thread" aria-label="What follows in the thread">${slack.thread.map((reply) => html`<li><article class="slack"><p class="slack-sender"><strong>Earshot</strong> <span class="app">app</span></p>${trustedHtml(previews.renderSlack(reply.blocks, reply.text))}</article></li>`)}</ol>`}
<details><summary>In notifications</summary><pre class="mail-text" dir="auto">${slack.text}</pre></details>
<details><summary>As JSON</summary><pre class="mail-text">${JSON.stringify(slack, null, 2)}</pre></details>
</section>
<section class="panel reading" aria-labelledby="h-subject"><h2 id="h-subject">${foreign(email.subject)}</h2>
<iframe title="The email as its reader sees it" sandbox="allow-popups allow-popups-to-escape-sandbox" src="/preview/html?${addressOf(question)}"></iframe>
<details><summary>Plain text part</summary><pre class="mail-text" dir="auto">${email.text}</pre></details>
</section>
</div>`,
  };
}

function tab(
  sample: PreviewView["samples"][number],
  { samples }: PreviewView,
  question: PreviewQuestion,
): Html {
  const { about, name } = sample;
  const first = samples.find((one) => one.about === question.about)?.name;
  const isShown = question.alert === null && about === question.about && name === (question.sample ?? first);
  return html`<li><a href="/preview?${addressOf({ about, sample: name, alert: null })}"${isShown && html` aria-current="page"`}>${spellOut(about)}: ${spellOut(name).toLowerCase()}</a></li>`;
}

function addressOf({ about, sample, alert }: PreviewQuestion): string {
  return new URLSearchParams(
    alert === null ? { about, ...(sample !== null && { sample }) } : { alert },
  ).toString();
}
