import type { FastifyRequest } from "fastify";
import type { Instant } from "../../lib/instant.ts";
import { TimeZone } from "../../lib/local-time.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { type RequestScope, readMentionRange } from "../mentions/mentions-request.ts";
import {
  createParameterReader,
  type ParameterReader,
  type RawParameters,
} from "../parameters/parameter-reader.ts";
import type { MentionRange } from "../store/mention-range.ts";
import type { StoredProject } from "../store/projects.ts";
import { requestScopeOf } from "./mention-routes.ts";
import { projectOf } from "./project-of.ts";

export type InProject = { Params: { projectId: string }; Querystring: RawParameters };

/** What every call about the mentions of a project asks for, whatever it makes of them. */
export interface DataRequest {
  readonly project: StoredProject;
  readonly scope: RequestScope;
  /** IANA zone of the answer: `timezone`, else that of the project. */
  readonly zone: string;
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
  const zone = readZone(parameters) ?? project.timezone;
  return { project, scope, zone, parameters, range, at: context.clock.now() };
}

function readZone(parameters: ParameterReader): string | undefined {
  const name = parameters.text("timezone");
  const zone = name === undefined ? undefined : TimeZone.safeParse(name);
  if (zone?.success === false) parameters.fault(`timezone: ${zone.error.issues[0]?.message}.`);
  return zone?.data;
}
