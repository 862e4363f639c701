import type { FastifyInstance, FastifyRequest } from "fastify";
import { callerOf, hashToken, readToken } from "../http/authenticate.ts";
import type { LocalApiContext } from "../http/local-api-context.ts";
import { parametersOf } from "../http/unknown-parameters.ts";
import { readListFilter, readListPaging } from "../parameters/list-parameters.ts";
import type { RawParameters } from "../parameters/parameter-reader.ts";
import { listEnvelope } from "../records/wire.ts";
import { clientRecord, meRecord, userRecord } from "../resources/account-records.ts";
import { projectRecord, projectSummaryRecord } from "../resources/project-records.ts";
import { findOwner } from "../store/accounts.ts";
import { revokeTokens } from "../store/logins.ts";
import { listProjects, type StoredProject } from "../store/projects.ts";
import { projectOf } from "./project-request.ts";

/** GET /client and GET /me, and the two addresses to which /me links: GET /user, and GET or POST /logout. */
export function accountRoutes(app: FastifyInstance, { db }: LocalApiContext): void {
  app.get("/client", async (request) => {
    const { client } = callerOfPlainCall(request);
    return clientRecord(client, await findOwner(db, client.id));
  });
  app.get("/me", async (request) => meRecord(callerOfPlainCall(request)));
  app.get("/user", async (request) => userRecord(callerOfPlainCall(request)));
  app.route({
    method: ["GET", "POST"],
    url: "/logout",
    exposeHeadRoute: false,
    handler: async (request) => {
      callerOfPlainCall(request);
      const token = readToken(request);
      if (token !== undefined) await revokeTokens(db, { hash: hashToken(token) });
      return {};
    },
  });
}

/** Of a call that takes no parameters. */
function callerOfPlainCall(request: FastifyRequest) {
  parametersOf(request).finish();
  return callerOf(request);
}

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
