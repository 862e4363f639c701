import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { codeOf } from "../../lib/errors.ts";
import { callerOf } from "../http/authenticate.ts";
import type { LocalApiContext } from "../http/local-api-context.ts";
import { parametersOf, unknownTo } from "../http/unknown-parameters.ts";
import { NUMERIC_ID } from "../http/unknown-paths.ts";
import { invalidRequest, notFound } from "../parameters/api-error.ts";
import { createBodyReader } from "../parameters/body-reader.ts";
import { readListFilter, readListPaging } from "../parameters/list-parameters.ts";
import type { RawParameters } from "../parameters/parameter-reader.ts";
import { listEnvelope, uncountedEnvelope } from "../records/wire.ts";
import type { NamedThing, Resource, ResourceScope } from "../resources/resource.ts";
import { RESOURCES } from "../resources/resources.ts";
import { type Change, recordChanges } from "../store/changes.ts";
import { listProjects } from "../store/projects.ts";
import { listQueries } from "../store/queries.ts";
import { lockClient } from "../store/saved-lists.ts";
import { lockWriting } from "../store/write-order.ts";
import { projectOf } from "./project-request.ts";

interface InProject {
  Params: { projectId: string; queryId?: string };
  Querystring: RawParameters;
}
interface OfOne {
  Params: { projectId: string; queryId?: string; id: string };
  Querystring: RawParameters;
}

/** For each resource: its list, and reading, making, changing and deleting one. PUT and PATCH do the same. */
export function resourceRoutes(app: FastifyInstance, context: LocalApiContext): void {
  for (const resource of RESOURCES) {
    const at = `/projects/:projectId/${resource.path}`;
    const limit = resource.bodyLimit === undefined ? {} : { bodyLimit: resource.bodyLimit };
    const lists = { [resource.path]: resource.record, ...resource.alsoListedAt };
    for (const [path, record] of Object.entries(lists))
      app.get<InProject>(`/projects/:projectId/${path}`, (request) =>
        answerList(context, request, resource, record),
      );
    app.get<OfOne>(`${at}/${NUMERIC_ID}`, (request) => answerOne(context, request, resource));
    app.post<InProject>(at, limit, (request, reply) => create(context, request, reply, resource));
    app.route<OfOne>({
      method: ["PUT", "PATCH"],
      url: `${at}/${NUMERIC_ID}`,
      ...limit,
      handler: (request) => update(context, request, resource),
    });
    app.delete<OfOne>(`${at}/${NUMERIC_ID}`, (request) => remove(context, request, resource));
  }
}

async function scopeOf(context: LocalApiContext, request: FastifyRequest<InProject>): Promise<ResourceScope> {
  const project = await projectOf(context, request);
  const caller = callerOf(request);
  const projects = await listProjects(context.db, caller.client.id);
  const projectIds = new Set(projects.map(({ id }) => id));
  const scope = { db: context.db, project, caller, projectIds, at: context.clock.now() };
  const { queryId } = request.params;
  return queryId === undefined ? scope : { ...scope, queryId: await idOfQuery(scope, queryId) };
}

async function idOfQuery({ db, project }: ResourceScope, queryId: string): Promise<number> {
  const query = (await listQueries(db, project.id)).find(({ id }) => id === Number(queryId));
  if (query === undefined) throw notFound(`There is no query ${queryId} in project ${project.id}.`);
  return query.id;
}

async function answerList(
  context: LocalApiContext,
  request: FastifyRequest<InProject>,
  resource: Resource,
  record: (thing: NamedThing) => object,
) {
  const scope = await scopeOf(context, request);
  const parameters = parametersOf(request);
  const paging = readListPaging(parameters);
  const isAsked = readListFilter(parameters);
  const select = resource.readSelection?.(parameters) ?? ((things) => things);
  parameters.finish();
  const records = select((await resource.list(scope)).filter(isAsked)).map(record);
  if (resource.isBare) return records;
  const envelope = resource.isCounted ? listEnvelope(records, paging) : uncountedEnvelope(records, paging);
  return { ...envelope, ...(await resource.beside?.(envelope.results, scope)) };
}

async function answerOne(context: LocalApiContext, request: FastifyRequest<OfOne>, resource: Resource) {
  const scope = await scopeOf(context, request);
  parametersOf(request).finish();
  return resource.record(await findOne(scope, request.params.id, resource));
}

/** A thing that the caller may not see gets the same answer as one that does not exist. */
async function findOne(scope: ResourceScope, id: string, { noun, list }: Resource): Promise<NamedThing> {
  const thing = (await list(scope)).find((candidate) => candidate.id === Number(id));
  if (thing === undefined) throw notFound(`There is no ${noun} ${id} in project ${scope.project.id}.`);
  return thing;
}

/**
 * A repeated request returns the existing thing, so a lost answer costs nothing. Another thing of the same name is
 * refused, with the id of the existing one.
 */
async function create(
  context: LocalApiContext,
  request: FastifyRequest<InProject>,
  reply: FastifyReply,
  resource: Resource,
): Promise<object> {
  parametersOf(request).finish();
  reply.code(resource.createdStatus);
  return writing(context, request, resource, async (scope) => {
    const body = createBodyReader(request.body, unknownTo(request));
    const settings = await resource.read(body, scope);
    body.finish(`a ${resource.noun}`);
    const known = await sameName(scope, resource, settings);
    if (known !== undefined) return { answer: resource.record(known) };
    const made = await resource.create(scope, settings);
    const thing = typeof made === "number" ? await findOne(scope, String(made), resource) : made;
    const after = resource.record(thing);
    return { answer: after, change: { action: "create", thingId: String(thing.id), before: null, after } };
  });
}

async function sameName(
  scope: ResourceScope,
  resource: Resource,
  settings: unknown,
): Promise<NamedThing | undefined> {
  if (!resource.isUniqueByName) return undefined;
  const { name } = settings as NamedThing;
  const known = (await resource.list(scope)).find((thing) => thing.name === name);
  const isKnown = resource.isSame ?? isSame;
  if (known === undefined || isKnown(resource.settingsOf(known), settings)) return known;
  throw isTaken(known, resource);
}

async function refuseTaken(
  scope: ResourceScope,
  resource: Resource,
  current: NamedThing,
  name: string,
): Promise<void> {
  const known = (await resource.list(scope)).find((thing) => thing.name === name && thing.id !== current.id);
  if (known !== undefined) throw isTaken(known, resource);
}

function isTaken({ id, name }: NamedThing, { noun, path }: Resource): Error {
  return invalidRequest(
    `name: the project has a ${noun} ${JSON.stringify(name)} already, with the id ${id}; PUT …/${path}/${id} changes it.`,
  );
}

/** As far as the settings that are wanted say something: ids that were given out meanwhile are no difference. */
function isSame(known: unknown, body: unknown): boolean {
  if (body === undefined) return true;
  if (Array.isArray(body))
    return (
      Array.isArray(known) && known.length === body.length && body.every((one, i) => isSame(known[i], one))
    );
  if (typeof body === "object" && body !== null && typeof known === "object" && known !== null)
    return Object.entries(body).every(([key, value]) => isSame(Reflect.get(known, key), value));
  return known === body;
}

async function update(context: LocalApiContext, request: FastifyRequest<OfOne>, resource: Resource) {
  parametersOf(request).finish();
  const { id: thingId } = request.params;
  return writing(context, request, resource, async (scope) => {
    const current = await findOne(scope, thingId, resource);
    const body = createBodyReader(request.body, unknownTo(request));
    const settings = await resource.read(body, scope, current);
    body.finish(`a ${resource.noun}`);
    if (resource.isUniqueByName) await refuseTaken(scope, resource, current, (settings as NamedThing).name);
    const before = resource.record(current);
    const left = await resource.update(scope, current, settings);
    const thing = isNamed(left) ? left : await findOne(scope, thingId, resource);
    const after = resource.record(thing);
    return { answer: after, change: { action: "update", thingId, before, after } };
  });
}

/** A body, so that clients which read one find JSON. */
async function remove(context: LocalApiContext, request: FastifyRequest<OfOne>, resource: Resource) {
  parametersOf(request).finish();
  const { id: thingId } = request.params;
  return writing(context, request, resource, async (scope) => {
    const thing = await findOne(scope, thingId, resource);
    const before = resource.record(thing);
    await resource.remove(scope, thing);
    return {
      answer: { id: thing.id, name: thing.name },
      change: { action: "delete", thingId, before, after: null },
    };
  });
}

interface WriteResult {
  readonly answer: object;
  /** Absent: nothing was changed. */
  readonly change?: Pick<Change, "action" | "thingId" | "before" | "after">;
}

/**
 * Reading a thing, changing it and noting the change are one transaction, and one at a time: so that two calls that
 * change different fields keep both, and the note says what was there before.
 */
async function writing(
  context: LocalApiContext,
  request: FastifyRequest<InProject>,
  { noun: kind, isOfClient }: Resource,
  work: (scope: ResourceScope) => Promise<WriteResult>,
): Promise<object> {
  const requestScope = await scopeOf(context, request);
  const { project, caller } = requestScope;
  const { client, user } = caller;
  const by = { clientId: client.id, userId: user.id, username: user.username, projectId: project.id };
  const once = () =>
    context.db.transaction().execute(async (db) => {
      await (isOfClient ? lockClient(db, client.id) : lockWriting(db, [project.id]));
      const scope = { ...requestScope, db, at: context.clock.now() };
      const { answer, change } = await work(scope);
      if (change !== undefined) await recordChanges(db, [{ ...by, kind, ...change }]);
      return answer;
    });
  return once().catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
    // A command or a stream, which waits for no call, has just made one of this name.
    return once();
  });
}

function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === "23505";
}

function isNamed(value: unknown): value is NamedThing {
  return typeof value === "object" && value !== null && "id" in value && "name" in value;
}
