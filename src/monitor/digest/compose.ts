import type { Instant } from "../../lib/instant.ts";
import { compareText } from "../../lib/text.ts";
import type { Alert } from "../model/alert.ts";
import type { PeriodStory } from "../model/digest.ts";
import { compareSeverity } from "../model/severity.ts";
import { titleOf } from "../model/wording.ts";
import {
  type DigestAlertRow,
  type DigestIncidentRow,
  type DigestQueryRow,
  type DigestStoryRow,
  type DigestTotals,
  type DigestView,
  NO_MORE,
  shortenDigest,
  type UnneededView,
} from "../templates/digest-view.ts";
import { shortLine } from "../templates/escape.ts";
import { buildMentionView } from "../templates/mention-view.ts";
import { type Insights, rankStories } from "./insights.ts";
import type { Period } from "./schedule.ts";
import { isQuiet, type VolumeCount, volumeOf } from "./volume.ts";

/** The collected facts of one digest, in any order. */
export interface DigestFacts {
  readonly name: string;
  readonly timezone: string;
  readonly language: string;
  readonly period: Period;
  /** Up to here every query was read: the least of all. */
  readonly completeUntil: Instant;
  /** Names of the projects that the queries belong to. */
  readonly projects: readonly string[];
  /** Every query of the digest, those without mentions too. */
  readonly queries: readonly QueryFacts[];
  /** The largest stories of the period, those of a single mention included. */
  readonly stories: readonly PeriodStory[];
  readonly insights: Insights;
  /** By hour or by day, as `volumeStep` says. */
  readonly volume: readonly VolumeCount[];
  /** Alerts that may have been open in the period; others are left out here. */
  readonly alerts: readonly {
    readonly alert: Alert;
    /** The rule's title. */
    readonly title: string;
    readonly consoleUrl: string | null;
  }[];
  /** Incidents of several alerts that were open in the period, with the alerts that they have. */
  readonly incidents: readonly { readonly row: DigestIncidentRow; readonly alertIds: readonly string[] }[];
  /** Of a week or more, else null. */
  readonly unneeded: UnneededView | null;
  readonly consoleUrl: string | null;
}

export interface QueryFacts {
  readonly queryId: string;
  readonly query: string;
  readonly mentions: number;
  readonly negative: number;
  readonly neutral: number;
  readonly positive: number;
  /** Of the period before; null if the query was not watched during all of it. */
  readonly previous: Numbers | null;
  /** Of the periods before that were watched, the newest first. */
  readonly earlier: readonly Numbers[];
}

interface Numbers {
  readonly mentions: number;
  readonly negative: number;
}

/** Builds the view from the facts: ranks, sums, sorts, and decides whether the period was quiet. A pure function. */
export function composeDigest(facts: DigestFacts): DigestView {
  const names = new Map(facts.queries.map(({ queryId, query }) => [queryId, query]));
  const nameOf = ({ topMention }: PeriodStory) => names.get(topMention.queryId) ?? "";
  const volume = volumeOf(facts.period, facts.volume, facts.timezone);
  const { ranked, shared } = sharedStories(facts.stories, volume?.peakAt ?? facts.period.from);
  const shown = new Set(shared.map(({ story }) => story));
  const inIncidents = new Set(facts.incidents.flatMap(({ alertIds }) => alertIds));
  const alone = facts.alerts.filter(({ alert }) => !inIncidents.has(alert.id));
  const alerts = alertsIn(facts.period, alone);
  const perQuery = facts.queries
    .map(queryRow)
    .sort((a, b) => b.mentions - a.mentions || compareText(a.query, b.query));
  const whole = {
    name: titleOf(facts.name),
    project: [...new Set(facts.projects)].sort().join(", "),
    periodFrom: facts.period.from,
    periodTo: facts.period.to,
    timezone: facts.timezone,
    language: facts.language,
    completeUntil: Math.min(Math.max(facts.completeUntil, facts.period.from), facts.period.to),
    totals: totalsOf(facts.queries),
    volume,
    perQuery,
    topStories: shared.map((story) => storyRow(story, nameOf(story))),
    topMentions: ranked
      .filter(({ story }) => !shown.has(story))
      .slice(0, MOST)
      .map(({ topMention, mentions }) => buildMentionView(topMention, mentions)),
    topAuthors: facts.insights.authors
      .slice(0, MOST)
      .map(({ name, ...numbers }) => ({ ...numbers, name: shortName(name) })),
    topHashtags: facts.insights.hashtags
      .slice(0, MOST_HASHTAGS)
      .map(({ name, mentions }) => ({ mentions, name: shortName(name) })),
    incidents: facts.incidents
      .map(({ row }) => row)
      .sort((a, b) => compareSeverity(b.severity, a.severity) || a.openedAt - b.openedAt),
    unneeded: facts.unneeded,
    alerts,
    alertCount: alerts.length,
    more: NO_MORE,
    page: null,
    consoleUrl: facts.consoleUrl,
    // One edition has many readers; each reader's own link is added when it is sent.
    unsubscribeUrl: null,
  };
  const view = shortenDigest(whole, { alerts: MOST_ALERTS, queries: MOST_QUERIES });
  return { ...view, quiet: isQuiet(whole) };
}

function sharedStories(stories: readonly PeriodStory[], peakAt: Instant) {
  // A story that two queries found is listed once.
  const ranked = oncePerStory(rankStories(stories, peakAt));
  return { ranked, shared: ranked.filter(({ mentions }) => mentions >= LEAST_SHARED).slice(0, MOST) };
}

/** The stories of a period that most share, as a digest lists them. */
export function topStoriesOf(
  stories: readonly PeriodStory[],
  queries: readonly { readonly queryId: string; readonly name: string }[],
  peakAt: Instant,
): readonly DigestStoryRow[] {
  const names = new Map(queries.map(({ queryId, name }) => [queryId, name]));
  return sharedStories(stories, peakAt).shared.map((story) =>
    storyRow(story, names.get(story.topMention.queryId) ?? ""),
  );
}

/** Ten alerts are readable; four hundred equal lines would hide the important one. */
const MOST_ALERTS = 10;
const MOST_QUERIES = 20;
const MOST = 5;
const MOST_HASHTAGS = 8;
/** Two copies are no story: people post twice. */
const LEAST_SHARED = 3;
/** Two periods are too few to know what is usual. */
const LEAST_EARLIER = 3;

function shortName(name: string): string {
  return shortLine(name.slice(0, 2_000), 50);
}

function totalsOf(queries: readonly QueryFacts[]): DigestTotals {
  const sum = (of: (query: QueryFacts) => number) => queries.reduce((total, query) => total + of(query), 0);
  // With half of the history missing, the other half would look like growth.
  const comparable = queries.length > 0 && queries.every(({ previous }) => previous !== null);
  return {
    mentions: sum(({ mentions }) => mentions),
    negative: sum(({ negative }) => negative),
    neutral: sum(({ neutral }) => neutral),
    positive: sum(({ positive }) => positive),
    previousMentions: comparable ? sum(({ previous }) => previous?.mentions ?? 0) : null,
    previousNegative: comparable ? sum(({ previous }) => previous?.negative ?? 0) : null,
    ...usualOf(allEarlier(queries)),
  };
}

/** The totals of all queries by period, as far back as all of them were watched. */
function allEarlier(queries: readonly QueryFacts[]): readonly Numbers[] {
  const count = queries.length === 0 ? 0 : Math.min(...queries.map(({ earlier }) => earlier.length));
  return Array.from({ length: count }, (_, index) => {
    const all = queries.flatMap(({ earlier }) => earlier.slice(index, index + 1));
    return {
      mentions: all.reduce((total, { mentions }) => total + mentions, 0),
      negative: all.reduce((total, { negative }) => total + negative, 0),
    };
  });
}

/** The median: one crisis among the days before does not make it usual. */
function usualOf(earlier: readonly Numbers[]): Pick<DigestTotals, "usualMentions" | "usualNegative"> {
  if (earlier.length < LEAST_EARLIER) return { usualMentions: null, usualNegative: null };
  return {
    usualMentions: median(earlier.map(({ mentions }) => mentions)),
    usualNegative: median(earlier.map(({ negative }) => negative)),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return Math.round(((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2);
}

function queryRow(facts: QueryFacts): DigestQueryRow {
  const { query, mentions, negative, neutral, positive, previous, earlier } = facts;
  return {
    query,
    mentions,
    negative,
    neutral,
    positive,
    previousMentions: previous?.mentions ?? null,
    previousNegative: previous?.negative ?? null,
    ...usualOf(earlier),
  };
}

function storyRow({ topMention, mentions, negative, firstAt }: PeriodStory, query: string): DigestStoryRow {
  const { title, text, url, domain } = buildMentionView(topMention, mentions);
  return {
    query,
    text: title ?? (text || (domain ?? "a mention without text")),
    url,
    domain,
    mentions,
    negative,
    firstAt,
  };
}

function oncePerStory(stories: readonly PeriodStory[]): readonly PeriodStory[] {
  const first = new Map<string, PeriodStory>();
  for (const story of stories) if (!first.has(story.story)) first.set(story.story, story);
  return [...first.values()];
}

/** Those that fired and were going on at some moment of the period. */
function alertsIn({ from, to }: Period, alerts: DigestFacts["alerts"]): readonly DigestAlertRow[] {
  return alerts
    .filter(({ alert }) => alert.firedAt !== null && alert.openedAt < to && (alert.resolvedAt ?? to) > from)
    .sort(({ alert: a }, { alert: b }) => compareSeverity(b.severity, a.severity) || a.openedAt - b.openedAt)
    .map(({ alert, title, consoleUrl }) => ({
      rule: alert.rule,
      title,
      query: alert.queryName,
      severity: alert.severity,
      state: alert.state,
      because: alert.because,
      openedAt: alert.openedAt,
      resolvedAt: alert.resolvedAt,
      mentions: alert.mentions,
      consoleUrl,
    }));
}
