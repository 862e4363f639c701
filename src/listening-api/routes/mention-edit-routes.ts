import type { FastifyInstance, FastifyRequest } from "fastify";
import { groupBy } from "../../lib/group-by.ts";
import { isRecord } from "../../lib/json.ts";
import { changeScope } from "../edit/change-set.ts";
import { editMentions } from "../edit/edit-mention.ts";
import { changesInTurn } from "../edit/mention-changes.ts";
import { type MentionEdit, readMentionEdits } from "../edit/read-mention-edits.ts";
import { callerOf } from "../http/authenticate.ts";
import type { LocalApiContext } from "../http/local-api-context.ts";
import { parametersOf, unknownTo } from "../http/unknown-parameters.ts";
import { NUMERIC_ID } from "../http/unknown-paths.ts";
import { invalidRequest } from "../parameters/api-error.ts";
import type { RawParameters } from "../parameters/parameter-reader.ts";
import { readRecordVersion } from "../records/record-view.ts";
import { wireTime } from "../records/wire.ts";
import { listUsernames } from "../store/account-lists.ts";
import { recordChanges } from "../store/changes.ts";
import type { MentionKey } from "../store/current-mentions.ts";
import { listCategories, listTags } from "../store/labels.ts";
import { listQueries } from "../store/queries.ts";
import { beginWriting } from "../store/write-order.ts";
import { type InProject, projectOf, readMention } from "./project-request.ts";
import { queryOf } from "./query-routes.ts";

const LARGEST_BODY = 2 * 1024 * 1024;

interface OfMention {
  Params: { projectId: string; id: string; resourceId: string };
  Querystring: RawParameters;
}

/**
 * PATCH (or POST) /projects/:projectId/data/mentions: changes up to a thousand mentions, all of them or none. Each
 * gets a new version whose `updated` is now. Answers what was changed, in the order of the call. And
 * …/queries/:id/mentions/:resourceId, by which older programs read and change one; its whole text is at …/content.
 */
export function mentionEditRoutes(app: FastifyInstance, context: LocalApiContext): void {
  app.route<InProject>({
    method: ["PATCH", "POST"],
    url: "/projects/:projectId/data/mentions",
    bodyLimit: LARGEST_BODY,
    handler: (request) => {
      parametersOf(request).finish();
      return edit(context, request, request.body);
    },
  });

  const one = `/projects/:projectId/queries/${NUMERIC_ID}/mentions/:resourceId`;
  const answer = async (request: FastifyRequest<OfMention>, text: "snippet" | "full") => {
    const { project, queryId } = await queryOf(context, request);
    const parameters = parametersOf(request);
    const version = readRecordVersion(parameters, callerOf(request).client);
    parameters.finish();
    const by = { resourceId: request.params.resourceId };
    return readMention(context, request, project, { queryId, by, version, text });
  };
  app.get<OfMention>(one, (request) => answer(request, "snippet"));
  app.get<OfMention>(`${one}/content`, (request) => answer(request, "full"));
  app.patch<OfMention>(one, { bodyLimit: LARGEST_BODY }, async (request) => {
    const { queryId } = await queryOf(context, request);
    if (!isRecord(request.body)) throw invalidRequest("body: expected a JSON object.");
    await answer(request, "snippet");
    await edit(context, request, { ...request.body, queryId, resourceId: request.params.resourceId });
    return answer(request, "snippet");
  });
}

/** What tags, categories and queries there are is read in the transaction, too: one may be renamed or deleted meanwhile. */
async function edit(context: LocalApiContext, request: FastifyRequest<InProject>, given: unknown) {
  const { clock } = context;
  const project = await projectOf(context, request);
  const { client, user } = callerOf(request);
  const by = { clientId: client.id, userId: user.id, username: user.username, projectId: project.id };
  return context.db.transaction().execute(async (db) => {
    const at = await beginWriting(db, [project.id], clock.now);
    const scope = {
      queryIds: new Set((await listQueries(db, project.id)).map(({ id }) => id)),
      ...changeScope(
        { categories: await listCategories(db, project.id), tags: await listTags(db, project.id) },
        await listUsernames(db, client.id),
      ),
    };
    const edits = readMentionEdits(given, scope, unknownTo(request));
    const byKey = groupBy(edits, keyOf);
    const edited = await editMentions(
      db,
      [...byKey.values()].flatMap(([first]) => first ?? []),
      (mention) =>
        changesInTurn(
          mention,
          (byKey.get(keyOf(mention)) ?? []).map(({ changesOf }) => changesOf),
        ),
      at,
    );
    const body: readonly unknown[] = Array.isArray(given) ? given : [given];
    refuseMissing(edits, edited, (index) => (Array.isArray(given) ? `[${index}].` : ""));
    await recordChanges(
      db,
      edits.map(({ resourceId }, index) => ({
        ...by,
        action: "update" as const,
        kind: "mention",
        thingId: resourceId,
        before: null,
        after: body[index] as object,
      })),
    );
    const updated = new Map(edited.map((mention) => [keyOf(mention), mention.updated]));
    return [...byKey].map(([key, [first]]) => ({
      resourceId: first?.resourceId,
      queryId: first?.queryId,
      updated: wireTime(updated.get(key) ?? at),
    }));
  });
}

function keyOf({ queryId, resourceId }: MentionKey): string {
  return `${queryId} ${resourceId}`;
}

function refuseMissing(
  edits: readonly MentionEdit[],
  edited: readonly MentionKey[],
  at: (index: number) => string,
): void {
  const found = new Set(edited.map(keyOf));
  const missing = edits.flatMap((edit, index) =>
    found.has(keyOf(edit))
      ? []
      : [`${at(index)}resourceId: query ${edit.queryId} has no mention ${JSON.stringify(edit.resourceId)}.`],
  );
  if (missing.length > 0) throw invalidRequest(...missing.slice(0, 100));
}
