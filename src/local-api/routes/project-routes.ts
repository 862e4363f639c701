import type { FastifyInstance } from "fastify";
import { callerOf } from "../http/authenticate.ts";
import { parametersOf } from "../http/unknown-parameters.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { readListFilter, readListPaging } from "../parameters/list-parameters.ts";
import type { RawParameters } from "../parameters/parameter-reader.ts";
import { projectRecord, projectSummaryRecord } from "../records/project-records.ts";
import { listEnvelope } from "../records/wire.ts";
import { listProjects, type StoredProject } from "../store/projects.ts";

import { projectOf } from "./project-of.ts";

/** GET /projects…: the projects that the caller may see. */
export function projectRoutes(app: FastifyInstance, context: LocalApiContext): void {
  const { db } = context;

  const projects = (path: string, record: (project: StoredProject) => object) =>
    app.get<{ Querystring: RawParameters }>(path, async (request) => {
      const parameters = parametersOf(request);
      const paging = readListPaging(parameters);
      const isAsked = readListFilter(parameters);
      parameters.finish();
      const projects = (await listProjects(db, callerOf(request).client.id)).filter(isAsked);
      return listEnvelope(projects.map(record), paging);
    });
  projects("/projects/summary", projectSummaryRecord);
  projects("/projects", projectRecord);

  app.get<{ Params: { projectId: string } }>("/projects/:projectId", async (request) => {
    const project = await projectOf(context, request);
    parametersOf(request).finish();
    return projectRecord(project);
  });
}
