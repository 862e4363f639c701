import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Instant } from "../../lib/instant.ts";
import { backfillLabels, backfillRule } from "../assign/backfill-rules.ts";
import { notFound } from "../http/api-error.ts";
import { callerOf } from "../http/authenticate.ts";
import { parametersOf } from "../http/unknown-parameters.ts";
import { NUMERIC_ID } from "../http/unknown-paths.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import type { ParameterReader, RawParameters } from "../parameters/parameter-reader.ts";
import { categories } from "../resources/categories.ts";
import type { Named, Resource } from "../resources/resource.ts";
import { rules } from "../resources/rules.ts";
import { tags } from "../resources/tags.ts";
import { recordChanges } from "../store/changes.ts";
import { projectOf } from "./project-request.ts";

interface OfOne {
  Params: { projectId: string; id: string };
  Querystring: RawParameters;
}

/**
 * POST …/bulkactions/rule/:id (older programs: …/rules/:id/backfill), …/bulkactions/ruletags/:id and
 * …/bulkactions/rulecategories/:id: the rule, or those of the tag or category, act on stored mentions; with `earliest`
 * on those from that date on. Answers when it is done, with how many mentions meet the rule and how many changed.
 */
export function ruleRoutes(app: FastifyInstance, context: LocalApiContext): void {
  const of = (path: string, resource: Resource | undefined, apply: typeof backfillRule) =>
    app.post<OfOne>(
      `/projects/:projectId/${path}`,
      // Programs send the content type of their other calls.
      { config: { needsNoBody: true } },
      (request) => backfill(context, request, resource, apply),
    );
  of(`rules/${NUMERIC_ID}/backfill`, rules, backfillRule);
  of(`bulkactions/rule/${NUMERIC_ID}`, rules, backfillRule);
  of(`bulkactions/ruletags/${NUMERIC_ID}`, tags[1], (db, project, id, options) =>
    backfillLabels(db, project, { kind: "tag", id }, options),
  );
  of(`bulkactions/rulecategories/${NUMERIC_ID}`, categories[1], (db, project, id, options) =>
    backfillLabels(db, project, { kind: "category", id }, options),
  );
}

async function backfill(
  { db, clock, ...context }: LocalApiContext,
  request: FastifyRequest<OfOne>,
  resource: Resource | undefined,
  apply: typeof backfillRule,
) {
  const project = await projectOf({ db, clock, ...context }, request);
  const parameters = parametersOf(request);
  const earliest = readEarliest(parameters, project.timezone);
  parameters.finish();
  const caller = callerOf(request);
  const scope = { db, project, caller, projectIds: new Set<number>(), at: clock.now() };
  const id = Number(request.params.id);
  const thing = (await resource?.list(scope))?.find((one) => isOrContains(one, id));
  if (resource === undefined || thing === undefined)
    throw notFound(`There is no ${resource?.noun} ${id} in project ${project.id}.`);
  const { found, changed } = await apply(db, project, id, { now: clock.now, earliest });
  const before = resource.record(thing);
  const done = { mentionsFound: found, mentionsChanged: changed };
  const { client, user } = caller;
  await recordChanges(db, [
    {
      ...{ clientId: client.id, userId: user.id, username: user.username, projectId: project.id },
      ...{ action: "update", kind: resource.noun, thingId: String(thing.id), before },
      after: { ...before, backfill: done },
    },
  ]);
  return { id, name: thing.name, status: "finished", ...done };
}

export function readEarliest(parameters: ParameterReader, zone: string): Instant | undefined {
  return parameters.moment("earliest", zone);
}

/** A category by its own id, or by that of a subcategory. */
function isOrContains(thing: Named, id: number): boolean {
  const children: unknown = "children" in thing ? thing.children : [];
  return thing.id === id || (children as readonly Named[]).some((child) => child.id === id);
}
