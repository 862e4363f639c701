import { z } from "zod";
import type { Instant } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";
import type { Alert } from "../../model/alert.ts";
import { eventAt, type Mention } from "../../model/mention.ts";
import { type Html, html } from "../html.ts";
import { mentionList } from "../parts/mention-list.ts";
import { foreign } from "../parts/words.ts";
import type { Times } from "../times.ts";
import type { Page } from "./page.ts";

/** What became of a mention in one query. */
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
  readonly met: boolean;
  readonly because: string | null;
  /** When it led to an alert; null if it did not. */
  readonly matchedAt: Instant | null;
  readonly alertId: string | null;
}

/** Finds a mention by its id at the source or its address, in every query that stores it. */
export type ExplainMention = (text: string) => Promise<readonly ExplainedMention[]>;

export const WhyQuestion = z.object({ of: z.string().max(2_000).catch("") });

/** Shows why a mention led to an alert or not, as `earshot why` prints it. */
export async function whyMentionPage(explain: ExplainMention, text: string, times: Times): Promise<Page> {
  const found = text === "" ? [] : await explain(text);
  return {
    title: "Why a mention led to an alert, or did not",
    section: "/mentions",
    body: html`<p class="crumb"><a href="/mentions">Mentions</a></p>
<div class="title"><h1>Why a mention led to an alert, or did not</h1></div>
${found.length === 0 && html`<p class="panel empty">No such mention is stored. One that was never read has no history here.</p>`}${found.map((one) => mentionPanel(one, times))}`,
  };
}

function mentionPanel(
  { mention, projectId, queryName, seenAt, rules, alerts }: ExplainedMention,
  times: Times,
): Html {
  const shown = { mention, projectId, queryName, eventAt: eventAt(mention) };
  return html`<section class="panel"><h2>In ${foreign(queryName)}</h2>${mentionList([shown], times, "")}
<p class="detail">At the source since ${times.moment(mention.addedAt)}, read first ${times.moment(seenAt)}.</p>
<h3>What the rules make of it</h3>${
    rules.length === 0
      ? html`<p class="empty">No rule is about this query.</p>`
      : html`<dl class="facts is-wide">${rules.map((one) => html`<dt>${times.titleOf(one.rule)}</dt><dd>${observed(one, times)}</dd>`)}</dl>`
  }
<h3>Its alerts</h3>${
    alerts.length === 0
      ? html`<p class="empty">None.</p>`
      : html`<ol class="timeline">${alerts.map(({ alert }) => html`<li><span class="when">${times.moment(alert.openedAt)}</span><span><a href="/alerts/${alert.id}">${foreign(alert.queryName)}: ${times.titleOf(alert.rule)}</a>, ${alert.state}, ${counted(alert.mentions, "mention")} <span class="detail">see who was notified of it, and why</span></span></li>`)}</ol>`
  }</section>`;
}

function observed({ kind, met, because, matchedAt, alertId }: SeenByRule, times: Times): Html {
  const reason = because === null ? null : html` <span dir="auto" class="detail">${because}</span>`;
  if (matchedAt !== null)
    return html`<strong>met</strong> ${times.moment(matchedAt)}${alertId !== null && html`, <a href="/alerts/${alertId}">its alert</a>`}${reason}`;
  if (!met) return html`not met${reason}`;
  if (kind !== "mention") return html`counted: this rule is about how many there are, not about one${reason}`;
  return html`met as it is now, but led to no alert${reason}<br><span class="detail">The rule or the mention has changed since, or it came before the query was watched.</span>`;
}
