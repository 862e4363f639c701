import type { FastifyRequest } from "fastify";
import type { Instant } from "../../lib/instant.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { type RequestScope, readMentionRange } from "../mentions/mentions-request.ts";
import { createParameterReader, type ParameterReader, type RawParameters } from "../parameters/parameter-reader.ts";
import type { MentionRange } from "../store/mention-range.ts";
import type { StoredProject } from "../store/projects.ts";
import { projectOf } from "./project-of.ts";
import { requestScopeOf } from "./request-scope.ts";

export type InProject = { Params: { projectId: string }; Querystring: RawParameters };

/** What every call about the mentions of a project asks for, whatever it makes of them. */
export interface DataRequest {
  readonly project: StoredProject;
  readonly scope: RequestScope;
  readonly parameters: ParameterReader;
  /** Only to be used after `parameters.finish()`. */
  readonly range: MentionRange;
  /** The moment whose state is shown. */
  readonly at: Instant;
}

/** Reads project, queries, dates and filters. What else the call takes is still to be read, then `finish`. */
export async function readDataRequest(
  context: LocalApiContext,
  request: FastifyRequest<InProject>,
): Promise<DataRequest> {
  const project = await projectOf(context, request);
  const scope = await requestScopeOf(context, project);
  const parameters = createParameterReader(request.query);
  const range = await readMentionRange(parameters, scope);
  return { project, scope, parameters, range, at: context.clock.now() };
}
