import { invalidRequest } from "../parameters/api-error.ts";
import { type BodyReader, createBodyReader, idOf, quote } from "../parameters/body-reader.ts";
import type { UnknownParameters } from "../parameters/parameter-reader.ts";
import type { CurrentMention, MentionKey } from "../store/current-mentions.ts";
import { type ChangeScope, changesOf, readChangeSet } from "./change-set.ts";
import { type MentionChanges, withJudgements } from "./mention-changes.ts";

/** The requested changes of one mention. Some depend on its present values. */
export interface MentionEdit extends MentionKey {
  changesOf(mention: Pick<CurrentMention, "fields">): MentionChanges;
}

interface EditScope extends ChangeScope {
  readonly queryIds: ReadonlySet<number>;
}

/** More in one call fail at the live service. */
const MAX_EDITS = 1_000;
const MOST_FAULTS = 100;

/**
 * Reads `[{queryId, resourceId, sentiment, addTag, …}]`, or one such object. Throws one 400 that names every fault by
 * its position in a list.
 */
export function readMentionEdits(
  given: unknown,
  scope: EditScope,
  unknown: UnknownParameters,
): readonly MentionEdit[] {
  const items = Array.isArray(given) ? given : [given];
  if (items.length > MAX_EDITS)
    throw invalidRequest(`body: expected at most ${MAX_EDITS} mentions in one call, got ${items.length}.`);
  const faults: string[] = [];
  const edits: MentionEdit[] = [];
  for (const [index, item] of items.entries()) {
    if (faults.length >= MOST_FAULTS) break;
    try {
      edits.push(readMentionEdit(createBodyReader(item, unknown), scope));
    } catch (error) {
      const at = Array.isArray(given) ? `[${index}].` : "";
      for (const fault of faultsOf(error)) faults.push(`${at}${fault}`);
    }
  }
  if (faults.length > 0) throw invalidRequest(...faults.slice(0, MOST_FAULTS));
  return edits;
}

function faultsOf(error: unknown): readonly string[] {
  const body = typeof error === "object" && error !== null && "body" in error ? error.body : undefined;
  if (typeof body !== "object" || body === null || !("errors" in body)) throw error;
  return (body.errors as readonly { message: string }[]).map(({ message }) => message);
}

export function readMentionEdit(body: BodyReader, scope: EditScope): MentionEdit {
  const queryId = idOf(body.body["queryId"]) ?? 0;
  if (!scope.queryIds.has(queryId))
    body.fault(`queryId: ${quote(body.body["queryId"])} is no query of this project.`);
  const resourceId = body.text("resourceId", 100);
  if (resourceId === undefined) body.fault("resourceId: required, that of the mention's record.");
  const set = readChangeSet(body, scope);
  body.accept("queryId", "date");
  body.finish("a mention that is changed");
  return {
    queryId,
    resourceId: resourceId ?? "",
    changesOf: (mention) => withJudgements(mention, changesOf(set, scope, mention)),
  };
}
