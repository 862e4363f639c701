import type { FastifyInstance } from "fastify";
import { callerOf } from "../http/authenticate.ts";
import { parametersOf } from "../http/unknown-parameters.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { readListPaging } from "../parameters/list-paging.ts";
import type { RawParameters } from "../parameters/parameter-reader.ts";
import { listEnvelope } from "../records/list-envelope.ts";
import { projectRecord, projectSummaryRecord } from "../records/project-record.ts";
import { queryRecord, querySummaryRecord } from "../records/query-record.ts";
import { listProjects, type StoredProject } from "../store/projects.ts";
import { listQueries, QUERY_TYPES } from "../store/queries.ts";
import { type InProject, listCall } from "./list-call.ts";
import { projectOf } from "./project-of.ts";

/** GET /projects…: projects and their queries. */
export function projectRoutes(app: FastifyInstance, context: LocalApiContext): void {
  const { db } = context;

  const projects = (path: string, record: (project: StoredProject) => object) =>
    app.get<{ Querystring: RawParameters }>(path, async (request) => {
      const parameters = parametersOf(request);
      const paging = readListPaging(parameters);
      parameters.finish();
      return listEnvelope((await listProjects(db, callerOf(request).client.id)).map(record), paging);
    });
  projects("/projects/summary", projectSummaryRecord);
  projects("/projects", projectRecord);

  app.get<InProject>("/projects/:projectId", async (request) => {
    const project = await projectOf(context, request);
    parametersOf(request).finish();
    return projectRecord(project);
  });

  app.get<InProject>("/projects/:projectId/queries/summary", async (request) => {
    const { project, paging } = await listCall(context, request);
    return listEnvelope((await listQueries(db, project.id)).map(querySummaryRecord), paging);
  });

  app.get<InProject>("/projects/:projectId/queries", async (request) => {
    const { project, paging, more } = await listCall(context, request, (parameters) =>
      parameters.oneOf("type", QUERY_TYPES),
    );
    return listEnvelope((await listQueries(db, project.id, more)).map(queryRecord), paging);
  });
}
