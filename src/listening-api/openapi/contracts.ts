import type { ZodType } from "zod";
import { readAggregates } from "../charts/aggregates.ts";
import { readDimensionArguments } from "../charts/dimensions.ts";
import { changeScope } from "../edit/change-set.ts";
import { readMentionEdit } from "../edit/read-mention-edits.ts";
import { readInsightsRequest } from "../insights/insights.ts";
import { type RequestScope, readMentionRange, readMentionsRequest } from "../mentions/mentions-request.ts";
import { readListFilter, readListPaging } from "../parameters/list-parameters.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";
import { readRecordVersion } from "../records/record-view.ts";
import type { BodyReader } from "../resources/body-reader.ts";
import type { Resource, ResourceScope } from "../resources/resource.ts";
import { RESOURCES } from "../resources/resources.ts";
import {
  readTopicOrder,
  readTopicsRequest,
  readTopsRequest,
  readValuesLimit,
} from "../routes/insight-routes.ts";
import { readAsked } from "../routes/query-explain-route.ts";
import { readBackfill, readMentionWanted, readValidated } from "../routes/query-routes.ts";
import { readLocationsRequest } from "../routes/reference-routes.ts";
import { readTokenParameters } from "../routes/token-route.ts";
import * as records from "./records.ts";

type Reads<Reader> = (reader: Reader) => unknown;

/** What a call takes and gives, beside the table. */
export interface Contract {
  readonly parameters?: readonly Reads<ParameterReader>[];
  readonly body?: Reads<BodyReader>;
  /** The body is a list of those. */
  readonly isList?: true;
  /** The name of a schema in `records.ts`. */
  readonly answer: RecordName | { readonly listOf: RecordName };
  readonly status?: 201;
  /** Fields of a list besides its envelope. */
  readonly beside?: Readonly<Record<string, RecordName>>;
}

export type RecordName = keyof typeof records;
export const RECORDS: Readonly<Record<string, ZodType>> = records;

/** A project without anything: what a call reads does not depend on what is there. */
const NOWHERE = {
  projectId: 0,
  timezone: "Etc/UTC",
  queries: new Set<number>(),
  categories: async () => [],
  savedLists: async () => new Map(),
  search: async () => ({ kind: "any", of: [] }),
  groupMembers: async () => new Map(),
} satisfies RequestScope;
const NO_SCOPE = {
  project: { id: 0, timezone: "Etc/UTC" },
  projectIds: new Set(),
} as unknown as ResourceScope;
/** A thing that is changed: its fields may stay away. */
const NOTHING = { name: "x", entries: [], children: [], queries: [], sharedProjectIds: [], rules: [] };
const NO_EDITS = { queryIds: new Set<number>(), ...changeScope({ categories: [], tags: [] }) };

const range: Reads<ParameterReader> = (reader) => readMentionRange(reader, NOWHERE);
const version: Reads<ParameterReader> = (reader) => readRecordVersion(reader, { tags: {} });
const list: readonly Reads<ParameterReader>[] = [readListPaging, readListFilter];
const page: readonly Reads<ParameterReader>[] = [version, (reader) => readMentionsRequest(reader, NOWHERE)];
const mentions: Contract = { parameters: page, answer: "Mentions" };
const insights: Contract = { parameters: [range, readInsightsRequest], answer: "Insights" };
const tops: Contract = { parameters: [range, readTopsRequest], answer: "Tops" };
const values: Contract = { parameters: [range, readValuesLimit], answer: "Values" };
const topics: Contract = { parameters: [range, readTopicOrder], answer: "Topics" };
const noList: Contract = { parameters: list, answer: { listOf: "Nothing" } };
const token: Contract = { parameters: [readTokenParameters], answer: "Token" };
const validation: Contract = { parameters: [(reader) => readValidated(reader)], answer: "Validation" };
const validated: Contract = {
  body: (body) => [body.text("booleanQuery", 1_000_000), body.list("languages", 200)],
  answer: "Validation",
};
const edits: Contract = { body: (body) => readMentionEdit(body, NO_EDITS), isList: true, answer: "Edited" };
const explained = (read: (name: string) => string | undefined) => readAsked({ fault() {} }, read);

/** What each resource gives, by its path. */
const OF_RESOURCES: Readonly<Record<string, RecordName>> = {
  queries: "Query",
  querygroups: "QueryGroup",
  tags: "Tag",
  ruletags: "RuleTag",
  categories: "Category",
  rulecategories: "RuleCategory",
  "group/author": "AuthorList",
  "group/site": "SiteList",
  "group/location": "LocationList",
};

const DATA = "…/data";
const each = (names: readonly string[], contract: Contract): Record<string, Contract> =>
  Object.fromEntries(names.map((name) => [name, contract]));

/** By method and path of the table. */
export const CONTRACTS: Readonly<Record<string, Contract>> = {
  ...Object.assign({}, ...RESOURCES.map(ofResource)),
  ...each(["GET /oauth/token", "POST /oauth/token"], token),
  "GET /client": { answer: "Client" },
  "GET /me": { answer: "Me" },
  "GET /user": { answer: "User" },
  ...each(["GET /logout", "POST /logout"], { answer: "Nothing" }),
  "GET /projects": { parameters: list, answer: { listOf: "Project" } },
  "GET /projects/summary": { parameters: list, answer: { listOf: "ProjectSummary" } },
  "GET …": { answer: "Project" },
  "GET …/queries/explain": {
    parameters: [(reader) => explained((name) => reader.text(name))],
    answer: "Explained",
  },
  "POST …/queries/explain": {
    body: (body) => explained((name) => body.text(name, 2 ** 21)),
    answer: "Explained",
  },
  "GET …/queries/{id}/date-range": { answer: "None" },
  "POST …/queries/{id}/backfill": { body: (body) => readBackfill(body, "Etc/UTC"), answer: "Backfill" },
  ...each(
    [
      "mentions",
      "mentions/fulltext",
      "mentions/tweets",
      "mentions/facebookposts",
      "mentions/facebookcomments",
    ].map((path) => `GET ${DATA}/${path}`),
    mentions,
  ),
  ...each([`PATCH ${DATA}/mentions`, `POST ${DATA}/mentions`], edits),
  [`GET ${DATA}/mentions/count`]: { parameters: [range], answer: "Count" },
  "GET …/query/{id}/mentionfind": { parameters: [version, readMentionWanted], answer: "MentionFound" },
  ...each(
    ["hashtags", "emoticons", "urls", "mentionedauthors", "sharedsites"].map((path) => `GET ${DATA}/${path}`),
    insights,
  ),
  [`GET ${DATA}/{aggregate}/{dimension1}/{dimension2}`]: {
    parameters: [
      range,
      readAggregates,
      (reader) => readDimensionArguments(reader, "authors", 1),
      (reader) => readDimensionArguments(reader, "authors", 2),
    ],
    answer: "Chart",
  },
  ...each(
    ["topauthors", "topsites", "toptweeters", "topfacebookusers"].map(
      (name) => `GET ${DATA}/volume/${name}/queries`,
    ),
    tops,
  ),
  ...each(
    ["topics/queries", "topics/compare/gender"].map((path) => `GET ${DATA}/volume/${path}`),
    {
      ...topics,
      parameters: [
        range,
        readTopicOrder,
        (reader) => [reader.texts("excludeCategories"), reader.texts("excludeTags")],
      ],
    },
  ),
  [`GET ${DATA}/topics`]: { parameters: [range, readTopicsRequest], answer: "NewTopics" },
  ...each(
    ["gender", "interest", "profession", "accountTypes", "countries", "cities"].map(
      (name) => `GET ${DATA}/demographics/${name}`,
    ),
    values,
  ),
  "GET /filters": { answer: "Filters" },
  "GET /metrics": { answer: "Metrics" },
  ...each(["GET /aggregates", "GET /dimensions"], { answer: "Names" }),
  "GET /locations": { parameters: [readLocationsRequest], answer: "Places" },
  "GET …/workflow": { answer: "Workflow" },
  ...each(["GET /query-validation", "GET /query-validation/searchwithin"], validation),
  ...each(["POST /query-validation", "POST /query-validation/searchwithin"], validated),
  ...each(["GET …/rules", "GET …/signals/groups", "GET …/alerts", "GET /content/sources"], noList),
  ...each(["GET …/rules/{id}", "GET …/signals/groups/{id}", "GET …/alerts/{id}"], { answer: "Nothing" }),
  "GET /openapi": { answer: "Document" },
};

function ofResource(resource: Resource): Record<string, Contract> {
  const { path } = resource;
  const answer = OF_RESOURCES[path];
  if (answer === undefined) throw new Error(`records.ts has no record of ${path}`);
  const parameters = [...list, ...(resource.readFilter === undefined ? [] : [resource.readFilter])];
  const beside = resource.beside === undefined ? {} : { beside: { projects: "ProjectSummary" as const } };
  const read =
    (current?: never): Reads<BodyReader> =>
    (body) =>
      resource.read(body, NO_SCOPE, current);
  const change: Contract = { body: read(NOTHING as never), answer };
  const status = resource.createdStatus === 201 ? { status: 201 as const } : {};
  const at = `…/${path}`;
  return {
    [`GET ${at}`]: { parameters, answer: { listOf: answer }, ...beside },
    ...Object.fromEntries(
      Object.keys(resource.alsoListedAt ?? {}).map((other) => [
        `GET …/${other}`,
        { parameters, answer: { listOf: other === "queries/summary" ? "QuerySummary" : answer }, ...beside },
      ]),
    ),
    [`POST ${at}`]: { body: read(), answer, ...status },
    [`GET ${at}/{id}`]: { answer },
    [`PUT ${at}/{id}`]: change,
    [`PATCH ${at}/{id}`]: change,
    [`DELETE ${at}/{id}`]: { answer: "Deleted" },
  };
}
