import { aboutOf, expandReason, type Previews } from "#monitor";
import { type Html, html } from "../common/html.ts";
import type { ListedTemplate, ShownTemplate, TemplateTry } from "../common/template-view.ts";
import type { Times } from "../common/times.ts";
import { messageParts } from "../parts/message-parts.ts";
import type { Page } from "../parts/page.ts";
import { editList } from "./rules.ts";
import { savedPage, type WhyReadOnly } from "./try-rule.ts";

export function linkOfTemplate(name: string): string {
  return `/templates/edit?${new URLSearchParams({ name }).toString()}`;
}

const KINDS = [
  { folder: "slack", title: "Slack" },
  { folder: "email", title: "Mails" },
];

export function templatesPage(templates: readonly ListedTemplate[]): Page {
  const known = new Set(KINDS.map(({ folder }) => folder));
  const others = templates.filter(({ name }) => !known.has(folderOf(name)));
  const groups = [
    ...KINDS.map(({ folder, title }) => ({
      title,
      listed: templates.filter(({ name }) => folderOf(name) === folder),
    })),
    { title: "Others", listed: others },
  ];
  return {
    title: "Templates",
    section: "/rules",
    body: html`<p class="crumb"><a href="/rules">Rules</a></p>
<div class="title"><h1>Templates</h1><p class="hint">The texts of all messages. <a href="/preview">See them with samples</a>.</p></div>
<div class="two">${groups
      .filter(({ listed }) => listed.length > 0)
      .map(
        ({ title, listed }) => html`<section class="panel" aria-label="${title}">
<h2>${title}</h2>
<ul>${listed.map(
          ({ name, isOwn }) => html`<li>
<a href="${linkOfTemplate(name)}">${name.slice(folderOf(name).length + 1)}</a>${isOwn && html` <span class="detail">your own</span>`}
</li>`,
        )}</ul></section>`,
      )}</div>`,
  };
}

function folderOf(name: string): string {
  return name.split("/", 1)[0] ?? "";
}

/** What somebody writes. */
interface TemplateEditor {
  readonly template: ShownTemplate;
  /** The version that was opened; null if it was the shipped one. */
  readonly opened: string | null;
  readonly text: string;
  readonly sample: string | null;
}

/** What the text made of a sample, and the address of its mail. */
export interface TriedText {
  readonly tried: TemplateTry;
  readonly mailAddress: string;
}

export function editTemplatePage(
  { template, opened, text, sample }: TemplateEditor,
  parts: {
    readonly token: string;
    readonly times: Times;
    readonly samples: Previews["samples"];
    readonly readOnly: WhyReadOnly;
    readonly outcome: TriedText;
    /** Why it was not saved. */
    readonly refused?: string;
  },
): Page {
  const { name, isOwn, shipped } = template;
  const { token, samples, readOnly, refused, outcome, times } = parts;
  const about = aboutOf(name);
  const lines = text.split("\n").length;
  return {
    title: name,
    section: "/rules",
    body: html`<p class="crumb"><a href="/rules">Rules</a> / <a href="/templates">Templates</a></p>
<div class="title"><h1>${name}</h1><p class="hint">${
      isOwn ? "A file of this installation, in place of the shipped one." : "The shipped one."
    } Nothing is sent while you try it.</p></div>
${
  refused !== undefined &&
  html`<section class="panel problem-note" role="alert">
<h2 class="fault">Not saved:
${refused}.</h2>
</section>`
}
<form class="rule-form" method="post" action="/templates/try" hx-post="/templates/try" hx-trigger="input delay:700ms, change delay:200ms"
  hx-target="#result" hx-sync="this:replace" hx-indicator="#working">
<input type="hidden" name="token" value="${token}"><input type="hidden" name="name" value="${name}">
<input type="hidden" name="opened" value="${opened ?? ""}">
<section class="panel" aria-labelledby="h-text"><h2 id="h-text">The template</h2>
<label class="field" for="text">The file <span class="hint">in <a
  href="https://handlebarsjs.com/guide/" rel="noreferrer">Handlebars</a>; the fields of a message are in templates/README.md</span></label>
<textarea id="text" class="template-text" name="text" rows="${Math.min(30, lines + 2)}" spellcheck="false" autocapitalize="off" autocomplete="off">
${text}</textarea>
${
  isOwn &&
  shipped !== null &&
  html`<details>
<summary>The shipped one</summary>
<pre class="mail-text">${shipped}</pre>
</details>`
}</section>
<section class="panel" aria-labelledby="h-made"><div class="editor-head"><h2 id="h-made">What it makes of</h2>
<label class="row"><span class="unseen">Sample</span><select name="sample">${samples
      .filter((one) => one.about === about)
      .map(
        (one) =>
          html`<option value="${one.name}"${one.name === sample && html` selected`}>${expandReason(one.name).toLowerCase()}</option>`,
      )}</select></label><button type="submit" class="is-first">Try</button><span id="working" class="working" aria-hidden="true">Working …</span>
</div>
<p id="try-status" class="try-status" role="status">${statusOf(outcome.tried)}</p>
</section>
<div class="two" id="result">${resultPart(outcome)}</div>
<section class="panel action-form" aria-labelledby="h-save"><h2 id="h-save">Keep it</h2>
<div class="row">${
      readOnly === null
        ? html`<button type="submit" class="is-first" formaction="/templates/save">Save into the folder of templates</button>${
            isOwn &&
            shipped !== null &&
            html`<button type="submit" formaction="/templates/shipped">Use the shipped one again</button>`
          }`
        : html`<p class="hint">It cannot be saved here: ${readOnly}.</p>`
    }</div></section>
</form>
${
  template.edits.length > 0 &&
  html`<section class="panel" aria-label="Changes">${editList(template.edits, times)}</section>`
}`,
  };
}

/** The answer to a change: what it makes, and the status, which is read out. */
export function triedAnswer(outcome: TriedText): Html {
  return html`${resultPart(outcome)}<p id="try-status" class="try-status" role="status" hx-swap-oob="true">${statusOf(outcome.tried)}</p>`;
}

function statusOf(tried: TemplateTry): Html {
  if (tried === "Busy") return html`Others are trying templates at the moment. Try again in some seconds.`;
  if ("message" in tried) return html`The whole message of the sample, with this text.`;
  return html`<span class="fault">With it, the folder of templates has faults</span>`;
}

function resultPart({ tried, mailAddress }: TriedText): Html | null {
  if (tried === "Busy") return null;
  if ("message" in tried) return messageParts(tried.message, mailAddress);
  return html`<section class="panel" aria-label="Faults">
<ul class="faults">${tried.faults.map((fault) => html`<li dir="auto">${fault}</li>`)}</ul>
</section>`;
}

/** After a template was saved, or taken away. */
export function savedTemplatePage(name: string, next: string, isShipped: boolean): Page {
  return savedPage(
    html`${
      isShipped ? "The shipped template stands for" : "Your file stands for"
    } <a href="${linkOfTemplate(name)}">${name}</a>. ${next}`,
  );
}
