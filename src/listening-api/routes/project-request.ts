import type { FastifyRequest } from "fastify";
import type { Instant } from "../../lib/instant.ts";
import { TimeZone } from "../../lib/local-time.ts";
import type { MentionCondition } from "../filters/mention-condition.ts";
import { callerOf } from "../http/authenticate.ts";
import type { LocalApiContext } from "../http/local-api-context.ts";
import { parametersOf } from "../http/unknown-parameters.ts";
import { type RequestScope, readMentionRange } from "../mentions/mentions-request.ts";
import { invalidRequest, notFound } from "../parameters/api-error.ts";
import type { ParameterReader, RawParameters } from "../parameters/parameter-reader.ts";
import { type DataPolicyName, dataPolicyOf, withheldSources } from "../records/data-policy.ts";
import type { RecordVersion } from "../records/record-view.ts";
import type { Caller } from "../store/callers.ts";
import { listCategories } from "../store/labels.ts";
import { findMention } from "../store/mention-page.ts";
import type { MentionRange } from "../store/mention-range.ts";
import { findProject, type StoredProject } from "../store/projects.ts";
import { listGroupMembers, listQueries, type StoredQuery } from "../store/queries.ts";
import { listSavedLists } from "../store/saved-lists.ts";
import { presentMoment, settledMoment } from "../store/write-order.ts";

export type InProject = { Params: { projectId: string }; Querystring: RawParameters };

/** The common part of every call about the mentions of a project. */
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

/** Reads project, queries, dates and filters. Read the call's other parameters afterwards, then call `finish`. */
export async function readDataRequest(
  context: LocalApiContext,
  request: FastifyRequest<InProject>,
): Promise<DataRequest> {
  const project = await projectOf(context, request);
  const queries = await listQueries(context.db, project.id);
  const caller = callerOf(request);
  const scope = requestScopeOf(context, caller, project, new Set(queries.map(({ id }) => id)));
  const parameters = parametersOf(request);
  const at = await shownMoment(context, request, project);
  const range = await readMentionRange(parameters, scope);
  const zone = readZone(parameters) ?? project.timezone;
  const policy = dataPolicyOf(caller.client, project);
  return { project, queries, scope, zone, parameters, range, policy, at };
}

/** What is no zone at all has been found faulty with the range, in the same words; an offset is refused here. */
function readZone(parameters: ParameterReader): string | undefined {
  const name = parameters.text("timezone");
  if (name === undefined || TimeZone.safeParse(name).success) return name;
  parameters.fault(
    `timezone: expected an IANA name such as Europe/London, got ${JSON.stringify(name.slice(0, 60))}.`,
  );
  return undefined;
}

/** The range without the mentions whose source may not show the field, for answers made of its values. */
export function showing({ range, policy }: DataRequest, field: string | undefined): MentionRange {
  const condition = field === undefined ? undefined : showingCondition(policy, field);
  return condition === undefined ? range : { ...range, conditions: [...range.conditions, condition] };
}

/** The project in the path, if the caller may see it. Throws the 400 or 404. */
export async function projectOf(
  { db }: LocalApiContext,
  request: FastifyRequest<{ Params: { projectId: string } }>,
): Promise<StoredProject> {
  const { projectId } = request.params;
  // Another form of the answer, such as /projects/summary.xml.
  if (/\.[a-z]+$/i.test(projectId)) throw notFound("There is no such path; every answer is JSON.");
  if (!/^\d{1,15}$/.test(projectId)) throw invalidRequest("project_id: expected an integer in the path.");
  const project = await findProject(db, callerOf(request).client.id, Number(projectId));
  if (project === undefined) throw notFound(`There is no project ${projectId} for this user.`);
  return project;
}

/** The moment whose state is shown. */
export function presentOf({ clock }: LocalApiContext, { writtenAt }: StoredProject): Instant {
  return presentMoment(clock.now(), writtenAt);
}

/** One mention of a query as its record. Throws the 404 where the query does not show it. */
export async function readMention(
  context: LocalApiContext,
  request: FastifyRequest,
  project: StoredProject,
  asked: {
    readonly queryId: number;
    readonly by: { readonly resourceId: string } | { readonly url: string };
    readonly version: RecordVersion;
    readonly text: "snippet" | "full";
  },
): Promise<object> {
  const { queryId, by, version, text } = asked;
  const at = presentOf(context, project);
  const row = await findMention(context.db, { queryId, ...by, at });
  const policy = dataPolicyOf(callerOf(request).client, project);
  const view = context.views.of({ version, text, policy });
  for await (const [record] of context.records.read(row === undefined ? [] : [row], view, { at }))
    if (record !== undefined) return JSON.parse(record) as object;
  throw notFound(`Query ${queryId} has no mention ${JSON.stringify(Object.values(by)[0])}.`);
}

/**
 * The same, to be taken before a search is: what it finds is stored first and shown then, and a writer that comes between
 * would take mentions out of both. So nothing that is written after this moment counts for the call.
 */
export async function shownMoment(
  context: LocalApiContext,
  request: FastifyRequest,
  project: StoredProject,
): Promise<Instant> {
  const present = presentOf(context, project);
  const isSearch = Object.keys(request.query as object).some((name) => SEARCH.test(name));
  return isSearch ? settledMoment(context.db, project.id, present) : present;
}

const SEARCH = /^search(?:\[\d*\])?$/;

/** The project and the caller, as needed to read a request about mentions. */
export function requestScopeOf(
  { db, searches }: LocalApiContext,
  caller: Caller,
  project: StoredProject,
  queries: ReadonlySet<number>,
): RequestScope {
  return {
    projectId: project.id,
    timezone: project.timezone,
    queries,
    categories: () => listCategories(db, project.id),
    search: searches.find,
    groupMembers: (groupIds) => listGroupMembers(db, project.id, groupIds),
    async savedLists(kind) {
      const seenBy = { clientId: caller.client.id, projectId: project.id, userId: caller.user.id };
      const lists = await listSavedLists(db, kind, seenBy);
      return new Map(lists.map((list) => [list.id, list.entries]));
    },
  };
}

/**
 * For answers made of the values of a field over many mentions (hashtags, authors, links …): leaves out the mentions
 * that may not show it, so that no breakdown reveals what a record withholds. Empty if every source shows it.
 */
function showingCondition(policy: DataPolicyName, field: string): MentionCondition | undefined {
  const values = withheldSources(policy, field);
  if (values.length === 0) return undefined;
  return { kind: "not", condition: { kind: "one-of", field: "pageType", values } };
}
