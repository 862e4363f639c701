import type { FastifyInstance } from "fastify";
import { callerOf } from "../http/authenticate.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { createParameterReader, type RawParameters } from "../parameters/parameter-reader.ts";
import { listEnvelope } from "../records/list-envelope.ts";
import { projectRecord, projectSummaryRecord } from "../records/project-record.ts";
import { queryRecord, querySummaryRecord } from "../records/query-record.ts";
import { listCategories } from "../store/categories.ts";
import { listProjects } from "../store/projects.ts";
import { listQueries, QUERY_TYPES } from "../store/queries.ts";
import { projectOf } from "./project-of.ts";

/** GET /projects…: projects, their queries and their categories. */
export function projectRoutes(app: FastifyInstance, context: LocalApiContext): void {
  const { db } = context;
  type InProject = { Params: { projectId: string }; Querystring: RawParameters };
  type Plain = { Querystring: RawParameters };

  app.get<Plain>("/projects/summary", async (request) => {
    createParameterReader(request.query).finish();
    const projects = await listProjects(db, callerOf(request).client.id);
    return listEnvelope(projects.map(projectSummaryRecord));
  });

  app.get<Plain>("/projects", async (request) => {
    createParameterReader(request.query).finish();
    const projects = await listProjects(db, callerOf(request).client.id);
    return listEnvelope(projects.map(projectRecord));
  });

  app.get<InProject>("/projects/:projectId", async (request) => {
    createParameterReader(request.query).finish();
    return projectRecord(await projectOf(context, request));
  });

  app.get<InProject>("/projects/:projectId/queries/summary", async (request) => {
    createParameterReader(request.query).finish();
    const project = await projectOf(context, request);
    return listEnvelope((await listQueries(db, project.id)).map(querySummaryRecord));
  });

  app.get<InProject>("/projects/:projectId/queries", async (request) => {
    const project = await projectOf(context, request);
    const parameters = createParameterReader(request.query);
    const type = parameters.oneOf("type", QUERY_TYPES);
    parameters.finish();
    return listEnvelope((await listQueries(db, project.id, type)).map(queryRecord));
  });

  app.get<InProject>("/projects/:projectId/categories", async (request) => {
    createParameterReader(request.query).finish();
    const project = await projectOf(context, request);
    const results = await listCategories(db, project.id);
    return { resultsTotal: -1, resultsPage: -1, resultsPageSize: -1, results };
  });
}
