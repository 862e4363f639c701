import { z } from "zod";
import {
  type Alert,
  type AuthorListing,
  authorKeyOf,
  categoriesAfter,
  countedBy,
  describeActor,
  eventAt,
  type Mention,
  type MentionKey,
  namesInList,
  type ShownSourceEdit,
  type Stores,
} from "#monitor";
import type { Instant } from "../../lib/instant.ts";
import { capitalised } from "../../lib/text.ts";
import type { Corrections } from "../common/corrections.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import { type ListForm, listForm } from "../parts/author-lists.ts";
import { mentionList, SENTIMENTS, sentimentOf } from "../parts/mention-list.ts";
import type { Page } from "../parts/page.ts";
import { foreign } from "../parts/words.ts";
import { noticeLine, type PressNotice, type WorkForm, workflowPanel } from "../parts/workflow.ts";
import { linkOfRule } from "./rules.ts";

/** What was decided about a mention in one query. */
export interface ExplainedMention {
  readonly mention: Mention;
  readonly projectId: string;
  readonly queryName: string;
  /** When it was first read. */
  readonly seenAt: Instant;
  readonly rules: readonly SeenByRule[];
  readonly alerts: readonly { readonly alert: Alert }[];
}

interface SeenByRule {
  readonly rule: string;
  readonly kind: string;
  /** A named reason: `Alerted`, `ConditionNotMet`, … */
  readonly outcome: string;
  readonly because: string;
  readonly window: {
    readonly from: Instant;
    readonly to: Instant;
    readonly countsFrom: Instant | null;
  } | null;
  /** When it led to an alert; null if it did not. */
  readonly matchedAt: Instant | null;
  readonly alertId: string | null;
}

/** Why a mention is not stored, by query. */
export interface ExplainedUnread {
  readonly queries: readonly {
    readonly projectId: string;
    readonly queryName: string;
    readonly outcome: string;
    readonly because: string;
  }[];
  readonly withheld: readonly string[];
  readonly rules:
    | readonly {
        readonly rule: string;
        readonly kind: string;
        readonly met: boolean;
        readonly because: string;
      }[]
    | null;
}

/** Finds a mention by its id at the source or its address, in every query that stores it. */
export type ExplainMention = (text: string) => Promise<readonly ExplainedMention[]>;

/** Explains why a mention is not stored; `ask` also asks the source, which costs calls of its rate limit. */
export type ExplainUnread = (text: string, ask: boolean) => Promise<ExplainedUnread>;

/** A correction, and whether the account has it. */
function editLine({ at, actor, edit, state, problem }: ShownSourceEdit, times: Times): Html {
  const what = "sentiment" in edit ? `sentiment to ${edit.sentiment}` : "categories";
  const became = { sent: "the account has it", due: "waits to be written", "given-up": "was not written" }[
    state
  ];
  return html`<li><span class="when">${times.moment(at)}</span><div><bdi>${describeActor(actor)}</bdi>: ${what}; ${became}${
    problem !== null && state !== "sent" && html` <span class="detail" dir="auto">${problem}</span>`
  }</div></li>`;
}

type WorkStory = Awaited<ReturnType<Stores["mentionWorkflow"]["story"]>> & {
  readonly edits: readonly ShownSourceEdit[];
};

/** What the page needs to show and change what people decided about a mention. */
interface Work {
  /** Null: the reader may not act. */
  readonly form: WorkForm | null;
  /** What the last press did. */
  readonly notice: PressNotice | null;
  readonly story: (key: MentionKey) => Promise<WorkStory>;
  /** Null: the reader changes no list. */
  readonly listForm: ListForm | null;
  /** The lists on which the authors of these mentions are. */
  readonly listsOf: (mentions: readonly Mention[]) => Promise<(readonly AuthorListing[])[]>;
  /** The name of a new note. */
  readonly note: () => string;
}

export const WhyQuestion = z.object({
  of: z
    .string()
    .max(2_000)
    .transform((text) => text.trim())
    .catch(""),
  ask: z
    .literal("source")
    .transform(() => true)
    .catch(false),
  /** What the reader has just corrected: the sentiment to this one, or the categories. */
  corrected: z
    .enum([...SENTIMENTS, "categories"])
    .nullable()
    .catch(null),
});
export type WhyQuestion = z.output<typeof WhyQuestion>;

/** Shows why a mention led to an alert or not, or why it is not stored, as `earshot why` prints it. */
export async function whyMentionPage(
  {
    mention: explain,
    unread,
  }: { readonly mention: ExplainMention; readonly unread?: ExplainUnread | undefined },
  { of: text, ask, corrected }: WhyQuestion,
  times: Times,
  {
    hasRules = false,
    token = null,
    corrections = null,
    work = null,
  }: {
    /** Whether /rules shows rules. */
    readonly hasRules?: boolean;
    /** Of forms; null if nobody corrects a sentiment here. */
    readonly token?: string | null;
    readonly corrections?: Pick<Corrections, "takes" | "choices"> | null;
    /** What people decided about it; null: this console does not show it. */
    readonly work?: Work | null;
  } = {},
): Promise<Page> {
  const found = text === "" ? [] : await explain(text);
  const stories = await Promise.all(
    found.map(({ projectId, mention }) => work?.story({ ...mention, projectId })),
  );
  const lists = (await work?.listsOf(found.map(({ mention }) => mention))) ?? [];
  const choices = await Promise.all(
    found.map(({ projectId, mention: { queryId } }) =>
      token !== null && corrections?.takes(queryId) ? corrections.choices(projectId, queryId) : null,
    ),
  );
  const nameOf = namesInList(found);
  const missing = text === "" || found.length > 0 ? null : await unread?.(text, ask);
  return {
    title: "Why, or why not?",
    section: "/mentions",
    body: html`<p class="crumb"><a href="/mentions">Mentions</a></p>
<div class="title"><h1>Why, or why not?</h1></div>
<form class="filters" method="get" action="/why" role="search">
<label class="grows">Address or id of a mention <input type="search" name="of" value="${text}" maxlength="2000" dir="auto"></label>
<button type="submit">Explain</button>
</form>
${
  corrected !== null &&
  html`<p class="panel" role="status">${corrected === "categories" ? "The categories are corrected" : `Corrected to ${corrected}`}.
It is shown here when the changes of its source are read, in some minutes.</p>`
}${work?.form && html`<div id="work-notice" role="status">${noticeLine(work.notice, work.form)}</div>`}${found.map(
  (one, n) =>
    mentionPanel(one, nameOf(one), times, {
      hasRules,
      token,
      choices: choices[n] ?? null,
      edits: stories[n]?.edits ?? [],
      lists: lists[n] ?? [],
      listing: work?.listForm ?? null,
      workflow: workflowOf(one, stories[n], times, work),
    }),
)}${
  text !== "" && found.length === 0 && unreadPanel(text, missing ?? null, ask, times)
}${text === "" && html`<p class="panel empty">Say which mention: why did it lead to an alert, or why not? It may be one that is not stored.</p>`}`,
  };
}

function unreadPanel(text: string, missing: ExplainedUnread | null, isAsked: boolean, times: Times): Html {
  const nameOf = namesInList(missing?.queries ?? []);
  const asking = new URLSearchParams({ of: text, ask: "source" }).toString();
  return html`<section class="panel"><h2>No such mention is stored</h2>${
    missing === null
      ? html`<p class="empty">One that was never read has no history here.</p>`
      : html`${
          missing.queries.length === 0
            ? html`<p class="empty">No query is watched.</p>`
            : html`<dl class="facts is-wide">${missing.queries.map(
                (one) =>
                  html`<dt>${foreign(nameOf(one))}</dt><dd><span dir="auto">${sentence(one.because)}</span></dd>`,
              )}</dl>`
        }${
          missing.withheld.length > 0 &&
          html`<p class="detail">The source withholds by its policy, so that no rule can search in it:
${missing.withheld.join(", ")}.</p>`
        }${
          !isAsked &&
          html`<p>
<a class="button" href="/why?${asking}">Ask the source</a> <span
  class="detail">Does a query have it, and which term failed? It costs a call of the rate limit.</span>
</p>`
        }${
          missing.rules !== null &&
          html`<h3>What the rules would make of it alone</h3><dl class="facts is-wide">${missing.rules.map(
            ({ rule, kind, met, because }) =>
              html`<dt>${times.titleOf(rule)}</dt>
<dd>${met ? (kind === "mention" ? "met" : "counted") : "not met"} <span dir="auto" class="detail">${because}</span>
</dd>`,
          )}</dl>`
        }`
  }</section>`;
}

function mentionPanel(
  { mention, projectId, queryName, seenAt, rules, alerts }: ExplainedMention,
  name: string,
  times: Times,
  {
    hasRules,
    token,
    choices,
    edits,
    lists,
    listing,
    workflow,
  }: {
    readonly hasRules: boolean;
    readonly token: string | null;
    /** Its categories to choose from; null: it is not corrected here. */
    readonly choices: readonly Category[] | null;
    readonly edits: readonly ShownSourceEdit[];
    readonly lists: readonly AuthorListing[];
    readonly listing: ListForm | null;
    readonly workflow: Html | null;
  },
): Html {
  const titleOf = (rule: string): Html =>
    hasRules ? html`<a href="${linkOfRule(rule)}">${times.titleOf(rule)}</a>` : html`${times.titleOf(rule)}`;
  const shown = { mention, projectId, queryName, eventAt: eventAt(mention), lists };
  const alerted = rules.filter(({ outcome }) => outcome === "Alerted");
  const others = rules.filter(({ outcome }) => outcome !== "Alerted");
  return html`<section class="panel"><h2>In ${foreign(name)}</h2>${mentionList([shown], times, "")}
<p class="detail">At the source since ${times.moment(mention.addedAt)}, read first ${times.moment(seenAt)}.</p>
${listing !== null && putOnList(mention, listing)}${workflow}${token !== null && choices !== null && correctForms(mention, choices, edits, token)}${
  alerted.length > 0 &&
  html`<h3>Why: rules that alerted</h3>
<dl class="facts is-wide">${alerted.map(
    (one) => html`<dt>${titleOf(one.rule)}</dt>
<dd>${observed(one, times)}</dd>`,
  )}</dl>`
}<h3>Why not: rules that did not alert</h3>${
    others.length === 0
      ? html`<p class="empty">There is no other rule.</p>`
      : html`<dl class="facts is-wide">${others.map((one) => html`<dt>${titleOf(one.rule)}</dt><dd>${observed(one, times)}</dd>`)}</dl>`
  }
<h3>Its alerts</h3>${
    alerts.length === 0
      ? html`<p class="empty">None.</p>`
      : html`<ol class="timeline">${alerts.map(
          ({ alert }) => html`<li>
<span class="when">${times.moment(alert.openedAt)}</span><span><a href="/alerts/${alert.id}">${foreign(alert.queryName)}:
${times.titleOf(alert.rule)}</a>, ${alert.state}, ${countedBy(alert)} <span class="detail">see who was notified of it, and why</span></span>
</li>`,
        )}</ol>`
  }</section>`;
}

/** Not of a mention that names nobody. */
function putOnList(mention: Mention, form: ListForm): Html | null {
  const author = authorKeyOf(mention);
  if (author === null) return null;
  const { authorName: name, domain: site } = mention;
  return html`<details class="action-form"><summary>Put ${foreign(author)} on a list</summary>${listForm(form, { author, name, site })}</details>`;
}

function workflowOf(
  { projectId, mention: { queryId, resourceId } }: ExplainedMention,
  story: WorkStory | undefined,
  times: Times,
  work: Work | null,
): Html | null {
  if (work === null || story === undefined) return null;
  const panel = workflowPanel({ projectId, queryId, resourceId }, story, times, work.form, work.note());
  return html`${panel}${
    story.edits.length > 0 &&
    html`<h3>Corrections for the account</h3>
<ul class="timeline">${story.edits.map((edit) => editLine(edit, times))}</ul>`
  }`;
}

/** Of our own feeds, and of an account that takes corrections from here; else they are corrected there. */
function correctForms(
  mention: Mention,
  categories: readonly Category[],
  edits: readonly ShownSourceEdit[],
  token: string,
): Html {
  const stored = mention.categories.map(({ id }) => id);
  const has = categoriesAfter(stored, mention.updatedAt, edits).map(Number);
  return html`${sentimentForm(mention, token)}${
    categories.length > 0 && categoryForm(mention, categories, has, token)
  }`;
}

function sentimentForm({ queryId, resourceId, sentiment }: Mention, token: string): Html {
  return html`<form class="filters" method="post" action="/mentions/sentiment">
<input type="hidden" name="token" value="${token}"><input type="hidden" name="query" value="${queryId}">
<input type="hidden" name="mention" value="${resourceId}">
<label>Its sentiment is <select name="sentiment" required>${
    sentimentOf(sentiment) === "unknown" && html`<option value="" selected disabled>not known</option>`
  }${SENTIMENTS.map(
    (one) => html`<option value="${one}"${one === sentiment && html` selected`}>${one}</option>`,
  )}</select></label>
<button type="submit">Correct</button>
</form>`;
}

interface Category {
  readonly id: number;
  readonly name: string;
}

/** What is ticked or not any more is corrected; what others change meanwhile stays. */
function categoryForm(
  { queryId, resourceId }: Mention,
  categories: readonly Category[],
  has: readonly number[],
  token: string,
): Html {
  const ticked = new Set(categories.map(({ id }) => id).filter((id) => has.includes(id)));
  return html`<form class="filters" method="post" action="/mentions/categories">
<input type="hidden" name="token" value="${token}"><input type="hidden" name="query" value="${queryId}">
<input type="hidden" name="mention" value="${resourceId}">
${[...ticked].map((id) => html`<input type="hidden" name="shown" value="${id}">`)}
<fieldset><legend>Its categories</legend>${categories.map(
    ({ id, name }) =>
      html`<label><input type="checkbox" name="category" value="${id}"${ticked.has(id) && html` checked`}> ${foreign(name)}</label> `,
  )}</fieldset>
<button type="submit">Correct</button>
</form>`;
}

function observed({ outcome, because, window, matchedAt, alertId }: SeenByRule, times: Times): Html {
  const link = alertId !== null && html`, <a href="/alerts/${alertId}">its alert</a>`;
  if (outcome === "Alerted")
    return html`<strong>met</strong> ${matchedAt !== null && times.moment(matchedAt)}${link} <span dir="auto" class="detail">${because}</span>`;
  return html`<span dir="auto">${sentence(because)}</span>${link}${
    window !== null &&
    html`<br><span class="detail">Window ${times.moment(window.from)} to ${times.moment(window.to)}${
      window.countsFrom !== null &&
      html`; counted again from ${times.moment(window.countsFrom)} on, so what was usual then may have been different`
    }</span>`
  }`;
}

/** Sentences of the explanation begin small, because the shell puts them behind a name. */
function sentence(text: string): string {
  return `${capitalised(text)}.`;
}
