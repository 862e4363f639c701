import { formatNumber, formatShare } from "../../lib/numbers.ts";
import type { ListSums } from "../model/author-list.ts";
import type { DigestEdition, PeriodStory } from "../model/digest.ts";
import type { Facet, FacetRow, MoverRow, QueryKey, StepCount } from "../model/mention-counts.ts";
import type { WatchedQuery } from "../model/query.ts";
import { type DigestPage, type DigestTable, type DigestView, NO_MORE } from "../templates/digest-view.ts";
import { cleanLine, shortenText } from "../templates/escape.ts";
import { buildVolume, type Volume } from "../views/count-volume.ts";
import { buildMovers, MOST_MOVERS, MOVING_FACETS } from "../views/movers.ts";
import { chosenQueries, type InsightsQuestion } from "../views/question.ts";
import { spanOfMoments } from "../views/range.ts";
import { topStoriesOf } from "./compose.ts";
import type { PlannedDigest } from "./planned-digest.ts";
import type { Period } from "./schedule.ts";
import { type MailedPage, rangeOfView, readMailedView } from "./view-digests.ts";
import { barsOf } from "./volume.ts";

/** What a view reads: mentions that were counted before, and stories. */
export interface ViewStore {
  readonly queries: { active(): Promise<readonly WatchedQuery[]> };
  readonly polls: { completeUntilOf(queries: readonly WatchedQuery[]): Promise<number | null> };
  readonly mentionCounts: {
    bySteps(
      queries: readonly QueryKey[],
      of: readonly [Facet, string],
      moments: readonly number[],
    ): Promise<readonly StepCount[]>;
    byValue(
      queries: readonly QueryKey[],
      facet: Facet,
      periods: Periods,
      limit: number,
      list?: string | null,
    ): Promise<readonly FacetRow[]>;
    movers(
      queries: readonly QueryKey[],
      facets: readonly Facet[],
      periods: Periods,
      mentions: { readonly period: number; readonly before: number },
      limit: number,
    ): Promise<readonly MoverRow[]>;
  };
  readonly authorLists: {
    sums(queries: readonly QueryKey[], periods: Periods): Promise<readonly ListSums[]>;
  };
  readonly digests: {
    stories(queries: readonly WatchedQuery[], period: Period): Promise<readonly PeriodStory[]>;
  };
}

interface Periods {
  readonly period: Period;
  readonly before: Period;
}

interface Asked {
  readonly store: ViewStore;
  readonly chosen: readonly WatchedQuery[];
  readonly question: InsightsQuestion;
  readonly periods: Periods;
  readonly volume: Volume;
}

/** A saved view as a mail: its figures of the whole days before the edition, and of as many before them. */
export async function collectView(
  store: ViewStore,
  { title, timezone, language, view }: PlannedDigest & { readonly view: NonNullable<PlannedDigest["view"]> },
  edition: DigestEdition,
  consoleUrl: string | null,
): Promise<DigestView | null> {
  const read = readMailedView(view.address);
  if (read === null) return null;
  const { page, question } = read;
  const { chosen } = chosenQueries(await store.queries.active(), question);
  const { moments, before, by } = rangeOfView(question, edition.dueAt, timezone);
  const periods = { period: spanOfMoments(moments), before: spanOfMoments(before) };
  // The other pages are of all mentions, whatever the address asks besides.
  const filter = page === "/insights" ? question.filter : null;
  const of = filter === null ? (["all", ""] as const) : ([filter.facet, filter.value] as const);
  const counts = await store.mentionCounts.bySteps(chosen, of, moments);
  const past = await store.mentionCounts.bySteps(chosen, of, before);
  const volume = buildVolume(chosen, moments.length - 1, counts, past);
  const asked = { store, chosen, question: { ...question, filter }, periods, volume };
  const { from, to } = periods.period;
  const { mood, moodBefore, moods } = volume;
  return {
    name: short(title, 80),
    project: PAGES[page].title,
    ...{ periodFrom: from, periodTo: to, timezone, language },
    completeUntil: Math.min(Math.max((await store.polls.completeUntilOf(chosen)) ?? from, from), to),
    quiet: false,
    totals: {
      ...{ mentions: volume.total, negative: mood.negative, neutral: mood.neutral, positive: mood.positive },
      ...{ previousMentions: volume.before, previousNegative: moodBefore.negative },
      ...{ usualMentions: null, usualNegative: null },
    },
    volume: barsOf(
      by,
      moods.map(({ negative }, step) => {
        const mentions = volume.voices.reduce((sum, voice) => sum + (voice.counts[step] ?? 0), 0);
        return { at: moments[step] ?? from, mentions, negative };
      }),
    ),
    ...{ perQuery: [], topMentions: [], topAuthors: [], topHashtags: [] },
    topStories: page === "/insights/stories" ? await storiesOf(asked) : [],
    ...{ incidents: [], unneeded: null, alerts: [], alertCount: 0, more: NO_MORE },
    page: {
      title: PAGES[page].title,
      asked: describe(chosen, asked.question, page),
      reader: view.reader,
      mood: moodOf(volume),
      tables: await PAGES[page].tables(asked),
    },
    consoleUrl: consoleUrl === null ? null : `${consoleUrl}${addressOf(view.address, periods.period)}`,
    unsubscribeUrl: null,
  };
}

const PAGES: Readonly<
  Record<MailedPage, { readonly title: string; readonly tables: (asked: Asked) => Promise<DigestTable[]> }>
> = {
  "/insights": { title: "Volume and mood", tables: volumeTables },
  "/insights/speakers": { title: "Who speaks", tables: speakerTables },
  "/insights/stories": { title: "Stories", tables: async () => [] },
};

async function volumeTables({ store, chosen, question, periods, volume }: Asked): Promise<DigestTable[]> {
  const { total, before, voices } = volume;
  const shares = table(
    "Share of voice",
    ["Mentions", "Share", "Before", "Negative"],
    voices.map((voice) =>
      row(voice.name, null, [
        ...[formatNumber(voice.total), formatShare(total === 0 ? 0 : voice.total / total)],
        formatShare(share(voice.before, before) ?? 0),
        formatShare(share(voice.negative, voice.total) ?? 0),
      ]),
    ),
  );
  // Counts know one facet at a time, so a filter leaves nothing to explain the mood by.
  const explains = question.filter === null && total > 0 && before > 0;
  const mentions = { period: total, before };
  const rows = explains
    ? buildMovers(
        await store.mentionCounts.movers(chosen, MOVING_FACETS, periods, mentions, MOST_MOVERS),
        mentions,
      )
    : [];
  const movers = table(
    "What moved the mood",
    ["Negative", "Of all mentions", "Before"],
    rows.map(({ facet, value, negative, share: now, shareBefore }) =>
      row(`${FACET_NAMES[facet] ?? facet} ${value}`, facet, [
        ...[formatNumber(negative), formatShare(now), formatShare(shareBefore)],
      ]),
    ),
  );
  return [voices.length > 1 ? shares : null, movers].filter(
    (one) => one !== null && one.rows.length > 0,
  ) as DigestTable[];
}

const FACET_NAMES: Readonly<Partial<Record<Facet, string>>> = { domain: "site", type: "page type" };

const SPEAKERS: readonly (readonly [Facet, string])[] = [
  ["author", "Authors"],
  ["domain", "Sites"],
  ["country", "Countries"],
  ["language", "Languages"],
  ["type", "Page types"],
];
/** Of each facet: a mail is read on a phone. */
const MOST_SPEAKERS = 5;

async function speakerTables({ store, chosen, question, periods }: Asked): Promise<DigestTable[]> {
  const { list } = question;
  const tables: DigestTable[] = [];
  const sums = await store.authorLists.sums(chosen, periods);
  const spoke = sums.filter(({ mentions, before }) => mentions + before > 0).slice(0, 2 * MOST_SPEAKERS);
  tables.push(
    table(
      "On our lists",
      ["Mentions", "Before", "Negative"],
      spoke.map((one) => row(one.list, null, speakerCells(one))),
    ),
  );
  for (const [facet, title] of list === null ? SPEAKERS : SPEAKERS.slice(0, 1)) {
    const rows = await store.mentionCounts.byValue(chosen, facet, periods, MOST_SPEAKERS, list);
    const [first] = rows;
    const fresh = first?.newValues === 0 ? "none" : formatNumber(first?.newValues ?? 0);
    const many = first === undefined ? "" : `: ${formatNumber(first.values)}, ${fresh} of them new`;
    tables.push(
      table(
        `${title}${list === null ? "" : ` on the list ${short(list, 40)}`}${many}`,
        ["Mentions", "Before", "Negative"],
        rows.map((one) => row(one.value, facet, speakerCells(one))),
      ),
    );
  }
  return tables.filter(({ rows }) => rows.length > 0);
}

function speakerCells({ mentions, before, negative }: Pick<FacetRow, "mentions" | "before" | "negative">) {
  return [
    formatNumber(mentions),
    before === 0 ? "new" : formatNumber(before),
    formatShare(share(negative, mentions) ?? 0),
  ];
}

async function storiesOf({ store, chosen, periods: { period }, volume }: Asked) {
  if (volume.total === 0) return [];
  return topStoriesOf(await store.digests.stories(chosen, period), chosen, period.from);
}

function moodOf({ total, before, mood, moodBefore }: Volume): DigestPage["mood"] {
  const now = share(mood.negative, total);
  if (now === null) return "";
  const change = points(now, share(moodBefore.negative, before));
  return `${formatShare(now)} negative${change === "" ? "" : `, ${change}`}`;
}

/** `4 points more than before`; null where there was nothing. */
function points(now: number | null, before: number | null): string {
  if (now === null || before === null) return "";
  const by = Math.round(now * 100) - Math.round(before * 100);
  if (by === 0) return "as before";
  return `${Math.abs(by)} ${Math.abs(by) === 1 ? "point" : "points"} ${by > 0 ? "more" : "less"} than before`;
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function describe(chosen: readonly WatchedQuery[], question: InsightsQuestion, page: MailedPage): string {
  const { query, filter, list } = question;
  const parts = [
    ...(query.length === 0 ? [] : [chosen.map(({ name }) => name).join(", ")]),
    ...(filter === null ? [] : [`${FACET_NAMES[filter.facet] ?? filter.facet} ${filter.value}`]),
    ...(list === null || page !== "/insights/speakers" ? [] : [`list ${list}`]),
  ];
  return short(parts.join("; "), 160);
}

/** The same page of these days, whenever somebody follows it. */
function addressOf(address: string, { from, to }: Period): string {
  const url = new URL(address, "http://earshot.invalid");
  url.searchParams.delete("last");
  url.searchParams.set("from", String(from));
  url.searchParams.set("to", String(to));
  return `${url.pathname}${url.search}`;
}

function table(title: string, heads: readonly string[], rows: DigestTable["rows"]): DigestTable {
  return { title, heads: heads.map((text) => ({ text })), rows };
}

function row(name: string, facet: Facet | null, cells: readonly string[]): DigestTable["rows"][number] {
  return { name: short(name, 60), facet, cells: cells.map((text) => ({ text })) };
}

function short(text: string, limit: number): string {
  return shortenText(cleanLine(text), limit);
}
