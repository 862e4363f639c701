import { groupBy } from "../../lib/group-by.ts";
import type { Instant } from "../../lib/instant.ts";
import { compareText } from "../../lib/text.ts";
import type { AlertState } from "../model/alert.ts";
import type { IncidentStatus } from "../model/incident.ts";
import type { Severity } from "../model/severity.ts";
import { titleOf } from "../model/wording.ts";
import type { MentionView } from "./mention-view.ts";

/** One period of a subscriber, as the digest templates see it: plain data, moments as epoch milliseconds. */
export interface DigestView {
  /** The configured name of the digest: "Morning read". */
  readonly name: string;
  /** Project names, joined with commas. */
  readonly project: string;
  /** The period is [periodFrom, periodTo). */
  readonly periodFrom: Instant;
  readonly periodTo: Instant;
  /** IANA zone of the reader; every moment is shown in it. */
  readonly timezone: string;
  /** Tag of the language in which the reader wants dates: `en`, `de`, `pt-BR`. */
  readonly language: string;
  /** Up to here every query is complete; before `periodTo` if something is still missing. */
  readonly completeUntil: Instant;
  /** True if nothing is worth reading: no alerts, and the usual volume or none. */
  readonly quiet: boolean;
  readonly totals: DigestTotals;
  /** Volume and sentiment over the period, by hour or by day; null if nothing was counted. */
  readonly volume: DigestVolume | null;
  /** Largest first, at most twenty. */
  readonly perQuery: readonly DigestQueryRow[];
  /** Most shared first, at most about five. */
  readonly topStories: readonly DigestStoryRow[];
  /** At most about five, none of them in a story above. */
  readonly topMentions: readonly MentionView[];
  /** The most active authors, at most five; counted by the source, or from the stored mentions. */
  readonly topAuthors: readonly DigestAuthorRow[];
  /** Without `#`, most used first, at most eight. */
  readonly topHashtags: readonly DigestHashtagRow[];
  /** Incidents of several alerts that were open during the period, the most severe first. */
  readonly incidents: readonly DigestIncidentRow[];
  /** Of a week or more: the messages that nobody needed; null if there were none. */
  readonly unneeded: UnneededView | null;
  /** Alerts in no such incident that were open during the period, most severe first, then oldest first; at most ten. */
  readonly alerts: readonly DigestAlertRow[];
  /** The number of those alerts, listed or not. */
  readonly alertCount: number;
  /** The numbers of what is not listed above. */
  readonly more: DigestMore;
  /** The saved view that it shows, with what a digest has no place for; null: a digest of the configuration. */
  readonly page: DigestPage | null;
  /** The console, or the page that it shows; null if no console address is configured. http or https. */
  readonly consoleUrl: string | null;
  /** Unsubscribes this one reader; null if there is no such link. http or https. */
  readonly unsubscribeUrl: string | null;
}

/** A page of the console as a mail. */
export interface DigestPage {
  /** Its name: "Who speaks". */
  readonly title: string;
  /** What it is limited to: "country Germany"; empty if to nothing. */
  readonly asked: string;
  /** The user who gets it. */
  readonly reader: string;
  /** "32% negative, 4 points more than before". */
  readonly mood: string;
  readonly tables: readonly DigestTable[];
}

export interface DigestTable {
  readonly title: string;
  /** The heads of the columns after the first. */
  readonly heads: readonly { readonly text: string }[];
  /** Each with its cells, in the order of the heads. */
  readonly rows: readonly {
    readonly name: string;
    readonly facet: string | null;
    readonly cells: readonly { readonly text: string }[];
  }[];
}

/** One crisis: one row, for all its alerts. */
export interface DigestIncidentRow {
  readonly query: string;
  /** The title of the rule whose alert began it. */
  readonly title: string;
  readonly severity: Severity;
  readonly status: IncidentStatus;
  readonly openedAt: Instant;
  /** When it had become calm, of one that is over; else null. */
  readonly endedAt: Instant | null;
  /** How many alerts it has. */
  readonly alerts: number;
  /** "757 negative mentions from 10:40 to 16:20; the most in one hour: 93, until 11:55". */
  readonly summary: string;
  readonly consoleUrl: string | null;
}

/** Messages on which nobody acted, about alerts that are over. */
export interface UnneededView {
  readonly receivers: readonly {
    readonly receiver: string;
    readonly messages: number;
    readonly unneeded: number;
  }[];
  readonly rules: readonly {
    readonly rule: string;
    readonly title: string;
    readonly messages: number;
    readonly unneeded: number;
    /** What would have spared them, in one sentence; null if no change is known. */
    readonly remedy: string | null;
  }[];
}

interface DigestMore {
  readonly alerts: number;
  /** The most common of those alerts, at most three, with their numbers. */
  readonly common: readonly {
    readonly count: number;
    readonly rule: string;
    readonly title: string;
    readonly query: string;
  }[];
  readonly queries: number;
  /** Mentions of those queries. */
  readonly mentions: number;
}

export interface DigestVolume {
  readonly step: "hour" | "day" | "week";
  /** The mentions of the highest bar. */
  readonly most: number;
  /** In order of time, without gaps. Heights are from 0 to 60. */
  readonly bars: readonly {
    readonly at: Instant;
    readonly mentions: number;
    readonly negative: number;
    readonly otherHeight: number;
    readonly negativeHeight: number;
  }[];
  /** The same bars as characters: `▁▂▇█▃`. */
  readonly line: string;
  /** The bar with the most mentions. */
  readonly peakAt: Instant;
}

export interface DigestTotals {
  readonly mentions: number;
  readonly negative: number;
  readonly neutral: number;
  readonly positive: number;
  /** Mentions of the period before, of equal length; null without such history. */
  readonly previousMentions: number | null;
  readonly previousNegative: number | null;
  /** The usual count: the median of the periods before; null if there are fewer than three. */
  readonly usualMentions: number | null;
  readonly usualNegative: number | null;
}

interface DigestAuthorRow {
  readonly name: string;
  readonly mentions: number;
  /** Null if the source does not say. */
  readonly negative: number | null;
}

interface DigestHashtagRow {
  readonly name: string;
  readonly mentions: number;
}

export interface DigestQueryRow extends DigestTotals {
  /** Name of the query, as people know it. */
  readonly query: string;
}

export interface DigestStoryRow {
  readonly query: string;
  /** Its first text or headline, one line, shortened. */
  readonly text: string;
  readonly url: string | null;
  readonly domain: string | null;
  /** Its mentions: the original, reposts and copies. */
  readonly mentions: number;
  readonly negative: number;
  readonly firstAt: Instant;
}

export interface DigestAlertRow {
  readonly rule: string;
  /** The rule's title, as in the messages about the alert. */
  readonly title: string;
  readonly query: string;
  readonly severity: Severity;
  readonly state: AlertState;
  readonly because: string;
  readonly openedAt: Instant;
  /** Null while it is still going on. */
  readonly resolvedAt: Instant | null;
  readonly mentions: number;
  readonly consoleUrl: string | null;
}

export const NO_MORE: DigestMore = { alerts: 0, common: [], queries: 0, mentions: 0 };

/** Limits the lists; adds the number of removed entries to those removed before. */
export function shortenDigest<View extends Pick<DigestView, "alerts" | "perQuery" | "more">>(
  view: View,
  most: { readonly alerts: number; readonly queries: number },
): View {
  const { more } = view;
  const queries = view.perQuery.slice(most.queries);
  const alerts = view.alerts.slice(most.alerts);
  return {
    ...view,
    alerts: view.alerts.slice(0, most.alerts),
    perQuery: view.perQuery.slice(0, most.queries),
    more: {
      alerts: more.alerts + alerts.length,
      common: commonOf([
        ...more.common,
        ...alerts.map(({ rule, title, query }) => ({ rule, title, query, count: 1 })),
      ]),
      queries: more.queries + queries.length,
      mentions: queries.reduce((sum, { mentions }) => sum + mentions, more.mentions),
    },
  };
}

/** By rule and query, the most common first. */
function commonOf(rows: DigestMore["common"]): DigestMore["common"] {
  const groups = groupBy(rows, ({ rule, query }) => JSON.stringify([rule, query]));
  return [...groups.values()]
    .flatMap((group) =>
      group.slice(0, 1).map((one) => ({ ...one, count: group.reduce((n, { count }) => n + count, 0) })),
    )
    .sort((a, b) => b.count - a.count || compareText(a.query, b.query) || compareText(a.rule, b.rule))
    .slice(0, MOST_COMMON);
}

const MOST_COMMON = 3;

/** Default values of fields that older versions did not store. */
const UNKNOWN = {
  language: "en",
  topAuthors: [],
  topHashtags: [],
  unsubscribeUrl: null,
  volume: null,
  incidents: [],
  unneeded: null,
  page: null,
};
const UNKNOWN_TOTALS = { usualMentions: null, usualNegative: null };

/** A stored edition. It may still wait for its receiver while Earshot is upgraded. */
export function storedDigest(body: unknown): DigestView {
  const stored = body as DigestView;
  return {
    ...UNKNOWN,
    ...stored,
    topMentions: stored.topMentions.map((mention) => ({ ...mention, title: mention.title ?? null })),
    alerts: stored.alerts.map((alert) => ({ ...alert, title: alert.title ?? titleOf(alert.rule) })),
    more: moreOf(stored),
    alertCount: stored.alertCount ?? stored.alerts.length,
    totals: { ...UNKNOWN_TOTALS, ...stored.totals },
    perQuery: stored.perQuery.map((row) => ({ ...UNKNOWN_TOTALS, ...row })),
  };
}

function moreOf({ more = NO_MORE }: DigestView): DigestMore {
  return { ...more, common: more.common.map((one) => ({ ...one, title: one.title ?? titleOf(one.rule) })) };
}
