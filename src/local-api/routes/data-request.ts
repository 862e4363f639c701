import type { FastifyRequest } from "fastify";
import type { Instant } from "../../lib/instant.ts";
import { TimeZone } from "../../lib/local-time.ts";
import { callerOf } from "../http/authenticate.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { type RequestScope, readMentionRange } from "../mentions/mentions-request.ts";
import {
  createParameterReader,
  type ParameterReader,
  type RawParameters,
} from "../parameters/parameter-reader.ts";
import type { DataPolicyName } from "../policy/data-policy.ts";
import { dataPolicyOf } from "../policy/data-policy-of.ts";
import { showingCondition } from "../policy/withheld-sources.ts";
import type { MentionRange } from "../store/mention-range.ts";
import type { StoredProject } from "../store/projects.ts";
import { listQueries, type StoredQuery } from "../store/queries.ts";
import { requestScopeOf } from "./mention-routes.ts";
import { projectOf } from "./project-of.ts";

export type InProject = { Params: { projectId: string }; Querystring: RawParameters };

/** What every call about the mentions of a project asks for, whatever it makes of them. */
export interface DataRequest {
  readonly project: StoredProject;
  /** All of the project. */
  readonly queries: readonly StoredQuery[];
  readonly scope: RequestScope;
  readonly policy: DataPolicyName;
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
  const queries = await listQueries(context.db, project.id);
  const scope = requestScopeOf(context, project, queries);
  const parameters = createParameterReader(request.query);
  const range = await readMentionRange(parameters, scope);
  const zone = readZone(parameters) ?? project.timezone;
  const policy = dataPolicyOf(callerOf(request).client, project);
  return { project, queries, scope, zone, parameters, range, policy, at: context.clock.now() };
}

function readZone(parameters: ParameterReader): string | undefined {
  const name = parameters.text("timezone");
  const zone = name === undefined ? undefined : TimeZone.safeParse(name);
  if (zone?.success === false) parameters.fault(`timezone: ${zone.error.issues[0]?.message}.`);
  return zone?.data;
}

/** The range without the mentions whose source may not show the field, for answers made of its values. */
export function showing({ range, policy }: DataRequest, field: string | undefined): MentionRange {
  const condition = field === undefined ? undefined : showingCondition(policy, field);
  return condition === undefined ? range : { ...range, conditions: [...range.conditions, condition] };
}
