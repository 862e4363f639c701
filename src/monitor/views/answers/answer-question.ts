import type { Facet, FacetValues, Filters } from "../../model/mention-counts.ts";
import type { Reading } from "../../store/filtered-counts.ts";
import type { Stores } from "../../store/stores.ts";
import { buildVolume, type NamedQuery, type Volume } from "../count-volume.ts";
import { buildMovers, MOST_MOVERS, MOVING_FACETS, type Mover } from "../movers.ts";
import { hasFilters, type InsightsQuestion } from "../question.ts";
import { type Range, rangeSince, spanOfMoments } from "../range.ts";

export type CountStores = Pick<Stores, "mentionCounts" | "filteredCounts">;

/** What is asked of which queries. */
export interface QuestionScope {
  readonly chosen: readonly NamedQuery[];
  readonly range: Range;
  readonly question: Pick<InsightsQuestion, "filters" | "list">;
}

/** What of it was counted: of several filters at once only the newest mentions, if they are very many. */
interface CountedRange {
  readonly range: Range;
  /** Whether the range is shorter than it was asked for. */
  readonly isCut: boolean;
  /** Whether the period before was counted. */
  readonly isCompared: boolean;
}

/** `movers` is null where nothing explains the mood. */
export type ExplainedVolume = Volume & { readonly movers: readonly Mover[] | null };

/** What of a question is counted from the mentions themselves. */
export async function planCounting(
  stores: Pick<CountStores, "filteredCounts">,
  { chosen, range, question }: QuestionScope,
  most?: number,
): Promise<CountedRange & { readonly reading: Reading }> {
  const reading = await stores.filteredCounts.plan(chosen, question.filters, periodsOf(range), most);
  const { since, isCompared } = reading;
  return {
    ...{ reading, isCompared, isCut: since !== null },
    range: since === null ? range : rangeSince(range, since),
  };
}

/** How loud, in which mood, and what moved it. */
export async function countVolume(
  stores: CountStores,
  scope: QuestionScope,
): Promise<CountedRange & { readonly volume: ExplainedVolume }> {
  const { chosen, range } = scope;
  const of = countedFacet(scope.question.filters);
  if (of === null) {
    const { reading, ...counted } = await planCounting(stores, scope);
    const { moments, before: past } = counted.range;
    const { counts, before } = await stores.filteredCounts.bySteps(reading, moments, past);
    return {
      ...counted,
      volume: { ...buildVolume(chosen, moments.length - 1, counts, before), movers: null },
    };
  }
  const counts = await stores.mentionCounts.bySteps(chosen, of, range.moments);
  const before = await stores.mentionCounts.bySteps(chosen, of, range.before);
  const volume = buildVolume(chosen, range.moments.length - 1, counts, before);
  // Counts know one facet at a time, so a filter leaves nothing to explain the mood by.
  const movers = of[0] === "all" ? await moversOf(stores, scope, volume) : null;
  return { ...whole(range), volume: { ...volume, movers } };
}

/** What was counted before anybody asked: everything, or one value of one facet. Null: several at once, or a sentiment. */
function countedFacet(filters: Filters): readonly [Facet, string] | null {
  const [only, ...more] = Object.entries(filters) as [keyof Filters, string][];
  if (only === undefined) return ["all", ""];
  const [name, value] = only;
  return more.length > 0 || name === "sentiment" ? null : [name, value];
}

async function moversOf(
  { mentionCounts }: CountStores,
  { chosen, range }: QuestionScope,
  { total, before }: Volume,
): Promise<readonly Mover[] | null> {
  if (total === 0 || before === 0) return null;
  const mentions = { period: total, before };
  const rows = await mentionCounts.movers(chosen, MOVING_FACETS, periodsOf(range), mentions, MOST_MOVERS);
  return buildMovers(rows, mentions);
}

/** A facet, and its values with the most mentions. */
export type SpeakerTable<F extends Facet> = { readonly facet: F } & FacetValues;

/** Who speaks. Of a list only its authors are counted, whatever the filters. */
export async function countSpeakers<F extends Facet>(
  stores: CountStores,
  scope: QuestionScope,
  facets: readonly F[],
  limit: number,
): Promise<CountedRange & { readonly tables: readonly SpeakerTable<F>[] }> {
  const { chosen, range, question } = scope;
  const { list } = question;
  if (list === null && hasFilters(question)) {
    const { reading, ...counted } = await planCounting(stores, scope);
    return { ...counted, tables: await stores.filteredCounts.byValue(reading, facets, limit) };
  }
  const countedFacets = list === null ? facets : facets.filter((facet) => facet === "author");
  const tables = await Promise.all(
    countedFacets.map(async (facet) => ({
      facet,
      ...(await stores.mentionCounts.byValue(chosen, facet, periodsOf(range), limit, list)),
    })),
  );
  return { ...whole(range), tables };
}

function whole(range: Range): CountedRange {
  return { range, isCut: false, isCompared: true };
}

export function periodsOf(range: Range) {
  return { period: spanOfMoments(range.moments), before: spanOfMoments(range.before) };
}
