import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  INSIGHT_KINDS,
  type InsightKind,
  insightsEnvelope,
  readInsightsRequest,
} from "../charts/insights.ts";
import type { MentionCondition } from "../filters/mention-condition.ts";
import type { LocalApiContext } from "../http/local-api-context.ts";
import { topAuthorRecord, topSiteRecord } from "../insights/top-author-record.ts";
import { marginPercent, newTopicRecord, readTopics, type Topics, topicRecord } from "../insights/topics.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";
import { readTopAuthors } from "../store/top-authors.ts";
import { readInsightCounts, readTopKeys } from "../store/value-counts.ts";
import { type DataRequest, type InProject, readDataRequest, showing } from "./project-request.ts";

/** GET /projects/:projectId/data/… hashtags, emoticons, urls, mentionedauthors, sharedsites, mentions/count, demographics. */
export function insightRoutes(app: FastifyInstance, context: LocalApiContext): void {
  const data = "/projects/:projectId/data";

  for (const [path, kind] of Object.entries(INSIGHT_KINDS) as [string, InsightKind][]) {
    app.get<InProject>(`${data}/${path}`, async (request) => {
      const data = await readDataRequest(context, request);
      const insights = readInsightsRequest(data.parameters);
      data.parameters.finish();
      const range = showing(data, kind.recordField);
      const counts = await readInsightCounts(context.db, { range, at: data.at, kind, asked: insights });
      return insightsEnvelope(kind, counts, insights);
    });
  }

  app.get<InProject>(`${data}/mentions/count`, async (request) => {
    const { parameters, range, at } = await readDataRequest(context, request);
    parameters.finish();
    return { mentionsCount: (await context.totals.read(range, at)).count };
  });

  for (const [name, source] of Object.entries(DEMOGRAPHICS)) {
    const isWithheldWith = source.field === "profession" ? "professions" : source.field;
    const answer = async (request: FastifyRequest<InProject>) => {
      const dataRequest = await readDataRequest(context, request);
      const limit = readValuesLimit(dataRequest.parameters);
      dataRequest.parameters.finish();
      const range = showing(dataRequest, isWithheldWith);
      const keys = await readTopKeys(context.db, {
        range,
        at: dataRequest.at,
        nameField: undefined,
        limit,
        ...source,
      });
      return { results: keys.map(({ key, name, volume }) => ({ id: key, name: name ?? key, volume })) };
    };
    // Older programs ask without `data`.
    for (const at of [data, "/projects/:projectId"]) app.get(`${at}/demographics/${name}`, answer);
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

const DEFAULT_TOPS = 10;
const MAX_TOPS = 1_000;
const DEFAULT_TOPICS = 50;
const MAX_TOPICS = 500;

/** GET …/data/volume/ topauthors, topsites, toptweeters, topfacebookusers (/queries), and topics; …/data/topics. */
export function topRoutes(app: FastifyInstance, context: LocalApiContext): void {
  const data = "/projects/:projectId/data";

  for (const [name, { by, pageType }] of Object.entries(TOPS)) {
    const answer = async (request: FastifyRequest<InProject>) => {
      const dataRequest = await readDataRequest(context, request);
      const { limit, direction } = readTopsRequest(dataRequest.parameters);
      dataRequest.parameters.finish();
      const shown = showing(dataRequest, by === "site" ? "domain" : "author");
      const range = { ...shown, conditions: [...shown.conditions, ...only(pageType)] };
      const tops = await readTopAuthors(context.db, { range, at: dataRequest.at, limit, direction, by });
      const record = by === "site" ? topSiteRecord : topAuthorRecord;
      return { results: tops.map((top) => record(top, queryNames(dataRequest))) };
    };
    app.get(`${data}/volume/${name}/queries`, answer);
    // The form of older programs.
    if (name === "topsites") app.get(`${data}/volume/queries/topsites`, answer);
  }

  for (const path of ["topics/queries", "topics/compare/gender"])
    app.get<InProject>(`${data}/volume/${path}`, async (request, reply) => {
      const dataRequest = await readDataRequest(context, request);
      const order = readTopicOrder(dataRequest.parameters);
      // No topics are categories or tags, so these are empty.
      for (const name of ["excludeCategories", "excludeTags"]) dataRequest.parameters.texts(name);
      dataRequest.parameters.finish();
      const kinds = ["words", "phrases", "hashtags"] as const;
      const found = await readTopics(context, { ...topicScope(dataRequest), kinds, ...order });
      reply.headers(sampleHeaders(found));
      return { topics: found.topics.map((topic) => topicRecord(topic, queryNames(dataRequest))) };
    });

  app.get<InProject>(`${data}/topics`, async (request, reply) => {
    const dataRequest = await readDataRequest(context, request);
    const { extract, ...order } = readTopicsRequest(dataRequest.parameters);
    dataRequest.parameters.finish();
    // People, places and organisations are not distinguished here; requested alone, there are none.
    const known = (["words", "phrases", "hashtags"] as const).filter((kind) => extract.includes(kind));
    const kinds = extract.length === 0 ? (["words", "phrases"] as const) : known;
    if (kinds.length === 0) return { topics: [] };
    const found = await readTopics(context, { ...topicScope(dataRequest), kinds, ...order });
    reply.headers(sampleHeaders(found));
    return { topics: found.topics.map(newTopicRecord) };
  });
}

const TOPS = {
  topauthors: { by: "author", pageType: undefined },
  topsites: { by: "site", pageType: undefined },
  toptweeters: { by: "author", pageType: "twitter" },
  topfacebookusers: { by: "author", pageType: "facebook" },
} as const;

const EXTRACTS = ["words", "phrases", "hashtags", "emojis", "entities", "people", "places", "organisations"];

function only(pageType: string | undefined): MentionCondition[] {
  return pageType === undefined ? [] : [{ kind: "one-of", field: "pageType", values: [pageType] }];
}

function queryNames({ queries }: DataRequest): ReadonlyMap<number, string> {
  return new Map(queries.map(({ id, name }) => [id, name]));
}

export function readValuesLimit(parameters: ParameterReader): number {
  return parameters.integer("limit", { min: 1, max: MAX_VALUES }) ?? MAX_VALUES;
}

export function readTopsRequest(parameters: ParameterReader) {
  const limit = parameters.integer("limit", { min: 0, max: MAX_TOPS }) ?? DEFAULT_TOPS;
  // There is one order; clients name it nevertheless.
  parameters.oneOf("orderBy", ["volume"]);
  return { limit, direction: parameters.oneOf("orderDirection", ["asc", "desc"] as const) ?? "desc" };
}

export function readTopicsRequest(parameters: ParameterReader) {
  const extract = parameters.texts("extract").flatMap((text) => text.split(","));
  for (const name of extract.filter((one) => !EXTRACTS.includes(one)))
    parameters.fault(
      `extract: expected some of ${EXTRACTS.join(", ")}, got ${JSON.stringify(name.slice(0, 60))}.`,
    );
  parameters.texts("metrics");
  return { ...readTopicOrder(parameters), extract };
}

export function readTopicOrder(parameters: ParameterReader) {
  const limit = parameters.integer("limit", { min: 1, max: MAX_TOPICS }) ?? DEFAULT_TOPICS;
  const orderBy = parameters.oneOf("orderBy", ["volume", "burst"] as const) ?? "volume";
  const direction = parameters.oneOf("orderDirection", ["asc", "desc"] as const) ?? "desc";
  return { limit, orderBy, direction };
}

/** Says of large ranges that a random part was counted, and how far shares may be off. */
function sampleHeaders(found: Topics): Readonly<Record<string, string>> {
  const margin = marginPercent(found);
  if (margin === 0) return {};
  return {
    "x-earshot-sample": `${found.counted} of ${found.mentions} mentions; margin ${margin.toFixed(2)} percent`,
  };
}

/** Topics are pieces of texts, and shown only where the text may be. */
function topicScope(request: DataRequest) {
  const range = showing(request, INSIGHT_KINDS.emoticons.recordField);
  const otherQueryIds = request.queries.map(({ id }) => id).filter((id) => !range.queryIds.includes(id));
  return { range, otherQueryIds, at: request.at, zone: request.zone };
}
