import { expandReason } from "#monitor";
import { counted } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type {
  SetupForm,
  SetupOutcome,
  SetupView,
  SetupWriteResult,
  ShownChange,
  ShownSense,
} from "../common/setup-view.ts";
import type { Times } from "../common/times.ts";
import type { Page } from "../parts/page.ts";
import { foreign } from "../parts/words.ts";
import { triedPart } from "./feeds.ts";

/** The first-run page: from the name of a brand to the files, as `earshot listen` writes them. */
export function setupPage(
  form: SetupForm,
  parts: {
    readonly setup: SetupView;
    readonly token: string;
    readonly times: Times;
    /** Why the visitor may not write the files; null if he may. */
    readonly readOnly: string | null;
    /** Whether the visitor may make this machine fetch the feeds. */
    readonly mayTry: boolean;
    readonly outcome?: SetupOutcome;
    readonly refused?: Extract<SetupWriteResult, { outcome: "Refused" }>;
  },
): Page {
  const { setup, token, times, readOnly, mayTry, outcome, refused } = parts;
  const ask = (name: keyof SetupView["questions"], more: Html | null = null) =>
    field(name, setup.questions[name], form[name], more);
  return {
    title: "Listen for a brand",
    section: "/health",
    body: html`<div class="title">
<h1>Listen for a brand</h1>
<p class="hint">Earshot reads public feeds and notifies you. This page writes its configuration; <code>earshot listen</code> does the same in a terminal.</p>
</div>
${refused !== undefined && problemNote(`Not written: ${refused.because}.`, refused.details)}
${outcome?.outcome === "Faulty" && problemNote("Something is missing or wrong.", outcome.faults)}
${outcome?.outcome === "Busy" && problemNote("Others are trying feeds at the moment. Try again in some seconds.", [])}
<form class="rule-form" method="post" action="/setup">
<input type="hidden" name="token" value="${token}">
<div class="two is-editor">
<div class="panel"><h2>The brand</h2>
${ask("brand", html` required`)}
${ask("spellings")}
${ask("not")}
${ask("about")}
${ask("rivals")}
${ask("languages")}
</div>
<div class="panel"><h2>Where Earshot listens</h2>
<fieldset><legend>Feeds that need no account</legend>${setup.kinds.map(
      ({ kind, about }) =>
        html`<p>
<label class="choice"><input type="checkbox" name="kinds"
  value="${kind}"${form.kinds.includes(kind) && html` checked`}> <span><strong>${expandReason(kind)}</strong> <span class="hint">${about}</span></span></label>
</p>`,
    )}</fieldset>
<label class="field">Addresses of feeds:
news sites, blogs, forums <span class="hint">RSS, Atom or JSON;
one on each line</span><textarea name="addresses" rows="4" spellcheck="false" autocapitalize="off" maxlength="10000" placeholder="https://blog.example/feed">
${form.addresses}</textarea></label>
${ask("contact")}
<div class="row">
<button type="submit" name="do" value="show">Show the files</button>${
      mayTry &&
      html`<button type="submit" class="is-first" name="do"
  value="try">Show, and try the feeds</button>`
    }</div>
</div>
</div>
${outcome?.outcome === "Drafted" && draftPart(outcome, { readOnly, isFirst: setup.isOpen }, times)}
</form>`,
  };
}

/** After the files were written. */
export function writtenSetupPage({ files, next }: Extract<SetupWriteResult, { outcome: "Written" }>): Page {
  return {
    title: "Written",
    section: "/health",
    body: html`<div class="title"><h1>Written</h1></div>
<div class="panel">
<p role="status" class="lead">${next}</p>
<p>
<a class="button" href="/health#feeds">Feeds</a>
</p>
<ul>${files.map(
      (file) => html`<li>
<code dir="auto">${file}</code>
</li>`,
    )}</ul>
</div>`,
  };
}

function field(
  name: string,
  { label, example, hint }: SetupView["questions"]["brand"],
  value: string,
  more: Html | null,
): Html {
  return html`<label class="field">${label}${hint !== "" && html` <span class="hint">${hint}</span>`}<input name="${name}" value="${value}"
  placeholder="${example}" maxlength="${name === "brand" ? "100" : "2000"}" autocomplete="off" autocapitalize="off"
  spellcheck="false"${more}></label>`;
}

function problemNote(what: string, details: readonly string[]): Html {
  return html`<section class="panel problem-note" role="alert">
<h2 class="fault">${what}</h2>${details.length > 0 && html`<ul>${details.map((one) => html`<li dir="auto">${one}</li>`)}</ul>`}</section>`;
}

function draftPart(
  { files, change, warnings, tried, senses }: Extract<SetupOutcome, { outcome: "Drafted" }>,
  { readOnly, isFirst }: { readonly readOnly: string | null; readonly isFirst: boolean },
  times: Times,
): Html {
  return html`<h2 id="draft">What it writes</h2>${warnings.map((one) => html`<p class="note" dir="auto">${one}</p>`)}
${senses.length > 0 && sensesPart(senses)}
${(tried ?? []).map((one) => triedPart(one, times))}
${change === null ? filesPart(files) : changePart(change)}
<section class="panel action-form" aria-labelledby="h-write"><h2 id="h-write">Keep it</h2>${readOnly === null && isFirst && slackFields()}<div class="row">${
    readOnly === null
      ? html`${change !== null && html`<input type="hidden" name="opened" value="${change.opened}">`}<button type="submit" class="is-first"
  formaction="/setup/write">${change === null ? "Write the files" : "Change earshot.yaml"}</button>`
      : html`<p class="hint">They cannot be written here: ${readOnly}. Copy them, or run <code>earshot listen</code>.</p>`
  }</div></section>`;
}

/** Which meanings of the name are meant: all of them until somebody unticks some. */
function sensesPart(senses: readonly ShownSense[]): Html {
  const words = senses.map(({ words, not }) => ({ words, not }));
  return html`<section class="panel" aria-labelledby="h-senses"><h2 id="h-senses">Which of these do you mean?</h2>
<p class="hint">The name has several meanings in what the feeds bring now. Untick what is not meant: its words are left out.</p>
<input type="hidden" name="senses" value="${JSON.stringify(words)}">
<fieldset><legend class="unseen">Meanings</legend>${senses.map(
    ({ words, texts, examples }, index) => html`<p>
<label class="choice"><input type="checkbox" name="meant" value="${index}" checked> <span><strong>${foreign(words.slice(0, 4).join(", "))}</strong>
<span class="hint">${counted(texts, "text")}</span></span></label>
</p>
<ul>${examples.map((one) => html`<li dir="auto">${one}</li>`)}</ul>`,
  )}</fieldset>
<div class="row">
<button type="submit" name="do" value="senses">Leave out the others</button>
</div></section>`;
}

/** Beside the button that writes: a token is never shown again, so it would be lost with any other. */
function slackFields(): Html {
  return html`<p class="hint">Messages go to the Inbox of this console. To get them in Slack, name a channel and the token of a bot
(docs/slack.md makes one); it is written into a file that only this user may read.</p>
<label class="field">Slack channel<input name="slackChannel" placeholder="#brand-alerts" maxlength="100" autocomplete="off" spellcheck="false"></label>
<label class="field">Bot token<input type="password" name="slackToken" placeholder="xoxb-…" maxlength="300" autocomplete="off"></label>`;
}

function filesPart(files: Extract<SetupOutcome, { outcome: "Drafted" }>["files"]): Html {
  const [config, ...others] = files;
  return html`<section class="panel"><h2>${config?.path}</h2>${yaml(config?.text ?? "")}
${others.map(fileDetails)}</section>`;
}

function changePart({ diff, rules }: ShownChange): Html {
  return html`<section class="panel">
<h2>earshot.yaml</h2>
<p class="hint">It replaces <code>listen</code> wholly, and nothing else. The old file is kept as .old.</p>${
    diff === ""
      ? html`<p
  class="empty">Nothing differs.</p>`
      : yaml(diff)
  }</section>
${
  rules.length > 0 &&
  html`<section class="panel">
<h2>New rules</h2>
<p class="hint">Rules that are there stay as they are.</p>${rules.map(fileDetails)}</section>`
}`;
}

function fileDetails({ path, text }: { readonly path: string; readonly text: string }): Html {
  return html`<details><summary dir="auto">${path}</summary>${yaml(text)}</details>`;
}

function yaml(text: string): Html {
  return html`<pre class="yaml" tabindex="0"><code dir="auto">${text}</code></pre>`;
}
