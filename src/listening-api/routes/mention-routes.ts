import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import type { Instant } from "../../lib/instant.ts";
import type { MentionCondition } from "../filters/mention-condition.ts";
import { callerOf } from "../http/authenticate.ts";
import type { LocalApiContext } from "../http/local-api-context.ts";
import { parametersOf } from "../http/unknown-parameters.ts";
import type { Cursor } from "../mentions/cursor-codec.ts";
import { afterTheEnd, inOrder, isPinned, neighbours, pageRequest } from "../mentions/mention-paging.ts";
import {
  mentionsEnvelope,
  type SampledPart,
  type SamplePercentages,
  scaledTotal,
} from "../mentions/mentions-envelope.ts";
import { bindingOf, type MentionsRequest, readMentionsRequest } from "../mentions/mentions-request.ts";
import { invalidRequest } from "../parameters/api-error.ts";
import type { RawParameters } from "../parameters/parameter-reader.ts";
import { dataPolicyOf } from "../records/data-policy.ts";
import { isInSample } from "../records/mention-id.ts";
import { readRecordVersion, type ViewOptions } from "../records/record-view.ts";
import { followsArrivals, type PageRow, type PageRows, type Position } from "../store/mention-page.ts";
import type { MentionRange } from "../store/mention-range.ts";
import type { Total } from "../store/mention-totals.ts";
import type { StoredProject } from "../store/projects.ts";
import { listPercentages, readRevisionOf } from "../store/queries.ts";
import { settledMoment } from "../store/write-order.ts";
import { projectOf, requestScopeOf, shownMoment } from "./project-request.ts";

/** GET /projects/:projectId/data/mentions, and the same with full texts. */
export function mentionRoutes(app: FastifyInstance, context: LocalApiContext): void {
  const path = "/projects/:projectId/data/mentions";
  mentionRoute(path, "snippet");
  mentionRoute(`${path}/fulltext`, "full");
  for (const [name, conditions] of Object.entries(OF_NETWORKS))
    mentionRoute(`${path}/${name}`, "snippet", conditions);

  function mentionRoute(
    path: string,
    text: ViewOptions["text"],
    conditions: readonly MentionCondition[] = [],
  ): void {
    app.get<{ Params: { projectId: string }; Querystring: RawParameters }>(path, async (request, reply) => {
      const { queryId, queryGroupId, cursor } = request.query;
      // First of all: what is written from now on shows in a later one, whether the page has it or not.
      const isOfOne = queryGroupId === undefined && cursor === undefined;
      const revision = isOfOne ? await readRevisionOf(context.db, queryId) : null;
      const project = await projectOf(context, request);
      const { client } = callerOf(request);
      const percentages = await listPercentages(context.db, project.id);
      const parameters = parametersOf(request);
      const version = readRecordVersion(parameters, client);
      const present = await shownMoment(context, request, project);
      const mentionsRequest = await readMentionsRequest(
        parameters,
        requestScopeOf(context, callerOf(request), project, new Set(percentages.keys())),
      );
      reply.type("application/json; charset=utf-8");
      if (revision !== null) reply.header("x-query-revision", revision);
      const range = {
        ...mentionsRequest.range,
        conditions: [...mentionsRequest.range.conditions, ...conditions],
        ...(followsArrivals(mentionsRequest) ? { withDeleted: true as const } : {}),
      };
      return answer(
        context,
        project,
        { ...mentionsRequest, range },
        {
          view: { version, text, policy: dataPolicyOf(client, project) },
          percentages,
          present,
          binding: `${bindingOf(project.id, parameters)}${conditions.length === 0 ? "" : path}`,
        },
      );
    });
  }
}

/** What the lists of channels show: the posts of a network. */
const OF_NETWORKS: Readonly<Record<string, readonly MentionCondition[]>> = {
  tweets: [{ kind: "one-of", field: "pageType", values: ["twitter"] }],
  facebookposts: [
    { kind: "one-of", field: "pageType", values: ["facebook"] },
    { kind: "not", condition: { kind: "one-of", field: "threadEntryType", values: ["comment", "reply"] } },
  ],
  facebookcomments: [
    { kind: "one-of", field: "pageType", values: ["facebook"] },
    { kind: "one-of", field: "threadEntryType", values: ["comment", "reply"] },
  ],
};

interface Manner {
  readonly view: ViewOptions;
  readonly percentages: SamplePercentages;
  /** The moment whose state is shown, unless the cursor or the order wants another one. */
  readonly present: Instant;
  /** What a cursor of this call is bound to. */
  readonly binding: string;
}

async function answer(
  context: LocalApiContext,
  project: StoredProject,
  request: MentionsRequest,
  { view, percentages, present, binding }: Manner,
): Promise<string | Readable> {
  const sent = readCursor(context, request.cursor, binding);
  const { read, cursor, at } = await readRows(context, { project, present }, request, sent);
  const rows = inOrder(read, cursor);
  const { next, previous, page } = neighbours(request, cursor, rows, at, read.leadsOn);
  const total = await totalOf(context, request, rows, at);
  const envelope = {
    rows,
    total,
    scaledTotal: await scaledTotal(request.range.queryIds, percentages, total.count, async (part) => {
      if (isWhole(request, rows)) return rows.filter(({ position }) => isOf(part, position)).length;
      return (await context.totals.read(rangeOf(part, request.range), at)).count;
    }),
    version: view.version,
    page,
    pageSize: request.pageSize,
    nextCursor: next && context.cursors.encode(next, binding),
    prevCursor: previous && context.cursors.encode(previous, binding),
    isCursorAnswer: cursor !== undefined,
    from: request.range.from,
    to: request.range.to,
  };
  const pieces = mentionsEnvelope(
    envelope,
    context.records.read(rows, context.views.of(view), { ...request, at }),
  );
  if (rows.length > SENT_WHOLE) return Readable.from(pieces, { objectMode: false });
  let whole = "";
  for await (const piece of pieces) whole += piece;
  return whole;
}

function isOf({ queryIds, percentage }: SampledPart, { queryId, resourceId }: Position): boolean {
  return queryIds.includes(queryId) && isInSample(resourceId, percentage);
}

function rangeOf({ queryIds, percentage }: SampledPart, range: MentionRange): MentionRange {
  if (percentage === 100) return { ...range, queryIds };
  return { ...range, queryIds, conditions: [...range.conditions, { kind: "in-sample", percentage }] };
}

async function readRows(
  context: LocalApiContext,
  { project, present }: { project: StoredProject; present: Instant },
  request: MentionsRequest,
  sent: Cursor | undefined,
): Promise<{ read: PageRows; cursor: Cursor | undefined; at: Instant }> {
  const { db } = context;
  const momentFor = async (cursor: Cursor | undefined) =>
    cursor?.pinnedAt ?? (isPinned(request) ? settledMoment(db, project.id, present) : present);
  const at = await momentFor(sent);
  // A group without queries has no mentions; every other request names at least one query.
  if (request.range.queryIds.length === 0) return { read: [], cursor: sent, at };
  const read = await readPage(context, request, sent, at);
  const further = sent !== undefined && read.length === 0 && !read.leadsOn ? afterTheEnd(sent) : undefined;
  if (further === undefined) return { read, cursor: sent, at };
  const now = await momentFor(further);
  return { read: await readPage(context, request, further, now), cursor: further, at: now };
}

async function readPage(
  { pages, totals }: LocalApiContext,
  mentionsRequest: MentionsRequest,
  cursor: Cursor | undefined,
  at: Instant,
): Promise<PageRows> {
  const request = pageRequest(mentionsRequest, cursor, at);
  const { range, order } = mentionsRequest;
  const isBounded = range.conditions.some((one) => one.kind === "after" && one.field === order.name);
  if ((order.name !== "added" && order.name !== "updated") || isBounded) return pages.read(request);
  // The total is needed for the answer, too, and kept.
  const within = (await totals.read(range, at))[order.name];
  return within === null ? [] : pages.read({ ...request, within });
}

/** Longer pages are sent while they are read, so that no page is in memory as a whole. */
const SENT_WHOLE = 1_000;

async function totalOf(
  { totals }: LocalApiContext,
  request: MentionsRequest,
  rows: readonly PageRow[],
  at: Instant,
): Promise<Pick<Total, "count" | "maximumId">> {
  if (!isWhole(request, rows)) return totals.read(request.range, at);
  return { count: rows.length, maximumId: Math.max(-1, ...rows.map((row) => row.mentionId)) };
}

/** A first page that is not full has shown everything there is; nothing needs to be counted. */
function isWhole(request: MentionsRequest, rows: readonly PageRow[]): boolean {
  return request.cursor === undefined && request.page === 0 && rows.length < request.pageSize;
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
