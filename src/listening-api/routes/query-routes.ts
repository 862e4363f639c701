import type { FastifyInstance, FastifyRequest } from "fastify";
import { lookBack } from "../assign/look-back.ts";
import { callerOf } from "../http/authenticate.ts";
import type { LocalApiContext } from "../http/local-api-context.ts";
import { parametersOf, unknownTo } from "../http/unknown-parameters.ts";
import { NUMERIC_ID } from "../http/unknown-paths.ts";
import { invalidRequest, notFound } from "../parameters/api-error.ts";
import { type BodyReader, createBodyReader } from "../parameters/body-reader.ts";
import { readListPaging } from "../parameters/list-parameters.ts";
import type { ParameterReader, RawParameters } from "../parameters/parameter-reader.ts";
import { parseMoment } from "../parameters/parse-moment.ts";
import { lint, type QueryPlace } from "../query-language/compile.ts";
import type { Problem } from "../query-language/problem.ts";
import { readRecordVersion } from "../records/record-view.ts";
import { listEnvelope, wireTime } from "../records/wire.ts";
import { queryRecord } from "../resources/project-records.ts";
import { insertBackfill, listBackfills, type StoredBackfill } from "../store/backfills.ts";
import { recordChanges } from "../store/changes.ts";
import { listQueries, updateQuery } from "../store/queries.ts";
import { lockWriting } from "../store/write-order.ts";
import { projectOf, readMention } from "./project-request.ts";

export interface OfQuery {
  Params: { projectId: string; id: string };
  Querystring: RawParameters;
}

/**
 * GET …/query/:id/mentionfind: one mention by `resourceId` or `url`, with its full text, as `{mention}`. And POST
 * …/queries/:id/backfill, by which older programs make a query look back: from `minDate` on, as a changed start date
 * does; GET lists what was done so.
 */
export function queryDataRoutes(app: FastifyInstance, context: LocalApiContext): void {
  app.get<OfQuery>(`/projects/:projectId/query/${NUMERIC_ID}/mentionfind`, async (request) => {
    const { project, queryId } = await queryOf(context, request);
    const parameters = parametersOf(request);
    const version = readRecordVersion(parameters, callerOf(request).client);
    const { resourceId, url } = readMentionWanted(parameters);
    parameters.finish();
    const by = resourceId === undefined ? { url: url ?? "" } : { resourceId };
    return { mention: await readMention(context, request, project, { queryId, by, version, text: "full" }) };
  });

  app.get<OfQuery>(`/projects/:projectId/queries/${NUMERIC_ID}/backfill`, async (request) => {
    const { queryId } = await queryOf(context, request);
    const parameters = parametersOf(request);
    const paging = readListPaging(parameters);
    parameters.finish();
    return listEnvelope((await listBackfills(context.db, queryId)).map(backfillRecord), paging);
  });
  app.post<OfQuery>(`/projects/:projectId/queries/${NUMERIC_ID}/backfill`, (request) =>
    backfill(context, request),
  );
}

export function readMentionWanted(parameters: ParameterReader) {
  const resourceId = parameters.text("resourceId");
  const url = parameters.text("url");
  if (resourceId === undefined && url === undefined)
    parameters.fault("resourceId: expected one, or the url of a mention.");
  return { resourceId, url };
}

export function readBackfill(body: BodyReader, zone: string) {
  const text = body.text("minDate", 60);
  const from = text === undefined ? undefined : parseMoment(text, zone);
  if (typeof from !== "number")
    body.fault(`minDate: ${from ?? "required, from when on the query is to look back."}`);
  body.accept("queryId");
  return from;
}

/** What it looks back from becomes its start date, where that is earlier. */
async function backfill(context: LocalApiContext, request: FastifyRequest<OfQuery>) {
  const { project, queryId } = await queryOf(context, request);
  parametersOf(request).finish();
  const { client, user } = callerOf(request);
  const body = createBodyReader(request.body, unknownTo(request));
  const from = readBackfill(body, project.timezone);
  body.finish("a backfill");
  return context.db.transaction().execute(async (db) => {
    await lockWriting(db, [project.id]);
    const at = context.clock.now();
    const before = (await listQueries(db, project.id)).find(({ id }) => id === queryId);
    if (before === undefined || typeof from !== "number") throw notFound(`There is no query ${queryId}.`);
    const startDate = Math.min(from, before.startDate ?? before.createdAt);
    await updateQuery(db, queryId, { ...before, startDate }, { username: user.username, at });
    const found = await lookBack(db, project.id, { ...before, startDate }, at);
    await recordChanges(db, [
      {
        ...{ clientId: client.id, userId: user.id, username: user.username, projectId: project.id },
        ...{ action: "update", kind: "query", thingId: String(queryId) },
        before: queryRecord(before),
        after: queryRecord({ ...before, startDate }),
      },
    ]);
    const done = await insertBackfill(db, { queryId, from: startDate, to: at, mentions: found });
    return { ...backfillRecord(done), mentions: found };
  });
}

function backfillRecord({ id, queryId, from, to, mentions }: StoredBackfill) {
  const dates = { minDate: wireTime(from), maxDate: wireTime(to) };
  return { id, queryId, ...dates, mentionsFound: mentions, status: "finished", statusMessages: [] };
}

export async function queryOf(context: LocalApiContext, request: FastifyRequest<OfQuery>) {
  const project = await projectOf(context, request);
  const queryId = Number(request.params.id);
  const isThere = (await listQueries(context.db, project.id)).some(({ id }) => id === queryId);
  if (!isThere) throw notFound(`There is no query ${queryId} in project ${project.id}.`);
  return { project, queryId };
}

/** A text of the greatest length, each character as an escape of JSON. */
const LARGEST_BODY = 512 * 1024;

/**
 * `query-validation`, for queries, and `query-validation/searchwithin`, for searches inside results: POST with
 * `{"booleanQuery", "languages"}`, or GET with `booleanQuery` (or `query`) and `languages` (or `language`). An
 * extension of the live service, which answers with `errors` and `issues`. Their content is ours: `{rule, message,
 * start, end}` in UTF-16 units, and for issues `severity` (`warning` or `note`). A text with errors is still answered
 * with 200: it was validated.
 */
export function queryValidationRoutes(app: FastifyInstance): void {
  for (const [path, place] of PATHS) {
    app.get<{ Querystring: RawParameters }>(path, (request, reply) => {
      const parameters = parametersOf(request);
      const text = readValidated(parameters);
      if (!("query" in request.query) && !("booleanQuery" in request.query))
        parameters.fault("booleanQuery: expected the Boolean text to validate.");
      parameters.finish();
      return reply.send(verdict(text, place));
    });
    app.post<{ Querystring: RawParameters; Body: unknown }>(
      path,
      { bodyLimit: LARGEST_BODY },
      (request, reply) => {
        parametersOf(request).finish();
        return reply.send(verdict(bodyText(request.body), place));
      },
    );
  }
}

/** The names of an older client, and of today's. */
export function readValidated(parameters: ParameterReader): string {
  const [today, older] = [parameters.text("booleanQuery"), parameters.text("query")];
  for (const name of ["language", "languages"]) parameters.texts(name);
  return today ?? older ?? "";
}

const PATHS: readonly (readonly [string, QueryPlace])[] = [
  ["/query-validation", "query"],
  ["/query-validation/searchwithin", "search"],
];

function bodyText(body: unknown): string {
  const given = typeof body === "object" && body !== null ? body : {};
  const text: unknown =
    "booleanQuery" in given ? given.booleanQuery : "query" in given ? given.query : undefined;
  if (typeof text === "string") return text;
  throw invalidRequest("booleanQuery: expected the Boolean text to validate, as a string in a JSON object.");
}

function verdict(text: string, place: QueryPlace) {
  const problems = lint(text, place);
  return {
    errors: problems.filter(({ severity }) => severity === "error").map(withoutSeverity),
    issues: problems.filter(({ severity }) => severity !== "error"),
  };
}

function withoutSeverity({ rule, message, start, end }: Problem) {
  return { rule, message, start, end };
}
