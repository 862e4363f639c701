import type { FastifyInstance, FastifyRequest } from "fastify";
import { callerOf } from "../http/authenticate.ts";
import { parametersOf } from "../http/unknown-parameters.ts";
import { readLocationList } from "../lists/location-list-request.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { listEnvelope } from "../records/list-envelope.ts";
import { projectSummaryRecord } from "../records/project-record.ts";
import { authorListRecord, locationListRecord, siteListRecord } from "../records/saved-list-record.ts";
import { listProjects } from "../store/projects.ts";
import { createSavedList, type ListKind, listSavedLists, type StoredList } from "../store/saved-lists.ts";
import { type InProject, listCall } from "./list-call.ts";
import { projectOf } from "./project-of.ts";

/** Site, author and location lists: GET …/group/<kind>/summary and POST …/group/location. */
export function listRoutes(app: FastifyInstance, context: LocalApiContext): void {
  const group = "/projects/:projectId/group";

  const summary = (kind: ListKind, record: (list: StoredList) => { sharedProjectIds: readonly number[] }) =>
    app.get<InProject>(`${group}/${kind}/summary`, async (request) => {
      const { project, paging } = await listCall(context, request);
      const { client, user } = callerOf(request);
      const seenBy = { clientId: client.id, projectId: project.id, userId: user.id };
      const envelope = listEnvelope((await listSavedLists(context.db, kind, seenBy)).map(record), paging);
      const sharedWith = new Set(envelope.results.flatMap((list) => list.sharedProjectIds));
      const projects = (await listProjects(context.db, client.id)).filter(({ id }) => sharedWith.has(id));
      return { ...envelope, projects: projects.map(projectSummaryRecord) };
    });
  summary("site", siteListRecord);
  summary("author", authorListRecord);
  // An extension: the spec shows how location lists are made, and not how they are listed.
  summary("location", locationListRecord);

  app.post<InProject>(`${group}/location`, (request) => createLocationList(context, request));
}

async function createLocationList(context: LocalApiContext, request: FastifyRequest<InProject>) {
  const project = await projectOf(context, request);
  parametersOf(request).finish();
  const { client, user } = callerOf(request);
  const projects = await listProjects(context.db, client.id);
  const { locationIds, ...list } = readLocationList(request.body, {
    projectId: project.id,
    projectIds: new Set(projects.map(({ id }) => id)),
  });
  const stored = await createSavedList(context.db, "location", {
    ...list,
    clientId: client.id,
    userId: user.id,
    entries: locationIds,
  });
  return locationListRecord(stored);
}
