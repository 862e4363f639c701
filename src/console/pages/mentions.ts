import { z } from "zod";
import type { MentionListing, MentionPosition } from "#monitor";
import { readJson } from "../../lib/json.ts";
import { storableText } from "../../lib/text.ts";
import { withParameter } from "../address.ts";
import { type Html, html } from "../html.ts";
import { livePart } from "../parts/live.ts";
import { mentionList, SENTIMENTS } from "../parts/mention-list.ts";
import type { Page, PageParts } from "./page.ts";

const LENGTH = 50;

const optionalText = (length: number) =>
  z
    .string()
    .max(length)
    .transform((text) => (text.trim() === "" ? null : text.trim()))
    .catch(null);

const moment = () => z.coerce.number().int().min(1).max(250e12).nullable().catch(null);

/** The parameters of the list; invalid values are ignored. */
export const MentionsQuestion = z.object({
  query: optionalText(100),
  sentiment: z.enum(SENTIMENTS).nullable().catch(null),
  contains: optionalText(200),
  from: moment(),
  to: moment(),
  alert: z.uuid().nullable().catch(null),
  after: z.string().max(2000).transform(readPosition).catch(null),
});
export type MentionsQuestion = z.output<typeof MentionsQuestion>;

export function readMentions({ facts }: PageParts, question: MentionsQuestion): Promise<MentionListing> {
  const { query, sentiment, contains, from, to, alert, after } = question;
  return facts.mentions(
    { projectId: null, queryId: query, sentiment, contains, from, to, alertId: alert },
    after,
    LENGTH,
  );
}

export async function mentionsPart(
  address: string,
  parts: PageParts,
  question: MentionsQuestion,
): Promise<Html> {
  const { mentions, next, stoppedEarly } = await readMentions(parts, question);
  const onward = next === null ? null : withParameter(address, "after", writePosition(next));
  const why = mentions.length === 0 && question.contains !== null && whyLink(question.contains);
  return html`${mentionList(mentions, parts.times, stoppedEarly ? "None so far." : "No mention fits.")}${why}${
    onward !== null &&
    html`<p class="more">${
      next !== null && stoppedEarly && html`Searched back to ${parts.times.moment(next.moment)}. `
    }<a href="${onward}">${stoppedEarly ? "Search further back" : "Older mentions"}</a></p>`
  }`;
}

export async function mentionsPage(
  address: string,
  parts: PageParts,
  question: MentionsQuestion,
): Promise<Page> {
  const [list, queries] = await Promise.all([
    mentionsPart(address, parts, question),
    parts.facts.queryNames(),
  ]);
  // Older pages get no new mentions, and their list should not move while it is read.
  const lives = question.after === null;
  return {
    title: "Mentions",
    section: "/mentions",
    body: html`<div class="title"><h1>Mentions</h1></div>
<form class="filters" method="get" action="/mentions" role="search">
<label>Query <select name="query"><option value="">all</option>${queries.map(({ queryId, name }) => option(queryId, name, question.query))}</select></label>
<label>Sentiment <select name="sentiment"><option value="">any</option>${SENTIMENTS.map((one) => option(one, one, question.sentiment))}</select></label>
<label class="grows">Text contains <input type="search" name="contains" value="${question.contains}" maxlength="200" dir="auto"></label>
${hidden(question)}<button type="submit">Show</button>
</form>
${limitsLine(question, parts)}<div class="panel">${lives ? livePart(address, { name: "list", on: ["mentions"] }, list) : list}</div>
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

/** What the page of an alert limits the list to is kept when the form is sent. */
function hidden({ from, to, alert }: MentionsQuestion): readonly Html[] {
  return Object.entries({ from, to, alert }).flatMap(([name, value]) =>
    value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  );
}

function limitsLine({ from, to, alert }: MentionsQuestion, { times }: PageParts): Html | null {
  if (from === null && to === null && alert === null) return null;
  return html`<p class="detail">Only ${
    alert !== null && html`those that met the rule of <a href="/alerts/${alert}">this alert</a>`
  }${from !== null && html`from ${times.moment(from)}`}${to !== null && html` to ${times.moment(to)}`}.
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
const Position = z.tuple([z.number().min(-62e12).max(250e12), Id, Id]);
