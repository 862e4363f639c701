import type { FastifyInstance } from "fastify";
import { INSIGHT_KINDS, type InsightKind } from "../insights/insight-kinds.ts";
import { insightsEnvelope } from "../insights/insights-envelope.ts";
import { readInsightsRequest } from "../insights/insights-request.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { readInsightCounts } from "../store/insight-counts.ts";
import { readTopAuthors } from "../store/top-authors.ts";
import { topAuthorRecord } from "../top-authors/top-author-record.ts";
import { type InProject, readDataRequest, showing } from "./data-request.ts";

const DEFAULT_AUTHORS = 10;
const MAX_AUTHORS = 1_000;

/** GET /projects/:projectId/data/… hashtags, emoticons, urls, mentionedauthors, mentions/count, volume/topauthors/queries. */
export function insightRoutes(app: FastifyInstance, context: LocalApiContext): void {
  const data = "/projects/:projectId/data";

  for (const [path, kind] of Object.entries(INSIGHT_KINDS) as [string, InsightKind][]) {
    app.get<InProject>(`${data}/${path}`, async (request) => {
      const data = await readDataRequest(context, request);
      const asked = readInsightsRequest(data.parameters);
      data.parameters.finish();
      const range = showing(data, kind.recordField);
      const counts = await readInsightCounts(context.db, { range, at: data.at, kind, asked });
      return insightsEnvelope(kind, counts, asked);
    });
  }

  app.get<InProject>(`${data}/mentions/count`, async (request) => {
    const { parameters, range, at } = await readDataRequest(context, request);
    parameters.finish();
    return { mentionsCount: (await context.totals.read(range, at)).count };
  });

  app.get<InProject>(`${data}/volume/topauthors/queries`, async (request) => {
    const data = await readDataRequest(context, request);
    const limit = data.parameters.integer("limit", { min: 0, max: MAX_AUTHORS }) ?? DEFAULT_AUTHORS;
    // There is one order; clients name it nevertheless.
    data.parameters.oneOf("orderBy", ["volume"]);
    const direction = data.parameters.oneOf("orderDirection", ["asc", "desc"] as const) ?? "desc";
    data.parameters.finish();
    const range = showing(data, "author");
    const authors = await readTopAuthors(context.db, { range, at: data.at, limit, direction });
    const names = new Map(data.queries.map(({ id, name }) => [id, name]));
    return { results: authors.map((author) => topAuthorRecord(author, names)) };
  });
}
