import { z } from "zod";
import {
  LONGEST_FILTER,
  LONGEST_LIST_NAME,
  LONGEST_TAG,
  type MentionFilter,
  type MentionListing,
  type MentionPosition,
  NOBODY,
  STATUS_WORDS,
  type WorkFilter,
} from "#monitor";
import { parseDuration } from "../../lib/duration.ts";
import { DAY, type Instant, LATEST_INSTANT } from "../../lib/instant.ts";
import { readJson } from "../../lib/json.ts";
import { formatNumber } from "../../lib/numbers.ts";
import { storableText } from "../../lib/text.ts";
import { MOST_QUERIES, withParameter } from "../common/address.ts";
import { WORKFLOW_SCRIPT } from "../common/assets.ts";
import { type Html, html } from "../common/html.ts";
import { livePart } from "../parts/live.ts";
import { mentionList, SENTIMENTS } from "../parts/mention-list.ts";
import type { Page, PageParts } from "../parts/page.ts";
import { foreign } from "../parts/words.ts";
import {
  keysHelp,
  MENTION_KEYS,
  noticeLine,
  type PressNotice,
  type WorkForm,
  workBar,
} from "../parts/workflow.ts";
import { MOST_EXPORTED } from "../search/export-mentions.ts";
import { type FoundMentions, findMentions } from "../search/find-mentions.ts";
import { readNarrowing, WORK_FILTERS } from "../search/read-narrowing.ts";
import { readSearch, type Search } from "../search/read-search.ts";
import { asksForText } from "../search/rule-of-search.ts";

const LENGTH = 50;

// Most parameters are absent, and a fault that is caught costs twenty times as much as a default.

const optionalText = (length: number) =>
  z
    .string()
    .max(length)
    .transform((text) => (text.trim() === "" ? null : text.trim()))
    .nullable()
    .default(null)
    .catch(null);

const moment = () => z.coerce.number().int().min(1).max(LATEST_INSTANT).nullable().default(null).catch(null);

/** Of the last hours or days: `from` counted from now, so that an address keeps its meaning. */
const RANGES = ["24h", "7d", "30d"] as const;

/** Links of charts name several queries as `query`; the form keeps them as `queries`, until one is chosen instead. */
function withQueries(question: unknown): unknown {
  const asked = (question ?? {}) as { readonly query?: unknown; readonly queries?: unknown };
  if (Array.isArray(asked.query)) return { ...asked, query: null, queries: asked.query };
  const isOne = typeof asked.query === "string" && asked.query.trim() !== "";
  return { ...asked, queries: isOne || asked.queries === undefined ? [] : [asked.queries].flat() };
}

const LONGEST_SEARCH = 1_000;

/** The parameters of the list; invalid values are ignored. The last hours or days count instead of moments. */
export const MentionsQuestion = z.preprocess(
  withQueries,
  z
    .object({
      query: optionalText(100),
      /** Several, where an address names more than one: links of charts do. */
      queries: z.array(z.string().min(1).max(100)).max(MOST_QUERIES).default([]).catch([]),
      sentiment: z.enum(SENTIMENTS).nullable().default(null).catch(null),
      /** One that is too long is a fault: without it the list would be of all mentions. */
      contains: optionalText(100_000),
      author: optionalText(LONGEST_FILTER),
      domain: optionalText(LONGEST_FILTER),
      language: optionalText(LONGEST_FILTER),
      type: optionalText(LONGEST_FILTER),
      category: optionalText(LONGEST_FILTER),
      country: optionalText(LONGEST_FILTER),
      story: optionalText(40),
      last: z.enum(RANGES).nullable().default(null).catch(null),
      from: moment(),
      to: moment(),
      alert: z.uuid().nullable().default(null).catch(null),
      assignee: optionalText(80),
      status: z.enum(WORK_FILTERS).nullable().default(null).catch(null),
      tag: optionalText(LONGEST_TAG),
      list: optionalText(LONGEST_LIST_NAME),
      after: z.string().max(2000).transform(readPosition).nullable().default(null).catch(null),
    })
    .transform((question) => (question.last === null ? question : { ...question, from: null, to: null })),
);
export type MentionsQuestion = z.output<typeof MentionsQuestion>;

/** What somebody asks for, and who "me" is; null: nobody that we know. */
export interface MentionsRequest {
  readonly question: MentionsQuestion;
  readonly me: string | null;
}

const isMe = (name: string | null | undefined): boolean => name?.toLowerCase() === "me";

function nameOf(assignee: string | null, me: string | null): string | null {
  if (isMe(assignee)) return me;
  return assignee?.toLowerCase() === "nobody" ? NOBODY : assignee;
}

/** Whether the answer is another one for each reader. */
export function asksForMe({ assignee, contains }: MentionsQuestion): boolean {
  return isMe(assignee) || isMe(readNarrowing(contains ?? "").narrowing.assignee);
}

/** What the parameters mean. */
export function searchOf(
  { question, me }: MentionsRequest,
  now: Instant,
): { readonly filter: MentionFilter; readonly search: Search } {
  const { query, sentiment, to, alert, author, domain, language, type, category, country, story, last } =
    question;
  const from = last === null ? question.from : now - (parseDuration(last) ?? 0);
  // A time with an end is read by its own moments; a clock of a source may be ahead.
  const until = to ?? (last === null ? null : now + DAY);
  const contains = question.contains ?? "";
  const { rest, narrowing, faults } = readNarrowing(contains.slice(0, LONGEST_SEARCH));
  const { assignee, status, tag, list } = { ...question, ...narrowing };
  const nameless =
    isMe(assignee) && me === null ? ["assignee: me is whoever is logged in; write a name."] : [];
  const long =
    contains.length > LONGEST_SEARCH ? [`A search has at most ${formatNumber(LONGEST_SEARCH)} letters.`] : [];
  const because = [...long, ...faults, ...nameless];
  return {
    filter: {
      projectId: null,
      queryId: query,
      queryIds: question.queries,
      sentiment,
      contains: null,
      from,
      to: until,
      alertId: alert,
      ...{ author, domain, language, pageType: type, category, country, story },
      ...{ assignee: nameOf(assignee ?? null, me), status, tag, list },
    },
    search: because.length > 0 ? { kind: "Fault", because } : readSearch(rest),
  };
}

function readMentions({ facts, times }: PageParts, request: MentionsRequest): Promise<FoundMentions> {
  const { filter, search } = searchOf(request, times.now());
  return findMentions(facts, filter, search, request.question.after, LENGTH);
}

/** The same for programs, as it was before anything was marked. */
export async function listMentions(
  parts: PageParts,
  request: MentionsRequest,
): Promise<Omit<MentionListing, "scanned">> {
  const { mentions, next, stoppedEarly } = await readMentions(parts, request);
  return { mentions, next, stoppedEarly };
}

export async function mentionsPart(
  address: string,
  parts: PageParts,
  request: MentionsRequest,
  { isWorkedOn }: { readonly isWorkedOn: boolean },
): Promise<Html> {
  const { question } = request;
  const { search } = searchOf(request, parts.times.now());
  if (search.kind === "Fault")
    return html`<div class="fault" role="alert"><p>This is no query that can be read:</p>
<ul>${search.because.map((one) => html`<li dir="auto">${one}</li>`)}</ul></div>`;
  const { mentions, marks, next, stoppedEarly } = await readMentions(parts, request);
  const onward = next === null ? null : withParameter(address, "after", writePosition(next));
  const why = mentions.length === 0 && question.contains !== null && whyLink(question.contains);
  return html`${mentionList(mentions, parts.times, stoppedEarly ? "None so far." : "No mention fits.", { marks, isWorkedOn })}${why}${
    onward !== null &&
    html`<p class="more">${
      next !== null && stoppedEarly && html`Searched back to ${parts.times.moment(next.moment)}. `
    }<a href="${onward}">${stoppedEarly ? "Search further back" : "Older mentions"}</a></p>`
  }`;
}

export function mentionsPage(
  address: string,
  parts: PageParts,
  request: MentionsRequest,
  {
    list,
    queries,
  }: { readonly list: Html; readonly queries: Awaited<ReturnType<PageParts["facts"]["queryNames"]>> },
  /** Of a reader who may act: the form, and what the last press did. */
  work: { readonly form: WorkForm; readonly notice: PressNotice | null } | null = null,
): Page {
  const { question, me } = request;
  const name = work === null ? "list" : "work-list";
  // Older pages get no new mentions, and their list should not move while it is read.
  const lives = question.after === null;
  return {
    title: "Mentions",
    section: "/mentions",
    ...(work !== null && { scripts: [WORKFLOW_SCRIPT.address] }),
    body: html`<div class="title"><h1>Mentions</h1><p class="hint">${
      me !== null && html`<a href="/mentions?assignee=me&amp;status=to-do">Yours to do</a> · `
    }<a href="/views">Saved searches and views</a></p></div>
<form class="filters" method="get" action="/mentions" role="search">
<label class="grows">Words, or a query <input type="search" name="contains" value="${question.contains}" maxlength="${LONGEST_SEARCH}" dir="auto"
  aria-describedby="search-hint"></label>
<label>Query <select name="query"><option value="">${
      question.queries.length === 0 ? "all" : "as below"
    }</option>${queries.map(({ queryId, name }) => option(queryId, name, question.query))}</select></label>
<label>Sentiment <select name="sentiment"><option value="">any</option>${SENTIMENTS.map((one) => option(one, one, question.sentiment))}</select></label>
<label>Of the last <select name="last"><option value="">any time</option>${RANGES.map((one) => option(one, one, question.last))}</select></label>
<label>Status <select name="status"><option value="">any</option>${WORK_FILTERS.map((one) => option(one, FILTER_WORDS[one], question.status))}</select></label>
${hidden(question)}<button type="submit">Show</button>
<details class="whole"${FURTHER.some(([name]) => question[name] !== null) && html` open`}><summary>More</summary>
<div class="filters">${FURTHER.map(
      ([name, label]) =>
        html`<label>${label} <input name="${name}" value="${question[name]}" maxlength="${LONGEST_FILTER}" dir="auto"></label>`,
    )}</div>
<p class="hint" id="search-hint">Every word has to be there. Or in the query language: battery AND (fire OR smoke), "recall notice",
title:recall, fire NEAR/5 battery, NOT advert. What people decided: assignee:me, assignee:nobody, status:to-do, tag:vip, list:press.</p></details>
</form>
<p class="detail">${exportLinks(address)}${ruleLink(address, parts, request)}${
      work !== null && html` <button type="button" id="open-keys" class="as-link" hidden>Keys (?)</button>`
    }</p>
${limitsLine(question, parts, queries)}<div class="panel">${
      lives || work !== null
        ? livePart(address, { name, on: lives ? ["mentions"] : [], alsoOn: ["worked from:body"] }, list)
        : list
    }</div>
${work !== null && html`<div id="work-notice" role="status">${noticeLine(work.notice, work.form)}</div>${workBar(work.form)}${keysHelp(MENTION_KEYS)}`}
<p class="detail"><a href="/mentions.atom${feedSearch(question)}">Atom feed</a></p>`,
  };
}

/** Of its query and sentiment; a feed searches no texts. */
function feedSearch({ query, sentiment }: MentionsQuestion): string {
  const given = Object.entries({ query, sentiment }).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as [string, string]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** Fields that are seldom needed, with their labels. */
const FURTHER = [
  ["author", "Author"],
  ["domain", "Site"],
  ["language", "Language"],
  ["type", "Page type"],
  ["category", "Category"],
  ["country", "Country"],
  ["assignee", "Assigned to"],
  ["tag", "Tag"],
  ["list", "Author list"],
] as const;

const FILTER_WORDS: Readonly<Record<WorkFilter, string>> = {
  "to-do": "open or in progress",
  ...STATUS_WORDS,
};

function exportLinks(address: string): Html {
  const all = withParameter(withParameter(address, "after", null), "live", null);
  const to = (kind: string) => all.replace("/mentions", `/mentions.${kind}`);
  const save = new URLSearchParams({ save: all }).toString();
  return html`${all.includes("?") && html`<a href="/views?${save}">Save this search</a> · `}
Download these (the newest ${formatNumber(MOST_EXPORTED)}):
<a href="${to("csv")}">CSV</a> · <a href="${to("xlsx")}">Excel</a> · <a href="${to("jsonl")}">JSON Lines</a>`;
}

function ruleLink(
  address: string,
  { hasRules = false, times }: PageParts,
  request: MentionsRequest,
): Html | null {
  if (!hasRules || !asksForText(searchOf(request, times.now()))) return null;
  const search = withParameter(withParameter(address, "after", null), "live", null).split("?")[1] ?? "";
  return html` · <a href="/rules/try?rule=search&amp;${search}">Make a rule of this</a>`;
}

/** What the page of an alert, or a chart, limits the list to is kept when the form is sent. */
function hidden({ from, to, alert, story, queries }: MentionsQuestion): readonly Html[] {
  const kept = [
    ...Object.entries({ from, to, alert, story }),
    ...queries.map((id) => ["queries", id] as const),
  ];
  return kept.flatMap(([name, value]) =>
    value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  );
}

function limitsLine(
  { from, to, alert, story, queries: ids }: MentionsQuestion,
  { times }: PageParts,
  queries: readonly { readonly queryId: string; readonly name: string }[],
): Html | null {
  const named = queries.filter(({ queryId }) => ids.includes(queryId));
  const limits = [
    ids.length > 0 && html`those of ${named.map(({ name }, n) => html`${n > 0 && ", "}${foreign(name)}`)}`,
    alert !== null && html`those that met the rule of <a href="/alerts/${alert}">this alert</a>`,
    story !== null && "those that tell one story",
    from !== null && html`from ${times.moment(from)}`,
    to !== null && html`to ${times.moment(to)}`,
  ].filter((limit) => limit !== false);
  if (limits.length === 0) return null;
  return html`<p class="detail">Only ${limits.map((limit, n) => html`${n > 0 && " "}${limit}`)}.
<a href="/mentions">All mentions</a></p>`;
}

/** An address or an id is searched in vain in texts; "why" finds it, or says why it is not there. */
function whyLink(of: string): Html {
  return html`<p class="more"><a href="/why?${new URLSearchParams({ of }).toString()}">Is it the address or id of a mention? See why it is not here</a></p>`;
}

function option(value: string, label: string, chosen: string | null): Html {
  return html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
}

/** An opaque position in the list: `moment.query.resource`, safe in an address. */
function writePosition({ moment, queryId, resourceId }: MentionPosition): string {
  return Buffer.from(JSON.stringify([moment, queryId, resourceId])).toString("base64url");
}

function readPosition(text: string): MentionPosition | null {
  const parsed = Position.safeParse(readJson(Buffer.from(text, "base64url").toString("utf8")));
  if (!parsed.success) return null;
  const [moment, queryId, resourceId] = parsed.data;
  return { moment, queryId, resourceId };
}

/** Limited to moments and texts that the database can hold. */
const Id = z.string().transform(storableText);
const Position = z.tuple([z.number().min(-62e12).max(LATEST_INSTANT), Id, Id]);
