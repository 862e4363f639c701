import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  type ConsoleFacts,
  countSpeakers,
  countVolume,
  hasFilters,
  InsightsQuestion,
  periodsOf,
  planCounting,
  type Stores,
  spanOfMoments,
  summarizeUnneeded,
} from "#monitor";
import { CHART_SCRIPT } from "./common/assets.ts";
import type { Times } from "./common/times.ts";
import { addressOf, type createFrames, route } from "./frames.ts";
import { readScope, type Scope } from "./insights/question.ts";
import { responsePage } from "./insights/response-page.ts";
import { MOST_ROWS, SPEAKER_FACETS, type Speakers, speakersPage } from "./insights/speakers-page.ts";
import { MOST_FOR_STORIES, MOST_STORIES, storiesPage } from "./insights/stories-page.ts";
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

  const volumeOf = async (scope: Scope) => {
    const { volume, ...counted } = await countVolume(stores, scope);
    return { scope: { ...scope, ...counted }, volume };
  };
  route(app, "/insights", frames, {
    isShared: () => true,
    page: async (request) => {
      const { scope, volume } = await volumeOf(await scopeOf(request));
      return volumePage(addressOf(request.url), scope, volume, CHART_SCRIPT.address);
    },
    parts: (request) => ({
      charts: async () => {
        const { scope, volume } = await volumeOf(await scopeOf(request));
        return volumePart(scope, volume);
      },
    }),
    json: async (request) => {
      const { scope, volume } = await volumeOf(await scopeOf(request));
      const { range, isCut = false, isCompared = true } = scope;
      return { range, isCut, isCompared, ...volume };
    },
  });

  const speakersOf = async (scope: Scope): Promise<{ scope: Scope; speakers: Speakers }> => {
    const { tables, ...counted } = await countSpeakers(stores, scope, SPEAKER_FACETS, MOST_ROWS);
    const sums = await stores.mentionCounts.byList(scope.chosen, periodsOf(counted.range));
    const authors = tables.flatMap(({ facet, rows }) => (facet === "author" ? rows : []));
    const lists = await stores.authorLists.ofAuthors(authors.map(({ value }) => value));
    const listsOf: Speakers["listsOf"] = (facet, value) =>
      facet === "author" ? (lists.get(value) ?? []) : [];
    return { scope: { ...scope, ...counted }, speakers: { tables, sums, listsOf } };
  };
  route(app, "/insights/speakers", frames, {
    isShared: () => true,
    page: async (request) => {
      const { scope, speakers } = await speakersOf(await scopeOf(request));
      return speakersPage(addressOf(request.url), scope, speakers);
    },
    parts: () => ({}),
    json: async (request) => {
      const { tables, sums, listsOf } = (await speakersOf(await scopeOf(request))).speakers;
      const withLists = tables.map(({ facet, rows, ...counts }) => ({
        ...{ facet, ...counts },
        rows: rows.map((row) => (facet === "author" ? { ...row, lists: listsOf(facet, row.value) } : row)),
      }));
      return [...withLists, { facet: "list", rows: sums }];
    },
  });

  const storiesOf = async (scope: Scope) => {
    const most = hasFilters(scope.question) ? undefined : MOST_FOR_STORIES;
    const { reading, ...counted } = await planCounting(stores, scope, most);
    const stories = await facts.spreadStories(reading, counted.range.moments, MOST_STORIES);
    return { scope: { ...scope, ...counted }, stories };
  };
  route(app, "/insights/stories", frames, {
    isShared: () => true,
    page: async (request) => {
      const { scope, stories } = await storiesOf(await scopeOf(request));
      const shown = { times: times.inZone(scope.range.zone), script: CHART_SCRIPT.address };
      return storiesPage(addressOf(request.url), scope, stories, shown);
    },
    parts: () => ({}),
    json: async (request) => (await storiesOf(await scopeOf(request))).stories,
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
      const shown = { times: times.inZone(scope.range.zone), hasRules, script: CHART_SCRIPT.address };
      return responsePage(addressOf(request.url), scope, await responseOf(scope), shown);
    },
    parts: () => ({}),
    json: async (request) => responseOf(await scopeOf(request)),
  });
}
