import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { invalidRequest, notFound } from "../http/api-error.ts";
import { callerOf } from "../http/authenticate.ts";
import { parametersOf, unknownTo } from "../http/unknown-parameters.ts";
import { NUMERIC_ID } from "../http/unknown-paths.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { readListFilter, readListPaging } from "../parameters/list-parameters.ts";
import type { RawParameters } from "../parameters/parameter-reader.ts";
import { listEnvelope, uncountedEnvelope } from "../records/wire.ts";
import { createBodyReader } from "../resources/body-reader.ts";
import type { Named, Resource, ResourceScope } from "../resources/resource.ts";
import { RESOURCES } from "../resources/resources.ts";
import { type Change, recordChanges } from "../store/changes.ts";
import type { Database } from "../store/database.ts";
import { listProjects } from "../store/projects.ts";
import { projectOf } from "./project-request.ts";

interface InProject {
  Params: { projectId: string };
  Querystring: RawParameters;
}
interface OfOne {
  Params: { projectId: string; id: string };
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
  return { db: context.db, project, caller, projectIds, at: context.clock.now() };
}

async function answerList(
  context: LocalApiContext,
  request: FastifyRequest<InProject>,
  resource: Resource,
  record: (thing: Named) => object,
) {
  const scope = await scopeOf(context, request);
  const parameters = parametersOf(request);
  const paging = readListPaging(parameters);
  const isAsked = readListFilter(parameters);
  const isOfKind = resource.readFilter?.(parameters) ?? (() => true);
  parameters.finish();
  const things = (await resource.list(scope)).filter((thing) => isAsked(thing) && isOfKind(thing));
  const records = things.map(record);
  const envelope = resource.isCounted ? listEnvelope(records, paging) : uncountedEnvelope(records, paging);
  return { ...envelope, ...(await resource.beside?.(envelope.results, scope)) };
}

async function answerOne(context: LocalApiContext, request: FastifyRequest<OfOne>, resource: Resource) {
  const scope = await scopeOf(context, request);
  parametersOf(request).finish();
  return resource.record(await findOne(scope, request.params.id, resource));
}

/** A thing that the caller may not see gets the same answer as one that does not exist. */
async function findOne(scope: ResourceScope, id: string, { noun, list }: Resource): Promise<Named> {
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
  const scope = await scopeOf(context, request);
  parametersOf(request).finish();
  const body = createBodyReader(request.body, unknownTo(request));
  const settings = await resource.read(body, scope);
  body.finish(`a ${resource.noun}`);
  reply.code(resource.createdStatus);
  const known = await sameName(scope, resource, settings);
  if (known !== undefined) return resource.record(known);
  try {
    return await writing(
      scope,
      async (within) => {
        const made = await resource.create(within, settings);
        const thing = typeof made === "number" ? await findOne(within, String(made), resource) : made;
        const after = resource.record(thing);
        return { after, change: { action: "create", thingId: String(thing.id), before: null, after } };
      },
      resource,
    );
  } catch (error) {
    // Somebody else made it at the same moment.
    const made = isUniqueViolation(error) ? await sameName(scope, resource, settings) : undefined;
    if (made === undefined) throw error;
    return resource.record(made);
  }
}

async function sameName(
  scope: ResourceScope,
  { isUniqueByName, list, settingsOf, noun, path }: Resource,
  settings: unknown,
): Promise<Named | undefined> {
  if (!isUniqueByName) return undefined;
  const { name } = settings as Named;
  const known = (await list(scope)).find((thing) => thing.name === name);
  if (known === undefined || isSame(settingsOf(known), settings)) return known;
  throw invalidRequest(
    `name: the project has a ${noun} ${JSON.stringify(name)} already, with the id ${known.id}; PUT …/${path}/${known.id} changes it.`,
  );
}

/** As far as the settings that are wanted say something: ids that were given out meanwhile are no difference. */
function isSame(known: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(known) &&
      known.length === wanted.length &&
      wanted.every((one, i) => isSame(known[i], one))
    );
  if (typeof wanted === "object" && wanted !== null && typeof known === "object" && known !== null)
    return Object.entries(wanted).every(([key, value]) => isSame(Reflect.get(known, key), value));
  return known === wanted;
}

async function update(context: LocalApiContext, request: FastifyRequest<OfOne>, resource: Resource) {
  const scope = await scopeOf(context, request);
  parametersOf(request).finish();
  const current = await findOne(scope, request.params.id, resource);
  const body = createBodyReader(request.body, unknownTo(request));
  const settings = await resource.read(body, scope, current);
  body.finish(`a ${resource.noun}`);
  try {
    return await writing(
      scope,
      async (within) => {
        const left = await resource.update(within, current, settings);
        const thing = isNamed(left) ? left : await findOne(within, request.params.id, resource);
        const after = resource.record(thing);
        return {
          after,
          change: { action: "update", thingId: request.params.id, before: resource.record(current), after },
        };
      },
      resource,
    );
  } catch (error) {
    if (isUniqueViolation(error)) await sameName(scope, resource, settings);
    throw error;
  }
}

/** A body, so that clients which read one find JSON. */
async function remove(context: LocalApiContext, request: FastifyRequest<OfOne>, resource: Resource) {
  const scope = await scopeOf(context, request);
  parametersOf(request).finish();
  const thing = await findOne(scope, request.params.id, resource);
  return writing(
    scope,
    async (within) => {
      await resource.remove(within, thing);
      const before = resource.record(thing);
      return {
        after: { id: thing.id, name: thing.name },
        change: { action: "delete", thingId: request.params.id, before, after: null },
      };
    },
    resource,
  );
}

/** The change and what is noted of it are one transaction. */
function writing(
  scope: ResourceScope,
  work: (within: ResourceScope) => Promise<{
    after: object;
    change: Pick<Change, "action" | "thingId" | "before" | "after">;
  }>,
  { noun: kind }: Resource,
): Promise<object> {
  const { client, user } = scope.caller;
  const by = { clientId: client.id, userId: user.id, username: user.username, projectId: scope.project.id };
  return scope.db.transaction().execute(async (db: Database) => {
    const { after, change } = await work({ ...scope, db });
    await recordChanges(db, [{ ...by, kind, ...change }]);
    return after;
  });
}

function isUniqueViolation(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === "23505";
}

function isNamed(value: unknown): value is Named {
  return typeof value === "object" && value !== null && "id" in value && "name" in value;
}
