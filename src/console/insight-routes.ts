import type { FastifyInstance, FastifyRequest } from "fastify";
import { type ConsoleFacts, type Stores, summarizeUnneeded } from "#monitor";
import { CHART_SCRIPT } from "./asset-routes.ts";
import { addressOf, type createFrames, route } from "./frames.ts";
import { FILTERS, InsightsQuestion, readScope, type Scope } from "./insights/question.ts";
import { spanOfMoments } from "./insights/range.ts";
import { responsePage } from "./insights/response-page.ts";
import { MOST_ROWS, type Speakers, speakersPage } from "./insights/speakers-page.ts";
import { buildVolume } from "./insights/volume.ts";
import { volumePage, volumePart } from "./insights/volume-page.ts";
import type { Times } from "./times.ts";

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
    return buildVolume(chosen, range.moments.length - 1, counts, before);
  };
  route(app, "/insights", frames, {
    isShared: true,
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

  const speakersOf = async ({ chosen, range }: Scope): Promise<Speakers> => {
    const periods = { period: spanOfMoments(range.moments), before: spanOfMoments(range.before) };
    return Promise.all(
      FILTERS.map(async (facet) => {
        const rows = await stores.mentionCounts.byValue(chosen, facet, periods, MOST_ROWS);
        return { facet, rows };
      }),
    );
  };
  route(app, "/insights/speakers", frames, {
    isShared: true,
    page: async (request) => {
      const scope = await scopeOf(request);
      return speakersPage(addressOf(request.url), scope, await speakersOf(scope));
    },
    parts: () => ({}),
    json: async (request) => speakersOf(await scopeOf(request)),
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
    isShared: true,
    page: async (request) => {
      const scope = await scopeOf(request);
      const shown = { times, hasRules, script: CHART_SCRIPT.address };
      return responsePage(addressOf(request.url), scope, await responseOf(scope), shown);
    },
    parts: () => ({}),
    json: async (request) => responseOf(await scopeOf(request)),
  });
}
