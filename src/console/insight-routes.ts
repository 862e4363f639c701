import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Stores } from "#monitor";
import { CHART_SCRIPT } from "./asset-routes.ts";
import { addressOf, type createFrames, route } from "./frames.ts";
import { InsightsQuestion, readScope, type Scope } from "./insights/question.ts";
import { buildVolume } from "./insights/volume.ts";
import { volumePage, volumePart } from "./insights/volume-page.ts";
import type { Times } from "./times.ts";

/** Pages that answer a question about a range of time, from counts that were made before anybody asks. */
export function insightRoutes(
  app: FastifyInstance,
  parts: { readonly stores: Stores; readonly times: Times },
  frames: ReturnType<typeof createFrames>,
): void {
  const { stores, times } = parts;
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
}
