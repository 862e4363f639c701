import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  buildMovers,
  buildVolume,
  type ConsoleFacts,
  InsightsQuestion,
  MOST_MOVERS,
  MOVING_FACETS,
  type Stores,
  spanOfMoments,
  summarizeUnneeded,
  type Volume,
} from "#monitor";
import { CHART_SCRIPT } from "./common/assets.ts";
import type { Times } from "./common/times.ts";
import { addressOf, type createFrames, route } from "./frames.ts";
import { readScope, type Scope } from "./insights/question.ts";
import { responsePage } from "./insights/response-page.ts";
import { MOST_ROWS, SPEAKER_FACETS, type Speakers, speakersPage } from "./insights/speakers-page.ts";
import { MOST_STORIES, storiesPage } from "./insights/stories-page.ts";
import { volumePage, volumePart } from "./insights/volume-page.ts";

/** Pages that answer a question about a range of time, from counts that were made before anybody asks. */
export function insightRoutes(
  app: FastifyInstance,
  parts: {
    readonly stores: Stores;
    readonly facts: ConsoleFacts;
    readonly times: Times;
    readonly hasRules: boolean;
  },
  frames: ReturnType<typeof createFrames>,
): void {
  const { stores, facts, times, hasRules } = parts;
  const scopeOf = ({ query }: FastifyRequest) => readScope(stores, times, InsightsQuestion.parse(query));

  const volumeOf = async ({ chosen, range, question: { filter } }: Scope) => {
    const of = filter === null ? (["all", ""] as const) : ([filter.facet, filter.value] as const);
    const [counts, before] = await Promise.all([
      stores.mentionCounts.bySteps(chosen, of, range.moments),
      stores.mentionCounts.bySteps(chosen, of, range.before),
    ]);
    const volume = buildVolume(chosen, range.moments.length - 1, counts, before);
    return { ...volume, movers: await moversOf({ chosen, range }, filter, volume) };
  };
  /** Counts know one facet at a time, so a filter leaves nothing to explain the mood by. */
  const moversOf = async (
    { chosen, range }: Pick<Scope, "chosen" | "range">,
    filter: Scope["question"]["filter"],
    { total, before }: Pick<Volume, "total" | "before">,
  ) => {
    if (filter !== null || total === 0 || before === 0) return null;
    const periods = { period: spanOfMoments(range.moments), before: spanOfMoments(range.before) };
    const mentions = { period: total, before };
    const rows = await stores.mentionCounts.movers(chosen, MOVING_FACETS, periods, mentions, MOST_MOVERS);
    return buildMovers(rows, mentions);
  };
  route(app, "/insights", frames, {
    isShared: () => true,
    page: async (request) => {
      const scope = await scopeOf(request);
      return volumePage(addressOf(request.url), scope, await volumeOf(scope), CHART_SCRIPT.address);
    },
    parts: (request) => ({
      charts: async () => {
        const scope = await scopeOf(request);
        return volumePart(scope, await volumeOf(scope));
      },
    }),
    json: async (request) => {
      const scope = await scopeOf(request);
      return { range: scope.range, ...(await volumeOf(scope)) };
    },
  });

  const speakersOf = async ({ chosen, range, question: { list } }: Scope): Promise<Speakers> => {
    const periods = { period: spanOfMoments(range.moments), before: spanOfMoments(range.before) };
    // Of a list only authors were counted.
    const facets = list === null ? SPEAKER_FACETS : (["author"] as const);
    const [sums, ...tables] = await Promise.all([
      stores.authorLists.sums(chosen, periods),
      ...facets.map(async (facet) => {
        const rows = await stores.mentionCounts.byValue(chosen, facet, periods, MOST_ROWS, list);
        return { facet, rows };
      }),
    ]);
    const authors = tables.flatMap(({ facet, rows }) => (facet === "author" ? rows : []));
    const lists = await stores.authorLists.ofAuthors(authors.map(({ value }) => value));
    return {
      ...{ tables, sums },
      listsOf: (facet, value) => (facet === "author" ? (lists.get(value) ?? []) : []),
    };
  };
  route(app, "/insights/speakers", frames, {
    isShared: () => true,
    page: async (request) => {
      const scope = await scopeOf(request);
      return speakersPage(addressOf(request.url), scope, await speakersOf(scope));
    },
    parts: () => ({}),
    json: async (request) => {
      const { tables, sums, listsOf } = await speakersOf(await scopeOf(request));
      const withLists = tables.map(({ facet, rows }) => ({
        facet,
        rows: rows.map((row) => (facet === "author" ? { ...row, lists: listsOf(facet, row.value) } : row)),
      }));
      return [...withLists, { facet: "list", rows: sums }];
    },
  });

  const storiesOf = ({ chosen, range }: Scope) =>
    facts.spreadStories(chosen, range.moments, spanOfMoments(range.before), MOST_STORIES);
  route(app, "/insights/stories", frames, {
    isShared: () => true,
    page: async (request) => {
      const scope = await scopeOf(request);
      const shown = { times, script: CHART_SCRIPT.address };
      return storiesPage(addressOf(request.url), scope, await storiesOf(scope), shown);
    },
    parts: () => ({}),
    json: async (request) => storiesOf(await scopeOf(request)),
  });

  const responseOf = async ({ chosen, range }: Scope) => {
    const period = spanOfMoments(range.moments);
    const [alerts, before, sent] = await Promise.all([
      facts.answeredAlerts(chosen, period),
      facts.answeredAlerts(chosen, spanOfMoments(range.before)),
      stores.digests.sentAlerts(chosen, period),
    ]);
    return { alerts, before, unneeded: summarizeUnneeded(sent, times.titleOf) };
  };
  route(app, "/insights/response", frames, {
    isShared: () => true,
    page: async (request) => {
      const scope = await scopeOf(request);
      const shown = { times, hasRules, script: CHART_SCRIPT.address };
      return responsePage(addressOf(request.url), scope, await responseOf(scope), shown);
    },
    parts: () => ({}),
    json: async (request) => responseOf(await scopeOf(request)),
  });
}
