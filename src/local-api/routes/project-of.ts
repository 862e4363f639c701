import type { FastifyRequest } from "fastify";
import { invalidRequest, notFound } from "../http/api-error.ts";
import { callerOf } from "../http/authenticate.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { findProject, type StoredProject } from "../store/projects.ts";

/** The project in the path, if the caller may see it. Throws the 400 or 404. */
export async function projectOf(
  { db }: LocalApiContext,
  request: FastifyRequest<{ Params: { projectId: string } }>,
): Promise<StoredProject> {
  const { projectId } = request.params;
  if (!/^\d{1,15}$/.test(projectId)) throw invalidRequest("project_id: expected an integer in the path.");
  const project = await findProject(db, callerOf(request).client.id, Number(projectId));
  if (project === undefined) throw notFound(`There is no project ${projectId} for this user.`);
  return project;
}
