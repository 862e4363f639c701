import type { FastifyRequest } from "fastify";
import { parametersOf } from "../http/unknown-parameters.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { type ListPaging, readListPaging } from "../parameters/list-paging.ts";
import type { ParameterReader, RawParameters } from "../parameters/parameter-reader.ts";
import type { StoredProject } from "../store/projects.ts";
import { projectOf } from "./project-of.ts";

export interface InProject {
  Params: { projectId: string };
  Querystring: RawParameters;
}

/**
 * What every call that lists something of a project begins with: the project, and which page. `read` reads what else
 * the call takes. Throws the 400 or the 404.
 */
export async function listCall<More = undefined>(
  context: LocalApiContext,
  request: FastifyRequest<InProject>,
  read?: (parameters: ParameterReader) => More,
): Promise<{ project: StoredProject; paging?: ListPaging; more: More | undefined }> {
  const project = await projectOf(context, request);
  const parameters = parametersOf(request);
  const paging = readListPaging(parameters);
  const more = read?.(parameters);
  parameters.finish();
  return { project, more, ...(paging && { paging }) };
}
