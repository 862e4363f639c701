import type { ZodType } from "zod";
import { readAggregates } from "../charts/aggregates.ts";
import { readDimensionArguments } from "../charts/dimensions.ts";
import { readInsightsRequest } from "../charts/insights.ts";
import { changeScope, readChangeSet } from "../edit/change-set.ts";
import { readMentionEdit } from "../edit/read-mention-edits.ts";
import { type RequestScope, readMentionRange, readMentionsRequest } from "../mentions/mentions-request.ts";
import type { BodyReader } from "../parameters/body-reader.ts";
import { readListFilter, readListPaging } from "../parameters/list-parameters.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";
import { readRecordVersion } from "../records/record-view.ts";
import type { Resource, ResourceScope } from "../resources/resource.ts";
import { RESOURCES } from "../resources/resources.ts";
import { readDateRangeIds } from "../routes/chart-routes.ts";
import {
  readTopicOrder,
  readTopicsRequest,
  readTopsRequest,
  readValuesLimit,
} from "../routes/insight-routes.ts";
import { readSubject } from "../routes/query-explain-route.ts";
import { readBackfill, readMentionWanted, readValidated } from "../routes/query-routes.ts";
import { readLocationsRequest } from "../routes/reference-routes.ts";
import { readBackfillSince, readBackfillStart, readEarliest } from "../routes/rule-routes.ts";
import { readTokenParameters } from "../routes/token-route.ts";
import { emptyDatabase } from "../store/database.ts";
import * as records from "./records.ts";

type Reads<Reader> = (reader: Reader) => unknown;

/** What a call takes and gives, beside the table. */
export interface Contract {
  readonly parameters?: readonly Reads<ParameterReader>[];
  readonly body?: Reads<BodyReader>;
  /** The body is a list of those. */
  readonly isList?: true;
  /** Objects in the body, by their fields. */
  readonly inside?: Readonly<Record<string, Reads<BodyReader>>>;
  /** The name of a schema in `records.ts`; a list has an envelope, an array has none. */
  readonly answer: RecordName | { readonly listOf: RecordName } | { readonly arrayOf: RecordName };
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
  db: emptyDatabase(),
  project: { id: 0, timezone: "Etc/UTC" },
  projectIds: new Set(),
} as unknown as ResourceScope;
/** A thing that is changed: its fields may stay away. */
const NOTHING = {
  ...{ name: "x", entries: [], children: [], queries: [], sharedProjectIds: [], rules: [] },
  ...{ from: 0, to: 1, queryIds: [0], subscribers: [], action: {} },
};
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
const oneMention: Contract = { parameters: [version], answer: "Mention" };
const ruleBackfill: Contract = {
  parameters: [(reader) => readEarliest(reader, "Etc/UTC")],
  answer: "RuleBackfill",
};
const noList: Contract = { parameters: list, answer: { listOf: "Nothing" } };
const token: Contract = { parameters: [readTokenParameters], answer: "Token" };
const validation: Contract = { parameters: [(reader) => readValidated(reader)], answer: "Validation" };
const validated: Contract = {
  body: (body) => [body.text("booleanQuery", 1_000_000), body.list("languages", 200)],
  answer: "Validation",
};
const readAction: Reads<BodyReader> = (body) => readChangeSet(body, NO_EDITS);
const edits: Contract = { body: (body) => readMentionEdit(body, NO_EDITS), isList: true, answer: "Edited" };
const explained = (read: (name: string) => string | undefined) => readSubject({ fault() {} }, read);

/** What each resource gives, by its path. */
const OF_RESOURCES: Readonly<Record<string, RecordName>> = {
  queries: "Query",
  "queries/{queryId}/date-range": "DateRange",
  querygroups: "QueryGroup",
  tags: "Tag",
  ruletags: "RuleTag",
  categories: "Category",
  rulecategories: "RuleCategory",
  rules: "Rule",
  "signals/groups": "SignalGroup",
  "group/author": "AuthorList",
  "group/site": "SiteList",
  "group/location": "LocationList",
};

/** Objects in the bodies of a resource, by its path. */
const INSIDE: Readonly<Record<string, NonNullable<Contract["inside"]>>> = {
  rules: { ruleAction: readAction },
};

const DATA = "…/data";
const DEMOGRAPHICS = ["gender", "interest", "profession", "accountTypes", "countries", "cities"];
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
  "GET …/queries/{id}/backfill": { parameters: [readListPaging], answer: { listOf: "Backfill" } },
  "POST …/queries/{id}/backfill": { body: (body) => readBackfill(body, "Etc/UTC"), answer: "BackfillDone" },
  ...each(
    ["GET …/queries/{id}/mentions/{resourceId}", "GET …/queries/{id}/mentions/{resourceId}/content"],
    oneMention,
  ),
  "PATCH …/queries/{id}/mentions/{resourceId}": { ...oneMention, body: readAction },
  ...each(
    [
      "rules/{id}/backfill",
      "bulkactions/rule/{id}",
      "bulkactions/ruletags/{id}",
      "bulkactions/rulecategories/{id}",
    ].map((path) => `POST …/${path}`),
    ruleBackfill,
  ),
  "POST …/rulebackfill/rulecategories/{id}": {
    parameters: [(reader) => readBackfillStart(reader, "Etc/UTC")],
    answer: { arrayOf: "RuleBackfillJob" },
  },
  "GET …/rulebackfill/rulecategories": {
    parameters: [readListPaging, (reader) => readBackfillSince(reader, "Etc/UTC")],
    answer: { listOf: "CategoryBackfill" },
  },
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
      readDateRangeIds,
      (reader) => readDimensionArguments(reader, "authors", 1),
      (reader) => readDimensionArguments(reader, "authors", 2),
    ],
    answer: "Chart",
  },
  ...each(
    [
      "topauthors/queries",
      "topsites/queries",
      "queries/topsites",
      "toptweeters/queries",
      "topfacebookusers/queries",
    ].map((path) => `GET ${DATA}/volume/${path}`),
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
    [DATA, "…"].flatMap((at) => DEMOGRAPHICS.map((name) => `GET ${at}/demographics/${name}`)),
    values,
  ),
  "GET /filters": { answer: "Filters" },
  "GET /metrics": { answer: "Metrics" },
  ...each(["GET /aggregates", "GET /dimensions"], { answer: "Names" }),
  "GET /locations": { parameters: [readLocationsRequest], answer: "Places" },
  "GET …/workflow": { answer: "Workflow" },
  ...each(["GET /query-validation", "GET /query-validation/searchwithin"], validation),
  ...each(["POST /query-validation", "POST /query-validation/searchwithin"], validated),
  "GET …/users": { parameters: [readListPaging], answer: { listOf: "Member" } },
  ...each(["GET …/alerts", "GET /content/sources", "GET /content/sources/list"], noList),
  "GET …/alerts/{id}": { answer: "Nothing" },
  "GET /openapi": { answer: "Document" },
};

function ofResource(resource: Resource): Record<string, Contract> {
  const path = resource.path.replace(/:(\w+)\([^)]*\)/g, "{$1}");
  const answer = OF_RESOURCES[path];
  if (answer === undefined) throw new Error(`records.ts has no record of ${path}`);
  const parameters = [...list, ...(resource.readSelection === undefined ? [] : [resource.readSelection])];
  const beside = resource.beside === undefined ? {} : { beside: { projects: "ProjectSummary" as const } };
  const read =
    (current?: never): Reads<BodyReader> =>
    (body) =>
      resource.read(body, NO_SCOPE, current);
  const inside = INSIDE[path] === undefined ? {} : { inside: INSIDE[path] };
  const change: Contract = { body: read(NOTHING as never), ...inside, answer };
  const status = resource.createdStatus === 201 ? { status: 201 as const } : {};
  const at = `…/${path}`;
  return {
    [`GET ${at}`]: {
      ...{ parameters, ...beside },
      answer: resource.isBare ? { arrayOf: answer } : { listOf: answer },
    },
    ...Object.fromEntries(
      Object.keys(resource.alsoListedAt ?? {}).map((other) => [
        `GET …/${other}`,
        { parameters, answer: { listOf: other === "queries/summary" ? "QuerySummary" : answer }, ...beside },
      ]),
    ),
    [`POST ${at}`]: { body: read(), ...inside, answer, ...status },
    [`GET ${at}/{id}`]: { answer },
    [`PUT ${at}/{id}`]: change,
    [`PATCH ${at}/{id}`]: change,
    [`DELETE ${at}/{id}`]: { answer: "Deleted" },
  };
}
