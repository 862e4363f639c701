import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Instant } from "../../lib/instant.ts";
import { type BackfillDone, backfillLabels, backfillRule } from "../assign/backfill-rules.ts";
import { callerOf } from "../http/authenticate.ts";
import type { LocalApiContext } from "../http/local-api-context.ts";
import { parametersOf } from "../http/unknown-parameters.ts";
import { NUMERIC_ID } from "../http/unknown-paths.ts";
import { notFound } from "../parameters/api-error.ts";
import { readListPaging } from "../parameters/list-parameters.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";
import { listEnvelope } from "../records/wire.ts";
import { categories } from "../resources/categories.ts";
import type { NamedThing, Resource } from "../resources/resource.ts";
import { rules } from "../resources/rules.ts";
import { tags } from "../resources/tags.ts";
import { type BackfillNote, listRuleBackfills, noteBackfill, recordChanges } from "../store/changes.ts";
import type { Database } from "../store/database.ts";
import { lockWriting } from "../store/write-order.ts";
import { projectOf } from "./project-request.ts";
import type { OfQuery } from "./query-routes.ts";

/**
 * POST …/bulkactions/rule/:id (older programs: …/rules/:id/backfill), …/bulkactions/ruletags/:id and
 * …/bulkactions/rulecategories/:id: the rule, or those of the tag or category, act on stored mentions; with `earliest`
 * on those from that date on. Answers when it is done, with how many mentions meet the rule and how many changed.
 *
 * POST …/rulebackfill/rulecategories/:id, as the operator documents it: the same for a category, from `startDate` on. The
 * live service answers with jobs that wait; here they are finished. GET …/rulebackfill/rulecategories lists them.
 */
export function ruleRoutes(app: FastifyInstance, context: LocalApiContext): void {
  // Programs send the content type of their other calls.
  const config = { config: { needsNoBody: true as const } };
  const of = (path: string, resource: Resource, apply: typeof backfillRule) =>
    app.post<OfQuery>(`/projects/:projectId/${path}`, config, async (request) => {
      const { thing, done } = await backfill(context, request, { resource, apply, read: readEarliest });
      return { id: Number(request.params.id), name: thing.name, ...done };
    });
  const [, ruleTags] = tags;
  const [, ruleCategories] = categories;
  if (ruleTags === undefined || ruleCategories === undefined) throw new Error("labels have two paths each");
  const ofCategory: typeof backfillRule = (db, project, id, options) =>
    backfillLabels(db, project, { kind: "category", id }, options);
  of(`rules/${NUMERIC_ID}/backfill`, rules, backfillRule);
  of(`bulkactions/rule/${NUMERIC_ID}`, rules, backfillRule);
  of(`bulkactions/ruletags/${NUMERIC_ID}`, ruleTags, (db, project, id, options) =>
    backfillLabels(db, project, { kind: "tag", id }, options),
  );
  of(`bulkactions/rulecategories/${NUMERIC_ID}`, ruleCategories, ofCategory);

  const jobs = "/projects/:projectId/rulebackfill/rulecategories";
  app.post<OfQuery>(`${jobs}/${NUMERIC_ID}`, config, async (request) => {
    const rules = { resource: ruleCategories, apply: ofCategory, read: readBackfillStart };
    const { thing, jobId, requesterId } = await backfill(context, request, rules);
    return ruledChildren(thing, Number(request.params.id)).map((ruleId) => ({
      id: jobId,
      ruleId,
      requesterId,
      status: "FINISHED",
    }));
  });
  app.get<OfQuery>(jobs, async (request) => {
    const project = await projectOf(context, request);
    const parameters = parametersOf(request);
    const paging = readListPaging(parameters);
    const since = readBackfillSince(parameters, project.timezone);
    parameters.finish();
    const done = await listRuleBackfills(context.db, project.id, { kind: ruleCategories.noun, since });
    const records = done.map(({ thingId, status }) => ({ categoryId: thingId, status, type: "category" }));
    return listEnvelope(records, paging);
  });
}

interface BackfillKind {
  readonly resource: Resource;
  readonly apply: typeof backfillRule;
  /** From when on. */
  readonly read: (parameters: ParameterReader, zone: string) => Instant | undefined;
}

/**
 * The change is noted before anything is changed, and its numbers with each batch: the list of changes tells of a
 * backfill that dies what it has done.
 */
async function backfill(
  context: LocalApiContext,
  request: FastifyRequest<OfQuery>,
  { resource, apply, read }: BackfillKind,
) {
  const { db, clock } = context;
  const project = await projectOf(context, request);
  const parameters = parametersOf(request);
  const earliest = read(parameters, project.timezone);
  parameters.finish();
  const caller = callerOf(request);
  const { client, user } = caller;
  const id = Number(request.params.id);
  const { thing, jobId } = await db.transaction().execute(async (own) => {
    await lockWriting(own, [project.id]);
    const scope = { db: own, project, caller, projectIds: new Set<number>(), at: clock.now() };
    const found = (await resource.list(scope)).find((one) => isOrContains(one, id));
    if (found === undefined) throw notFound(`There is no ${resource.noun} ${id} in project ${project.id}.`);
    const before = resource.record(found);
    const [changeId = 0] = await recordChanges(own, [
      {
        ...{ clientId: client.id, userId: user.id, username: user.username, projectId: project.id },
        ...{ action: "update", kind: resource.noun, thingId: String(found.id), before },
        after: { ...before, backfill: toNote({ found: 0, changed: 0 }, "unfinished") },
      },
    ]);
    return { thing: found, jobId: changeId };
  });
  const note = (own: Database, done: BackfillDone) => noteBackfill(own, jobId, toNote(done, "unfinished"));
  const done = toNote(await apply(db, project, id, { now: clock.now, earliest, note }), "finished");
  await noteBackfill(db, jobId, done);
  return { thing, done, jobId, requesterId: user.id };
}

function toNote({ found, changed }: BackfillDone, status: BackfillNote["status"]): BackfillNote {
  return { status, mentionsFound: found, mentionsChanged: changed };
}

export function readBackfillStart(parameters: ParameterReader, zone: string): Instant | undefined {
  return parameters.moment("startDate", zone);
}

export function readBackfillSince(parameters: ParameterReader, zone: string): Instant | undefined {
  return parameters.moment("sinceDate", zone);
}

export function readEarliest(parameters: ParameterReader, zone: string): Instant | undefined {
  return parameters.moment("earliest", zone);
}

/** Subcategories with rules, of a category; or the one that was asked for. */
function ruledChildren(thing: NamedThing, categoryId: number): readonly number[] {
  const children =
    "children" in thing ? (thing.children as readonly (NamedThing & { rules: readonly unknown[] })[]) : [];
  return children
    .filter(({ id, rules }) => rules.length > 0 && [thing.id, id].includes(categoryId))
    .map(({ id }) => id);
}

/** A category by its own id, or by that of a subcategory. */
function isOrContains(thing: NamedThing, id: number): boolean {
  const children: unknown = "children" in thing ? thing.children : [];
  return thing.id === id || (children as readonly NamedThing[]).some((child) => child.id === id);
}
