import type { FastifyInstance } from "fastify";
import {
  INSIGHT_KINDS,
  type InsightKind,
  insightsEnvelope,
  readInsightsRequest,
} from "../insights/insights.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { readInsightCounts } from "../store/insight-counts.ts";
import { readTopKeys } from "../store/top-keys.ts";
import { type InProject, readDataRequest, showing } from "./data-request.ts";

/** GET /projects/:projectId/data/… hashtags, emoticons, urls, mentionedauthors, sharedsites, mentions/count, demographics. */
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

  for (const [name, source] of Object.entries(DEMOGRAPHICS)) {
    const isWithheldWith = source.field === "profession" ? "professions" : source.field;
    app.get<InProject>(`${data}/demographics/${name}`, async (request) => {
      const asked = await readDataRequest(context, request);
      const limit = asked.parameters.integer("limit", { min: 1, max: MAX_VALUES }) ?? MAX_VALUES;
      asked.parameters.finish();
      const range = showing(asked, isWithheldWith);
      const keys = await readTopKeys(context.db, {
        range,
        at: asked.at,
        nameField: undefined,
        limit,
        ...source,
      });
      return { results: keys.map(({ key, name, volume }) => ({ id: key, name: name ?? key, volume })) };
    });
  }
}

/** From fields of the mentions: those without a value do not count. */
const DEMOGRAPHICS = {
  gender: { source: { kind: "text", field: "gender" }, field: "gender" },
  interest: { source: { kind: "texts", field: "interest" }, field: "interest" },
  profession: { source: { kind: "texts", field: "profession" }, field: "profession" },
  accountTypes: { source: { kind: "text", field: "accountType" }, field: "accountType" },
  countries: { source: { kind: "text", field: "countryCode" }, field: "countryCode", nameField: "country" },
  cities: { source: { kind: "text", field: "cityCode" }, field: "cityCode", nameField: "city" },
} as const;

const MAX_VALUES = 1_000;
