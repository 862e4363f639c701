import type { FastifyInstance, FastifyRequest } from "fastify";
import { groupBy } from "../../lib/group-by.ts";
import { editMentions } from "../edit/edit-mention.ts";
import { editScope, type MentionEdit, readMentionEdits } from "../edit/read-mention-edits.ts";
import { invalidRequest } from "../http/api-error.ts";
import { callerOf } from "../http/authenticate.ts";
import { parametersOf, unknownTo } from "../http/unknown-parameters.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import type { RawParameters } from "../parameters/parameter-reader.ts";
import { wireTime } from "../records/wire.ts";
import { listUsernames } from "../store/account-lists.ts";
import { recordChanges } from "../store/changes.ts";
import type { MentionKey } from "../store/current-mentions.ts";
import { listCategories, listTags } from "../store/labels.ts";
import { listQueries } from "../store/queries.ts";
import { beginWriting } from "../store/write-order.ts";
import { projectOf } from "./project-request.ts";

interface InProject {
  Params: { projectId: string };
  Querystring: RawParameters;
}

const LARGEST_BODY = 2 * 1024 * 1024;

/**
 * PATCH (or POST) /projects/:projectId/data/mentions: changes up to a thousand mentions, all of them or none. Each
 * gets a new version whose `updated` is now. Answers what was changed, in the order of the call.
 */
export function mentionEditRoutes(app: FastifyInstance, context: LocalApiContext): void {
  app.route<InProject>({
    method: ["PATCH", "POST"],
    url: "/projects/:projectId/data/mentions",
    bodyLimit: LARGEST_BODY,
    handler: (request) => edit(context, request),
  });
}

async function edit(context: LocalApiContext, request: FastifyRequest<InProject>) {
  const { db, clock } = context;
  const project = await projectOf(context, request);
  parametersOf(request).finish();
  const { client, user } = callerOf(request);
  const scope = editScope({
    queryIds: (await listQueries(db, project.id)).map(({ id }) => id),
    categories: await listCategories(db, project.id),
    tags: await listTags(db, project.id),
    usernames: await listUsernames(db, client.id),
  });
  const edits = readMentionEdits(request.body, scope, unknownTo(request));
  const by = { clientId: client.id, userId: user.id, username: user.username, projectId: project.id };
  return db.transaction().execute(async (transaction) => {
    const at = await beginWriting(transaction, [project.id], clock.now);
    const wanted = groupBy(edits, keyOf);
    const edited = await editMentions(
      transaction,
      [...wanted.values()].flatMap(([first]) => first ?? []),
      (mention) => (wanted.get(keyOf(mention)) ?? []).map(({ changesOf }) => changesOf(mention)),
      at,
    );
    refuseMissing(edits, edited);
    const body: readonly unknown[] = Array.isArray(request.body) ? request.body : [request.body];
    await recordChanges(
      transaction,
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
    return [...wanted].map(([key, [first]]) => ({
      resourceId: first?.resourceId,
      queryId: first?.queryId,
      updated: wireTime(updated.get(key) ?? at),
    }));
  });
}

function keyOf({ queryId, resourceId }: MentionKey): string {
  return `${queryId} ${resourceId}`;
}

function refuseMissing(edits: readonly MentionEdit[], edited: readonly MentionKey[]): void {
  const found = new Set(edited.map(keyOf));
  const missing = edits.flatMap((edit, index) =>
    found.has(keyOf(edit))
      ? []
      : [`[${index}].resourceId: query ${edit.queryId} has no mention ${JSON.stringify(edit.resourceId)}.`],
  );
  if (missing.length > 0) throw invalidRequest(...missing.slice(0, 100));
}
