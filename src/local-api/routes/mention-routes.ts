import type { FastifyInstance } from "fastify";
import type { Instant } from "../../lib/instant.ts";
import type { Cursor } from "../cursor/cursor-codec.ts";
import { invalidRequest } from "../http/api-error.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { mentionsEnvelope } from "../mentions/mentions-envelope.ts";
import {
  type MentionsRequest,
  type RequestScope,
  readMentionsRequest,
} from "../mentions/mentions-request.ts";
import { inOrder, momentOf, neighbours, pageRequest } from "../mentions/mentions-walk.ts";
import { createParameterReader, type RawParameters } from "../parameters/parameter-reader.ts";
import { listCategories } from "../store/categories.ts";
import type { PageRow } from "../store/mention-page.ts";
import type { Total } from "../store/mention-totals.ts";
import type { StoredProject } from "../store/projects.ts";
import { listGroupMembers, listQueries } from "../store/queries.ts";
import { projectOf } from "./project-of.ts";

/** GET /projects/:projectId/data/mentions. */
export function mentionRoutes(app: FastifyInstance, context: LocalApiContext): void {
  const path = "/projects/:projectId/data/mentions";
  app.get<{ Params: { projectId: string }; Querystring: RawParameters }>(path, async (request, reply) => {
    const project = await projectOf(context, request);
    const asked = await readMentionsRequest(
      createParameterReader(request.query),
      await requestScopeOf(context, project),
    );
    reply.type("application/json; charset=utf-8");
    return answer(context, asked, bindingOf(project, request.query));
  });
}

async function answer(context: LocalApiContext, asked: MentionsRequest, binding: string): Promise<string> {
  const cursor = readCursor(context, asked.cursor, binding);
  const at = momentOf(cursor, context.clock.now());
  // A group without queries has no mentions; every other request names at least one query.
  const isEmpty = asked.range.queryIds.length === 0;
  const read = isEmpty ? [] : await context.pages.read(pageRequest(asked, cursor, at));
  const rows = inOrder(read, cursor);
  const { next, previous, page } = neighbours(asked, cursor, rows, at);
  return mentionsEnvelope({
    rows,
    total: await totalOf(context, asked, rows, at),
    page,
    pageSize: asked.pageSize,
    nextCursor: next && context.cursors.encode(next, binding),
    prevCursor: previous && context.cursors.encode(previous, binding),
    isCursorAnswer: cursor !== undefined,
    from: asked.range.from,
    to: asked.range.to,
  });
}

/** What reading a request about mentions has to know of the project. */
export async function requestScopeOf({ db }: LocalApiContext, project: StoredProject): Promise<RequestScope> {
  const queries = await listQueries(db, project.id);
  return {
    timezone: project.timezone,
    queries: new Set(queries.map((query) => query.id)),
    categories: () => listCategories(db, project.id),
    groupMembers: (groupIds) => listGroupMembers(db, project.id, groupIds),
  };
}

/** A first page that is not full has shown everything there is; nothing needs to be counted. */
async function totalOf(
  { totals }: LocalApiContext,
  asked: MentionsRequest,
  rows: readonly PageRow[],
  at: Instant,
): Promise<Total> {
  const isWhole = asked.cursor === undefined && asked.page === 0 && rows.length < asked.pageSize;
  if (!isWhole) return totals.read(asked.range, at);
  return { count: rows.length, maximumId: Math.max(-1, ...rows.map((row) => row.mentionId)) };
}

function readCursor(
  { cursors }: LocalApiContext,
  text: string | undefined,
  binding: string,
): Cursor | undefined {
  if (text === undefined) return undefined;
  const cursor = cursors.decode(text, binding);
  if (cursor === "unknown")
    throw invalidRequest("cursor: expected the nextCursor or prevCursor of a response.");
  if (cursor === "other-parameters")
    throw invalidRequest("cursor: expected all other parameters as they were in the request it came from.");
  return cursor;
}

/** What has to stay the same while a cursor is followed: the project and every parameter, in whatever order. */
function bindingOf(project: StoredProject, parameters: RawParameters): string {
  const kept = Object.entries(parameters)
    .filter(([name]) => !["cursor", "access_token", "page"].includes(name))
    .map(([name, value]) => [name, [value].flat().map(String).sort()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([project.id, kept]);
}
