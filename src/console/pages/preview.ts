import { z } from "zod";
import { expandReason, type Previews, type ShownPreview, type TemplatePreview } from "#monitor";
import { type Html, html, trustedHtml } from "../common/html.ts";
import { renderSlackMessage } from "../inbox/render-slack-message.ts";
import { messageParts } from "../parts/message-parts.ts";
import type { Page } from "../parts/page.ts";
import { linkOfTemplate } from "./templates.ts";

export const PreviewQuestion = z.object({
  about: z.enum(["alert", "digest"]).catch("alert"),
  sample: z.string().max(100).nullable().catch(null),
  /** Id of a stored alert; then `about` and `sample` are ignored. */
  alert: z.string().max(100).nullable().catch(null),
  /** The name of one template, to preview it alone. */
  template: z.string().max(100).nullable().catch(null),
});
export type PreviewQuestion = z.output<typeof PreviewQuestion>;

export async function readPreview(
  previews: Previews,
  { about, sample, alert }: PreviewQuestion,
): Promise<ShownPreview | null> {
  return alert === null ? previews.ofSample(about, sample) : previews.ofAlert(alert);
}

/** The output of one template, in its format. */
export function templatePage(
  previews: Previews,
  { text, isHtml }: TemplatePreview,
  question: PreviewQuestion,
  hasEditor: boolean,
): Page {
  const name = question.template ?? "";
  return {
    title: `Preview of ${name}`,
    section: "/alerts",
    body: html`<p class="crumb"><a href="/preview">Preview of messages</a></p>
<div class="title"><h1>${name}</h1><p class="hint">What this template alone makes of ${question.alert === null ? "a sample" : "this alert"}.${
      hasEditor && html` <a href="${linkOfTemplate(name)}">Change it</a>`
    }</p></div>
${templateList(previews, question)}
<section class="panel${isHtml && " reading"}" aria-label="${name}">${
      isHtml
        ? html`<iframe title="The template as a browser shows it" sandbox="allow-popups allow-popups-to-escape-sandbox"
  src="/preview/html?${addressOf(question)}"></iframe>`
        : html`<pre class="mail-text" dir="auto">${text}</pre>`
    }${
      name.includes(".mrkdwn") &&
      html`<h2>In Slack</h2><article class="slack">${trustedHtml(renderSlackMessage([], text))}</article>`
    }</section>`,
  };
}

/** Every template that fits the stored alert. */
function templateList({ templates }: Previews, { template, alert }: PreviewQuestion): Html {
  const offered = alert === null ? templates : templates.filter((name) => !name.includes("/digest"));
  return html`<details id="templates"${template !== null && html` open`}><summary>One template alone</summary><ul class="tabs">${offered.map(
    (name) =>
      html`<li>
<a
  href="/preview?${new URLSearchParams({ template: name, ...(alert !== null && { alert }) }).toString()}"${
    name === template && html` aria-current="page"`
  }>${name}</a>
</li>`,
  )}</ul></details>`;
}

/** A message as Slack and a mail program show it, and as plain text. */
export function previewPage(previews: Previews, message: ShownPreview, question: PreviewQuestion): Page {
  const { slack: _, email: __, ...others } = message;
  return {
    title: "Preview of messages",
    section: "/alerts",
    body: html`<div class="title"><h1>Preview of messages</h1><p class="hint">${
      question.alert === null
        ? "Samples, as the templates of this installation show them."
        : "What a message about this alert would show now. Nothing is sent."
    }</p></div>
<nav aria-label="Samples"><ul class="tabs">${previews.samples.map((sample) => tab(sample, previews, question))}</ul></nav>
${templateList(previews, question)}
<div class="two">
${messageParts(message, `/preview/html?${addressOf(question)}`)}
${Object.entries(others).map(
  ([kind, shown]) => html`<section class="panel" aria-label="${kind}">
<h2>${kind}</h2>
<pre class="mail-text" dir="auto">${JSON.stringify(shown, null, 2)}</pre>
</section>`,
)}
</div>`,
  };
}

function tab(sample: Previews["samples"][number], { samples }: Previews, question: PreviewQuestion): Html {
  const { about, name } = sample;
  const first = samples.find((one) => one.about === question.about)?.name;
  const isShown = question.alert === null && about === question.about && name === (question.sample ?? first);
  return html`<li>
<a href="/preview?${addressOf({ about, sample: name, alert: null, template: null })}"${isShown && html` aria-current="page"`}>${expandReason(about)}:
${expandReason(name).toLowerCase()}</a>
</li>`;
}

function addressOf({ about, sample, alert, template }: PreviewQuestion): string {
  if (template !== null) {
    return new URLSearchParams({
      template,
      ...(alert !== null && { alert }),
      ...(sample !== null && { sample }),
    }).toString();
  }
  return new URLSearchParams(
    alert === null ? { about, ...(sample !== null && { sample }) } : { alert },
  ).toString();
}
