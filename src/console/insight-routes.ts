import type { FastifyInstance, FastifyRequest } from "fastify";
import { type ConsoleFacts, FILTERS, type Stores, summarizeUnneeded } from "#monitor";
import { CHART_SCRIPT } from "./common/assets.ts";
import type { Times } from "./common/times.ts";
import { addressOf, type createFrames, route } from "./frames.ts";
import { buildMovers, MOST_MOVERS, MOVING_FACETS } from "./insights/movers.ts";
import { InsightsQuestion, readScope, type Scope } from "./insights/question.ts";
import { rangeSince, spanOfMoments } from "./insights/range.ts";
import { responsePage } from "./insights/response-page.ts";
import { MOST_ROWS, SPEAKER_FACETS, type Speakers, speakersPage } from "./insights/speakers-page.ts";
import { MOST_FOR_STORIES, MOST_STORIES, storiesPage } from "./insights/stories-page.ts";
import { buildVolume, type Volume } from "./insights/volume.ts";
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

  /** What of a question is counted from the mentions, and the question that is left. */
  const readingOf = async (scope: Scope, most?: number) => {
    const { chosen, range, question } = scope;
    const periods = { period: spanOfMoments(range.moments), before: spanOfMoments(range.before) };
    const reading = await stores.filteredCounts.plan(chosen, question.filters, periods, most);
    const { since, isCompared } = reading;
    const left = since === null ? range : rangeSince(range, since);
    return { reading, scope: { ...scope, range: left, isCut: since !== null, isCompared } };
  };

  const volumeOf = async (asked: Scope) => {
    const { filters } = asked.question;
    const [only, ...more] = FILTERS.flatMap((name) => (filters[name] === undefined ? [] : [name]));
    if (more.length > 0 || only === "sentiment") {
      const { reading, scope } = await readingOf(asked);
      const { moments, before: momentsBefore } = scope.range;
      const { counts, before } = await stores.filteredCounts.bySteps(reading, moments, momentsBefore);
      return {
        scope,
        volume: { ...buildVolume(scope.chosen, moments.length - 1, counts, before), movers: null },
      };
    }
    const { chosen, range } = asked;
    const of = only === undefined ? (["all", ""] as const) : ([only, filters[only] ?? ""] as const);
    const [counts, before] = await Promise.all([
      stores.mentionCounts.bySteps(chosen, of, range.moments),
      stores.mentionCounts.bySteps(chosen, of, range.before),
    ]);
    const volume = buildVolume(chosen, range.moments.length - 1, counts, before);
    const movers = only === undefined ? await moversOf({ chosen, range }, volume) : null;
    return { scope: asked, volume: { ...volume, movers } };
  };
  /** Counts know one facet at a time, so a filter leaves nothing to explain the mood by. */
  const moversOf = async (
    { chosen, range }: Pick<Scope, "chosen" | "range">,
    { total, before }: Pick<Volume, "total" | "before">,
  ) => {
    if (total === 0 || before === 0) return null;
    const periods = { period: spanOfMoments(range.moments), before: spanOfMoments(range.before) };
    const mentions = { period: total, before };
    const rows = await stores.mentionCounts.movers(chosen, MOVING_FACETS, periods, mentions, MOST_MOVERS);
    return buildMovers(rows, mentions);
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

  const speakersOf = async (asked: Scope): Promise<{ scope: Scope; speakers: Speakers }> => {
    if (Object.keys(asked.question.filters).length > 0) {
      const { reading, scope } = await readingOf(asked);
      const found = await stores.filteredCounts.byValue(reading, SPEAKER_FACETS, MOST_ROWS);
      return { scope, speakers: found };
    }
    const { chosen, range } = asked;
    const periods = { period: spanOfMoments(range.moments), before: spanOfMoments(range.before) };
    const speakers = await Promise.all(
      SPEAKER_FACETS.map(async (facet) => ({
        facet,
        ...(await stores.mentionCounts.byValue(chosen, facet, periods, MOST_ROWS)),
      })),
    );
    return { scope: asked, speakers };
  };
  route(app, "/insights/speakers", frames, {
    isShared: () => true,
    page: async (request) => {
      const { scope, speakers } = await speakersOf(await scopeOf(request));
      return speakersPage(addressOf(request.url), scope, speakers);
    },
    parts: () => ({}),
    json: async (request) => (await speakersOf(await scopeOf(request))).speakers,
  });

  const storiesOf = async (asked: Scope) => {
    const isFiltered = Object.keys(asked.question.filters).length > 0;
    const { reading, scope } = await readingOf(asked, isFiltered ? undefined : MOST_FOR_STORIES);
    return { scope, stories: await facts.spreadStories(reading, scope.range.moments, MOST_STORIES) };
  };
  route(app, "/insights/stories", frames, {
    isShared: () => true,
    page: async (request) => {
      const { scope, stories } = await storiesOf(await scopeOf(request));
      const shown = { times, script: CHART_SCRIPT.address };
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
      const shown = { times, hasRules, script: CHART_SCRIPT.address };
      return responsePage(addressOf(request.url), scope, await responseOf(scope), shown);
    },
    parts: () => ({}),
    json: async (request) => responseOf(await scopeOf(request)),
  });
}
