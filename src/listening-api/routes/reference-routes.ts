import type { FastifyInstance, FastifyRequest } from "fastify";
import { AGGREGATE_NAMES } from "../charts/aggregates.ts";
import { DIMENSION_NAMES } from "../charts/dimensions.ts";
import { EDITABLE } from "../edit/mention-changes.ts";
import { SENTIMENTS } from "../filters/content-filters.ts";
import { FILTERS } from "../filters/filters.ts";
import { callerOf } from "../http/authenticate.ts";
import type { LocalApiContext } from "../http/local-api-context.ts";
import { parametersOf } from "../http/unknown-parameters.ts";
import { NUMERIC_ID } from "../http/unknown-paths.ts";
import { notFound } from "../parameters/api-error.ts";
import { readListFilter, readListPaging } from "../parameters/list-parameters.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";
import { GAZETTEER } from "../places/gazetteer.ts";
import { PAGE_TYPES } from "../records/page-types.ts";
import { listEnvelope } from "../records/wire.ts";
import { listMembers } from "../store/account-lists.ts";
import { type InProject, projectOf } from "./project-request.ts";

const MAX_LOCATIONS = 1_000;

/**
 * What programs ask to fill their menus: `/filters`, `/metrics`, `/locations`, `/aggregates`, `/dimensions`, and the
 * workflow and the users of a project. Shapes as older documents of the live service show them. Alerts and sources of
 * uploaded content are not kept here: their lists are empty.
 */
export function referenceRoutes(app: FastifyInstance, context: LocalApiContext): void {
  plain("/filters", () =>
    Object.fromEntries([...SCOPE, ...FILTERS.map(({ name }) => name)].map((name) => [name, null])),
  );
  plain("/metrics", () => METRICS);
  plain("/aggregates", () => AGGREGATE_NAMES.map(named));
  plain("/dimensions", () => DIMENSION_NAMES.map(named));
  app.get("/locations", (request) => locations(request));
  // As the operator's own contract calls it, too.
  for (const path of ["/content/sources", "/content/sources/list"]) app.get(path, emptyList);

  const project = "/projects/:projectId";
  for (const [path, noun] of Object.entries(EMPTY)) {
    app.get<InProject>(`${project}/${path}`, async (request) => {
      await projectOf(context, request);
      return emptyList(request);
    });
    app.get<InProject & { Params: { id: string } }>(`${project}/${path}/${NUMERIC_ID}`, async (request) => {
      await projectOf(context, request);
      throw notFound(`There is no ${noun} ${request.params.id}: the local API keeps none.`);
    });
  }
  app.get<InProject>(`${project}/workflow`, async (request) => {
    await projectOf(context, request);
    parametersOf(request).finish();
    return workflow(await listMembers(context.db, callerOf(request).client.id));
  });

  app.get<InProject>(`${project}/users`, async (request) => {
    await projectOf(context, request);
    const parameters = parametersOf(request);
    const paging = readListPaging(parameters);
    parameters.finish();
    return listEnvelope(await listMembers(context.db, callerOf(request).client.id), paging);
  });

  function plain(path: string, answer: () => object): void {
    app.get(path, async (request) => {
      parametersOf(request).finish();
      return answer();
    });
  }
}

/** Parameters of every call about mentions, besides its filters. */
const SCOPE = ["queryId", "queryGroupId", "projectId", "startDate", "endDate", "timezone", "search"];

const METRICS = {
  sentiments: SENTIMENTS,
  accountTypes: ["organisational", "individual"],
  genders: ["female", "male"],
  pageTypes: PAGE_TYPES,
  subTypes: ["other", "question", "link", "photo", "video", "status"],
  priorities: EDITABLE.priority,
  statuses: EDITABLE.status,
};

const EMPTY: Readonly<Record<string, string>> = { alerts: "alert" };

function named(name: string) {
  return { id: name, name };
}

function emptyList(request: FastifyRequest) {
  const parameters = parametersOf(request);
  const paging = readListPaging(parameters);
  readListFilter(parameters);
  parameters.finish();
  return listEnvelope([], paging);
}

/** By `type` (continent, country, region or state, city) and the beginning of the name. */
function locations(request: FastifyRequest) {
  const parameters = parametersOf(request);
  const { type, prefix, limit } = readLocationsRequest(parameters);
  parameters.finish();
  const placeType = type === "state" ? "region" : type;
  return [...GAZETTEER.values()]
    .filter((place) => placeType === undefined || place.type === placeType)
    .filter((place) => place.name.toLowerCase().startsWith(prefix))
    .slice(0, limit)
    .map(({ id, name, type: kind, fullName }) => ({ id, name, type: kind, fullName }));
}

export function readLocationsRequest(parameters: ParameterReader) {
  return {
    type: parameters.oneOf("type", ["continent", "country", "region", "state", "city"]),
    prefix: parameters.text("prefix")?.toLowerCase() ?? "",
    limit: parameters.integer("limit", { min: 1, max: MAX_LOCATIONS }) ?? MAX_LOCATIONS,
  };
}

/** Ids of the fixed values are ours, and the same everywhere; those of people are theirs. */
function workflow(members: readonly { readonly id: number; readonly username: string }[]) {
  const fixed = (id: number, name: string, values: readonly string[]) => ({
    id,
    name,
    children: values.map((value, index) => ({ id: id + index + 1, name: value, ordering: index + 1 })),
  });
  return [
    {
      id: 100,
      name: "Assignment",
      children: members.map(({ id, username }) => ({ id, name: username, ordering: -1 })),
    },
    fixed(200, "Priority", EDITABLE.priority),
    fixed(300, "Checked", ["yes"]),
    fixed(400, "Status", EDITABLE.status),
  ];
}
