import type { FastifyInstance, FastifyRequest } from "fastify";
import { notFound } from "../http/api-error.ts";
import { callerOf } from "../http/authenticate.ts";
import { parametersOf } from "../http/unknown-parameters.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import type { RawParameters } from "../parameters/parameter-reader.ts";
import { dataPolicyOf } from "../policy/data-policy-of.ts";
import { readRecordVersion } from "../records/record-version.ts";
import { findMention } from "../store/find-mention.ts";
import { listQueries } from "../store/queries.ts";
import { projectOf } from "./project-of.ts";

interface OfQuery {
  Params: { projectId: string; id: string };
  Querystring: RawParameters;
}

const ID = ":id(^\\d{1,15}$)";

/**
 * GET …/query/:id/mentionfind: one mention by `resourceId` or `url`, with its full text, as `{mention}`. And
 * GET …/queries/:id/date-range: the saved date ranges of a query, of which there are none.
 */
export function queryDataRoutes(app: FastifyInstance, context: LocalApiContext): void {
  app.get<OfQuery>(`/projects/:projectId/query/${ID}/mentionfind`, async (request) => {
    const { project, queryId } = await queryOf(context, request);
    const { client } = callerOf(request);
    const parameters = parametersOf(request);
    const version = readRecordVersion(parameters, client);
    const resourceId = parameters.text("resourceId");
    const url = parameters.text("url");
    if (resourceId === undefined && url === undefined)
      parameters.fault("resourceId: expected one, or the url of a mention.");
    parameters.finish();
    const by = resourceId === undefined ? { url: url ?? "" } : { resourceId };
    const row = await findMention(context.db, { queryId, ...by, at: context.clock.now() });
    const view = context.views.of({ version, text: "full", policy: dataPolicyOf(client, project) });
    for await (const [record] of context.records.read(row === undefined ? [] : [row], view))
      if (record !== undefined) return { mention: JSON.parse(record) as object };
    throw notFound(`Query ${queryId} has no mention ${JSON.stringify(resourceId ?? url)}.`);
  });

  app.get<OfQuery>(`/projects/:projectId/queries/${ID}/date-range`, async (request) => {
    await queryOf(context, request);
    parametersOf(request).finish();
    return [];
  });
}

async function queryOf(context: LocalApiContext, request: FastifyRequest<OfQuery>) {
  const project = await projectOf(context, request);
  const queryId = Number(request.params.id);
  const isThere = (await listQueries(context.db, project.id)).some(({ id }) => id === queryId);
  if (!isThere) throw notFound(`There is no query ${queryId} in project ${project.id}.`);
  return { project, queryId };
}
