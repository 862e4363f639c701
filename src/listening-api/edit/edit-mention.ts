import { isDeepStrictEqual } from "node:util";
import { yieldingLoop } from "../../lib/concurrency.ts";
import { UserError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { mentionRecord } from "../records/mention-record.ts";
import { wireTime } from "../records/wire.ts";
import {
  type CurrentMention,
  type MentionKey,
  supersedeMentions,
  takeCurrentMentions,
} from "../store/current-mentions.ts";
import type { Database } from "../store/database.ts";
import { insertMentions } from "../store/insert-mentions.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { lockQueries } from "../store/queries.ts";
import { beginWriting, lockWriting } from "../store/write-order.ts";
import { applyChanges, type MentionChanges } from "./mention-changes.ts";

export interface EditedMention {
  readonly queryId: number;
  readonly resourceId: string;
  readonly version: number;
  readonly updated: Instant;
  /** False: the changes left it as it was. */
  readonly isChanged: boolean;
}

/** A clock: the edit is the newest that was written. A moment: it takes over then, in whatever order. */
export type EditMoment = Instant | (() => Instant);

/**
 * Changes a mention in each of the queries that has it. Throws a `UserError` when none of the queries shows the
 * mention then.
 */
export function editMention(
  db: Database,
  which: { readonly projectId: number; readonly queryIds: readonly number[]; readonly resourceId: string },
  changes: MentionChanges,
  when: EditMoment,
): Promise<EditedMention[]> {
  const { projectId, queryIds, resourceId } = which;
  return db.transaction().execute(async (transaction) => {
    if (typeof when === "number") await lockWriting(transaction, [projectId]);
    const at = typeof when === "number" ? when : await beginWriting(transaction, [projectId], when);
    const keys = queryIds.map((queryId) => ({ queryId, resourceId }));
    const edited = await editMentions(transaction, keys, () => [changes], at);
    if (edited.length > 0) return edited;
    throw new UserError(`There is no mention ${JSON.stringify(resourceId)} to edit.`, [
      "the resourceId is in the record of a mention; --project says where to look",
    ]);
  });
}

/**
 * Changes mentions, inside the caller's transaction, which has begun to write at `at`: new versions take over then, with
 * `updated` moved there, so that clients that page by `updated` find them. A mention that the changes leave as it is
 * gets no version. Mentions that are not shown then, or are deleted, are missing from the result.
 */
export async function editMentions(
  transaction: Database,
  keys: readonly MentionKey[],
  changesOf: (mention: CurrentMention) => Iterable<MentionChanges>,
  at: Instant,
): Promise<EditedMention[]> {
  await lockQueries(transaction, [...new Set(keys.map(({ queryId }) => queryId))]);
  const results: EditedMention[] = [];
  for (let from = 0; from < keys.length; from += AT_A_TIME) {
    const mentions = await takeCurrentMentions(transaction, keys.slice(from, from + AT_A_TIME), at);
    const edits: { mention: CurrentMention; version: MentionVersion }[] = [];
    for (const mention of mentions) {
      if (mention.fields["resourceType"] === "deleted") continue;
      const version = await yieldingLoop(editedVersion(mention, changesOf(mention), at));
      if (version !== undefined) edits.push({ mention, version });
      results.push({
        queryId: mention.queryId,
        resourceId: mention.resourceId,
        version: version?.version ?? mention.version,
        updated: version?.updated ?? mention.updated,
        isChanged: version !== undefined,
      });
    }
    await supersedeMentions(
      transaction,
      edits.map(({ mention, version }) => ({ mention, at: version.visibleAt })),
    );
    await insertMentions(
      transaction,
      edits.map(({ version }) => version),
    );
  }
  return results;
}

/** Mentions between which the server handles other requests: each is read, changed and written whole. */
const AT_A_TIME = 50;

/**
 * `updated` moves also for a mention whose clock runs ahead of ours. Undefined: nothing changes. A step for each change,
 * because a call may change one mention a thousand times.
 */
function* editedVersion(
  mention: CurrentMention,
  changes: Iterable<MentionChanges>,
  at: Instant,
): Generator<void, MentionVersion | undefined> {
  const updated = Math.max(at, mention.updated + 1);
  const start = { fields: mention.fields, tagIds: mention.tagIds };
  let edited: Pick<CurrentMention, "fields" | "tagIds"> = start;
  for (const change of changes) {
    edited = applyChanges(edited, change, wireTime(updated));
    yield;
  }
  const { fields, tagIds } = edited;
  if (isDeepStrictEqual({ fields, tagIds }, start)) return undefined;
  return currentVersion(
    { ...mention, fields, tagIds, version: mention.version + 1, updated },
    { visibleAt: at },
  );
}

/** As it is stored. */
export function currentVersion(
  { queryId, resourceId, added, updated, fields, ...mention }: CurrentMention,
  { visibleAt }: { readonly visibleAt: Instant } = { visibleAt: added },
): MentionVersion {
  const record = mentionRecord({
    queryName: "",
    ...fields,
    queryId,
    resourceId,
    added: wireTime(added),
    updated: wireTime(updated),
  });
  return {
    version: mention.version,
    record,
    date: record.date === null ? null : Date.parse(record.date),
    added,
    updated,
    visibleAt,
    supersededAt: null,
    backfilled: mention.backfilled,
    fullText: mention.fullText,
    tagIds: mention.tagIds,
    twitterLikeCount: mention.twitterLikeCount,
  };
}
