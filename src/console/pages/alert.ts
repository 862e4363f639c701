import {
  type Alert,
  type AlertEvent,
  type AlertExplainer,
  attemptName,
  countedBy,
  deletedWords,
  describePrecision,
  eventAt,
  expandReason,
  type Mention,
  OWN_QUERY,
  type RulePrecision,
  type ShownDelivery,
  type ShownIncident,
  type ShownMention,
  type ShownNotification,
  type ShownReceiver,
  type ShownStory,
  type ShownWait,
  speakerOf,
  wordsOf,
} from "#monitor";
import { awaitAll } from "../../lib/concurrency.ts";
import { DAY, HOUR } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import { alertSpan, severityBadge } from "../parts/alert-list.ts";
import { incidentPanel } from "../parts/incident-panel.ts";
import { livePart } from "../parts/live.ts";
import { mentionList } from "../parts/mention-list.ts";
import { outcomeOf } from "../parts/notification-table.ts";
import type { Page, PageParts } from "../parts/page.ts";
import { alertActionsPart, type ReaderForm } from "../parts/silence-form.ts";
import { waitWords } from "../parts/status-panels.ts";
import { foreign, formatCompact, formatMeasured, shorten } from "../parts/words.ts";
import { linkOfRule } from "./rules.ts";

const EVENTS = 200;
const MENTIONS = 30;
const NOTIFICATIONS = 50;
const STORIES = 5;
const PRECISION_DAYS = 30;

/** Everything known about one alert. */
interface AlertStory {
  readonly alert: Alert;
  readonly events: readonly AlertEvent[];
  readonly mentions: readonly ShownMention[];
  /** Whether the mentions met the rule themselves, or only lie in its window. */
  readonly mentionsAre: "matches" | "window";
  readonly notifications: readonly ShownNotification[];
  readonly deliveries: readonly ShownDelivery[];
  /** Its findings, as stored. */
  readonly explanation: unknown;
  /** How many of its mentions were deleted. */
  readonly deleted: number;
  readonly receivers: readonly ShownReceiver[];
  /** Receivers whose messages are delayed. */
  readonly waits: readonly ShownWait[];
  /** Stories that several of its mentions share. */
  readonly stories: readonly ShownStory[];
  /** Recent feedback on the alerts of its rule. */
  readonly precision: RulePrecision;
  /** Its incident, if that has several alerts; null if not. */
  readonly incident: ShownIncident | null;
  /** Of the incident, however many alerts it has; null: it is in none. */
  readonly incidentId: string | null;
}

export async function readAlertStory(
  { facts, waits: askWaits = async () => [] }: PageParts,
  id: string,
): Promise<AlertStory | null> {
  const alert = await facts.alert(id);
  if (alert === null) return null;
  const { matches, ...read } = await awaitAll({
    events: facts.alertEvents(alert.projectId, id, EVENTS),
    matches: facts.alertMatches(alert.projectId, id, MENTIONS),
    notifications: facts.alertNotifications(alert.projectId, id, NOTIFICATIONS),
    deliveries: facts.alertDeliveries(alert.projectId, id, NOTIFICATIONS * 4),
    explanation: facts.alertExplanation(alert.projectId, id),
    deleted: facts.deletedMentions(alert.projectId, id),
    receivers: facts.alertReceivers(alert.projectId, id),
    precision: facts.rulePrecision(alert.rule, alert.openedAt - PRECISION_DAYS * DAY),
    waits: askWaits(),
    incident: facts.incidentOfAlert(alert.projectId, id),
    incidentId: facts.incidentIdOf(alert.projectId, id),
  });
  const common = { alert, ...read };
  const mentionsAre = matches.length > 0 ? "matches" : "window";
  const span = spanOf(alert, read.incident);
  const whole = { ...alert, windowFrom: span.from, windowTo: span.to };
  const stories = await facts.alertStories(whole, mentionsAre, STORIES);
  if (mentionsAre === "matches") return { ...common, stories, mentions: matches, mentionsAre };
  const mentions = await facts.windowMentions(whole, span.sentiment, MENTIONS);
  return { ...common, stories, mentions, mentionsAre };
}

/** `form`: null if this reader, or this console, only reads. */
export function alertPage(
  address: string,
  story: AlertStory,
  parts: PageParts,
  form: ReaderForm | null = null,
): Page {
  const title = `${story.alert.queryName}: ${parts.times.titleOf(story.alert.rule)}`;
  const isOver = story.alert.state === "resolved";
  const actions = form !== null && alertActionsPart(story.alert, form);
  return {
    title,
    section: "/alerts",
    // The actions come first, for the person on call, but of what is over. They are outside of the live part, so that an
    // update never replaces a form in use.
    body: html`<p class="crumb"><a href="/alerts">Alerts</a></p>
<div class="title">
<h1>${foreign(story.alert.queryName)}:
${parts.times.titleOf(story.alert.rule)}</h1>${
      parts.hasRules === true &&
      story.alert.queryId !== OWN_QUERY.queryId &&
      html`<a
  href="${linkOfRule(story.alert.rule)}">Its rule</a>`
    }${story.incidentId !== null && html`<a href="/incidents/${story.incidentId}">Statement and crisis room</a>`}</div>
${!isOver && actions}${livePart(address, { name: "story", on: ["alerts", "notifications"] }, alertPart(story, parts))}${isOver && actions}`,
  };
}

export function alertPart(story: AlertStory, { times, explainer, hasPreviews }: PageParts): Html {
  const { alert } = story;
  const findings = explainer?.findings(alert, story.explanation) ?? [];
  return html`<p
  class="alert-line">${severityBadge(alert)} ${alertSpan(alert, times)} · ${countedBy(alert)}${alert.state !== "resolved" && " so far"}${
    story.deleted > 0 && html` · ${deletedWords(story.deleted)}`
  }${handlingLine(alert)}</p>
<div class="two is-alert">
<div>
<section class="panel" aria-labelledby="h-about">
<h2 id="h-about">What it is about</h2>
${aboutOf(story, times.moment)}${chartOf(story, explainer)}${findingList(findings.filter(({ part }) => part !== "measured"))}</section>
</div>
<div class="aside">
${story.incident !== null && incidentPanel(story.incident, times, alert.id)}
<section class="panel" aria-labelledby="h-line"><h2 id="h-line">What happened</h2>${timeline(story.events, times.moment)}</section>
<section class="panel" aria-labelledby="h-receivers"><h2 id="h-receivers">Receivers</h2>${receiversSection(story, times.moment)}</section>
<section class="panel" aria-labelledby="h-notified"><h2 id="h-notified">Who was notified</h2>${notificationsSection(story, times.moment)}
${hasPreviews === true && html`<p class="detail"><a href="/preview?alert=${alert.id}">See the message as it would be sent now</a></p>`}</section>
</div>
<div>
${
  story.stories.length > 1 &&
  html`<section class="panel" aria-labelledby="h-stories">
<h2 id="h-stories">Stories shared more than once</h2>${storyList(story.stories, times.moment)}</section>`
}
<section class="panel" aria-labelledby="h-mentions">
<h2
  id="h-mentions">${
    story.mentionsAre === "matches"
      ? "Mentions that met the rule"
      : "Mentions of its time, largest reach first"
  }</h2>${mentionList(story.mentions, times, "None is stored any more.")}<p class="more">
<a href="/mentions?${mentionsOf(story).toString()}">All its mentions</a></p></section>
<details class="panel"><summary>The numbers of the rule</summary>
<p class="because" dir="auto">${alert.because}</p>${findingList(findings.filter(({ part }) => part === "measured"))}${facts(story, times.moment)}</details>
</div>
</div>`;
}

/** People's words first: the story that most mentions share, or the mention; without one, the sentence of the rule. */
function aboutOf({ alert, stories, mentions, mentionsAre }: AlertStory, moment: Moment): Html {
  const [story] = stories;
  if (story !== undefined && (mentionsAre === "matches" || story.mentions >= LEAST_TOLD))
    return storyList([story], moment);
  const [first] = mentions;
  if (mentionsAre === "window" || first === undefined)
    return html`<p class="because is-large" dir="auto">${alert.because}</p>`;
  const { title, text, domain } = first.mention;
  return html`<p class="because is-large" dir="auto">${shorten(title ?? text ?? "a mention without text", 300)}</p>
<p class="detail">${nameOf(first.mention)}${domain !== null && html`, ${foreign(shorten(domain, 60))}`}, ${moment(first.eventAt)}</p>`;
}

/** So many mentions make a story what an alert on counts is about. */
const LEAST_TOLD = 3;

/** Where all of its mentions are: those that met its rule, or those of its time, for an incident of all of its time. */
function mentionsOf({ alert, incident, mentionsAre }: AlertStory): URLSearchParams {
  const query = { query: alert.queryId };
  if (mentionsAre === "matches") return new URLSearchParams({ ...query, alert: alert.id });
  const { from, to, sentiment } = spanOf(alert, incident);
  const time = { from: String(from), to: String(to) };
  return new URLSearchParams({ ...query, ...time, ...(sentiment !== null && { sentiment }) });
}

/**
 * From an hour before it opened, in which it began, to its newest evidence; of an incident, all of it, and what it is
 * measured by.
 */
function spanOf({ windowFrom, windowTo, openedAt, lastSeenAt }: Alert, shown: ShownIncident | null) {
  const { incident } = shown ?? {};
  return {
    from: Math.min(windowFrom, openedAt - HOUR, (incident?.openedAt ?? openedAt) - HOUR),
    to: Math.max(windowTo, lastSeenAt, incident?.lastSeenAt ?? 0) + 1,
    sentiment: incident?.measure === "negative" ? ("negative" as const) : null,
  };
}

/** What the messages show, too. */
function chartOf({ alert, explanation }: AlertStory, explainer: PageParts["explainer"]): Html | null {
  if (explainer === null || explainer === undefined) return null;
  const address = `/alerts/${alert.id}/chart`;
  return html`${
    explainer.chart(alert, explanation, "light") !== null &&
    html`<picture class="alert-chart"><source media="(prefers-color-scheme: dark)" srcset="${address}-dark.svg"><img src="${address}-light.svg"
  width="600" height="340" alt="Counts of the last day against what was expected. ${alert.because}"></picture>`
  }`;
}

function findingList(findings: ReturnType<AlertExplainer["findings"]>): Html | null {
  if (findings.length === 0) return null;
  return html`<dl class="facts is-wide findings">${findings.map(
    ({ label, text }) => html`<dt>${label}</dt><dd>${foreign(text)}</dd>`,
  )}</dl>`;
}

/** Who handles it, and whether it was marked not relevant. */
function handlingLine({ handling = {} }: Alert): Html {
  return html`${handling.assignee !== undefined && html` · assigned to ${foreign(handling.assignee)}`}${
    handling.assignee === undefined &&
    handling.acknowledgedBy !== undefined &&
    html` · acknowledged by ${foreign(handling.acknowledgedBy)}`
  }${handling.relevant === false && html` · marked not relevant`}`;
}

type Moment = PageParts["times"]["moment"];

function facts({ alert, precision }: AlertStory, moment: Moment): Html {
  const window =
    alert.windowFrom === alert.windowTo
      ? null
      : html`<dt>Window</dt><dd>${moment(alert.windowFrom)} to ${moment(alert.windowTo)}</dd>`;
  // The key of a story means nothing to a reader; the page lists its mentions.
  const labels = Object.entries(alert.labels)
    .filter(([label]) => label !== "story")
    .map(([label, value]) => html`<dt>${expandReason(label)}</dt><dd>${foreign(value)}</dd>`);
  const values = Object.entries(alert.values).map(
    ([name, value]) => html`<dt>${expandReason(name)}</dt><dd>${formatMeasured(value)}</dd>`,
  );
  return html`<dl class="facts is-wide">
<dt>Rule</dt>
<dd>
<code>${alert.rule}</code><br><span class="detail">${describePrecision(precision, PRECISION_DAYS)}</span>
</dd>${labels}${window}<dt>Newest evidence</dt>
<dd>${moment(alert.lastSeenAt)}</dd>${values}</dl>`;
}

/** Each story, how often it was shared, who published it first, and who had the largest reach. */
function storyList(stories: readonly ShownStory[], moment: Moment): Html {
  return html`<ol class="timeline">${stories.map(({ mentions, first, widest }) => {
    const reach = widest.reach ?? widest.followers;
    return html`<li>
<span class="when">${counted(mentions, "mention")}</span>
<div>
<span dir="auto">${shorten(first.title ?? first.text ?? first.domain ?? "a mention without text", 300)}</span><br><span
  class="detail">first by ${nameOf(first)} ${moment(eventAt(first))}${
    reach !== null &&
    html`, largest reach ${widest.resourceId === first.resourceId ? "of it, too" : html`by ${nameOf(widest)}`} (${formatCompact(reach)})`
  }</span></div></li>`;
  })}</ol>`;
}

function nameOf(mention: Mention): Html {
  return foreign(shorten(speakerOf(mention) ?? "unknown author", 60));
}

/** A decision without news is repeated with each mention: `why` has the last one of each receiver. */
const ROUTINE: ReadonlySet<string> = new Set(["NothingNew", "NoNewEvidence"]);

function timeline(all: readonly AlertEvent[], moment: Moment): Html {
  const events = all.filter(({ what }) => !ROUTINE.has(what));
  if (events.length === 0) return html`<p class="empty">No history is stored.</p>`;
  return html`<ol class="timeline">${events.map(
    (event) =>
      html`<li>
<span class="when">${moment(event.at)}</span><span><strong>${wordsOf(event.what)}</strong> <span dir="auto"
  class="detail">${event.detail}${wayOf(event)}</span></span>
</li>`,
  )}</ol>`;
}

/** Where an action was taken, if its words do not say so. */
function wayOf({ actor }: AlertEvent): string {
  if (actor?.via === "slack") return ", in Slack";
  return actor?.via === "shell" ? ", at the shell" : "";
}

function receiversSection({ receivers, waits }: AlertStory, moment: Moment): Html {
  if (receivers.length === 0) return html`<p class="empty">No route leads to anybody.</p>`;
  return html`<dl class="facts is-wide">${receivers.map(
    (one) =>
      html`<dt>${foreign(one.receiver)}</dt>
<dd>${wordsOf(one.last)}${
        one.notifiedAt !== null && html`, notified ${moment(one.notifiedAt)}`
      }${one.nextAt !== null && html`, checked again ${moment(one.nextAt)}`}${waits
        .filter(({ receiver }) => receiver === one.receiver)
        .map((wait) => html`<br>${waitWords(wait)}`)}</dd>`,
  )}</dl>`;
}

function notificationsSection({ alert, notifications, deliveries }: AlertStory, moment: Moment): Html {
  if (notifications.length === 0) {
    return html`<p class="empty">Nobody yet. “What happened” shows what was held, and why.</p>`;
  }
  return html`<ol class="timeline">${notifications.map((one) => {
    const attempts = deliveries.filter((delivery) => delivery.notificationId === one.id);
    return html`<li>
<span class="when">${moment(one.createdAt)}</span>
<div>
<strong>${foreign(one.receiver)}</strong> <span class="detail">${wordsOf(one.reason)}${
      one.alertId !== alert.id &&
      html`, in <a
  href="/alerts/${one.alertId}">the message about ${foreign(one.queryName ?? "another alert")}</a>`
    }</span><br>${outcomeOf(one)}${attempts.length > 1 && attemptList(attempts)}</div></li>`;
  })}</ol>`;
}

function attemptList(attempts: readonly ShownDelivery[]): Html {
  return html`<ol class="attempts">${attempts.map(
    (one) =>
      html`<li>${attemptName(one.attempt)}: ${one.outcome}${one.detail !== "" && html` <span class="detail" dir="auto">${one.detail}</span>`}</li>`,
  )}</ol>`;
}
