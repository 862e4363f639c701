import { formatNumber, formatShare } from "../../lib/numbers.ts";
import type { DigestEdition, PeriodStory } from "../model/digest.ts";
import type { Facet, FacetRow } from "../model/mention-counts.ts";
import type { WatchedQuery } from "../model/query.ts";
import { type DigestPage, type DigestTable, type DigestView, NO_MORE } from "../templates/digest-view.ts";
import { shortLine } from "../templates/escape.ts";
import {
  type CountStores,
  countSpeakers,
  countVolume,
  type ExplainedVolume,
  periodsOf,
  type QuestionScope,
} from "../views/answers/answer-question.ts";
import type { Volume } from "../views/count-volume.ts";
import { chosenQueries, type InsightsQuestion } from "../views/question.ts";
import { spanOfMoments } from "../views/range.ts";
import { topStoriesOf } from "./compose.ts";
import type { PlannedDigest } from "./planned-digest.ts";
import type { Period } from "./schedule.ts";
import { type MailedPage, rangeOfView, readMailedView } from "./view-digests.ts";
import { barsOf } from "./volume.ts";

/** What a view reads: mentions that were counted before, and stories. */
export interface ViewStore extends CountStores {
  readonly queries: { active(): Promise<readonly WatchedQuery[]> };
  readonly polls: { completeUntilOf(queries: readonly WatchedQuery[]): Promise<number | null> };
  readonly digests: {
    stories(queries: readonly WatchedQuery[], period: Period): Promise<readonly PeriodStory[]>;
  };
}

interface AnsweredView extends QuestionScope {
  readonly question: InsightsQuestion;
  readonly store: ViewStore;
  readonly chosen: readonly WatchedQuery[];
  readonly volume: ExplainedVolume;
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
  const scope = { chosen, question, range: rangeOfView(question, edition.dueAt, timezone) };
  const { volume, range, isCut, isCompared } = await countVolume(store, scope);
  const answered = { ...scope, range, store, volume };
  const { from, to } = spanOfMoments(range.moments);
  const { mood, moodBefore, moods } = volume;
  return {
    name: shortLine(title, 80),
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
      range.by,
      moods.map(({ negative }, step) => {
        const mentions = volume.voices.reduce((sum, voice) => sum + (voice.counts[step] ?? 0), 0);
        return { at: range.moments[step] ?? from, mentions, negative };
      }),
    ),
    ...{ perQuery: [], topMentions: [], topAuthors: [], topHashtags: [] },
    topStories: page === "/insights/stories" ? await storiesOf(answered) : [],
    ...{ incidents: [], unneeded: null, alerts: [], alertCount: 0, more: NO_MORE },
    page: {
      title: PAGES[page].title,
      asked: describe(answered, page, isCut || !isCompared),
      reader: view.reader,
      mood: moodOf(volume),
      tables: await PAGES[page].tables(answered),
    },
    consoleUrl: consoleUrl === null ? null : `${consoleUrl}${addressOf(view.address, { from, to })}`,
    unsubscribeUrl: null,
  };
}

const PAGES: Readonly<
  Record<
    MailedPage,
    { readonly title: string; readonly tables: (answered: AnsweredView) => Promise<DigestTable[]> }
  >
> = {
  "/insights": { title: "Volume and mood", tables: volumeTables },
  "/insights/speakers": { title: "Who speaks", tables: speakerTables },
  "/insights/stories": { title: "Stories", tables: async () => [] },
};

async function volumeTables({ volume }: AnsweredView): Promise<DigestTable[]> {
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
  const movers = table(
    "What moved the mood",
    ["Negative", "Of all mentions", "Before"],
    (volume.movers ?? []).map(({ facet, value, negative, share: now, shareBefore }) =>
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

const SPEAKERS = {
  author: "Authors",
  domain: "Sites",
  country: "Countries",
  language: "Languages",
  type: "Page types",
} as const;
const SPEAKER_FACETS = Object.keys(SPEAKERS) as (keyof typeof SPEAKERS)[];
/** Of each facet: a mail is read on a phone. */
const MOST_SPEAKERS = 5;

async function speakerTables({ store, ...asked }: AnsweredView): Promise<DigestTable[]> {
  const { list } = asked.question;
  const sums = await store.mentionCounts.byList(asked.chosen, periodsOf(asked.range));
  const spoke = sums.filter(({ mentions, before }) => mentions + before > 0).slice(0, 2 * MOST_SPEAKERS);
  const lists = table(
    "On our lists",
    ["Mentions", "Before", "Negative"],
    spoke.map((one) => row(one.list, null, speakerCells(one))),
  );
  const { tables } = await countSpeakers(store, asked, SPEAKER_FACETS, MOST_SPEAKERS);
  const ofFacets = tables.map(({ facet, rows, values, newValues, isEstimated }) => {
    const about = (n: number) =>
      isEstimated ? `about ${formatNumber(Number(n.toPrecision(2)))}` : formatNumber(n);
    const many = `: ${about(values)}, ${newValues === 0 ? "none" : about(newValues)} of them new`;
    return table(
      `${SPEAKERS[facet]}${list === null ? "" : ` on the list ${shortLine(list, 40)}`}${values === 0 ? "" : many}`,
      ["Mentions", "Before", "Negative"],
      rows.map((one) => row(one.value, facet, speakerCells(one))),
    );
  });
  return [lists, ...ofFacets].filter(({ rows }) => rows.length > 0);
}

function speakerCells({ mentions, before, negative }: Pick<FacetRow, "mentions" | "before" | "negative">) {
  return [
    formatNumber(mentions),
    before === 0 ? "new" : formatNumber(before),
    formatShare(share(negative, mentions) ?? 0),
  ];
}

async function storiesOf({ store, chosen, range, volume }: AnsweredView) {
  if (volume.total === 0) return [];
  const period = spanOfMoments(range.moments);
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

function describe({ chosen, question }: AnsweredView, page: MailedPage, isPart: boolean): string {
  const { query, filters, list } = question;
  const isListed = list !== null && page === "/insights/speakers";
  const parts = [
    ...(query.length === 0 ? [] : [chosen.map(({ name }) => name).join(", ")]),
    ...(isListed
      ? [`list ${list}`]
      : Object.entries(filters).map(
          ([name, value]) => `${FACET_NAMES[name as keyof typeof FACET_NAMES] ?? name} ${value}`,
        )),
    ...(isPart ? ["of so many mentions only the newest"] : []),
  ];
  return shortLine(parts.join("; "), 160);
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
  return { name: shortLine(name, 60), facet, cells: cells.map((text) => ({ text })) };
}
