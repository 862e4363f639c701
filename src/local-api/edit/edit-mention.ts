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
import { applyChanges, type MentionChanges } from "./mention-changes.ts";

export interface EditedMention {
  readonly queryId: number;
  readonly resourceId: string;
  readonly version: number;
  readonly updated: Instant;
}

/**
 * Changes a mention in each of the queries that has it. Throws a `UserError` when none of the queries shows the
 * mention then.
 */
export function editMention(
  db: Database,
  which: { readonly queryIds: readonly number[]; readonly resourceId: string },
  changes: MentionChanges,
  at: Instant,
): Promise<EditedMention[]> {
  const { queryIds, resourceId } = which;
  return db.transaction().execute(async (transaction) => {
    const keys = queryIds.map((queryId) => ({ queryId, resourceId }));
    const edited = await editMentions(transaction, keys, () => [changes], at);
    if (edited.length > 0) return edited;
    throw new UserError(`There is no mention ${JSON.stringify(resourceId)} to edit.`, [
      "the resourceId is in the record of a mention; --project says where to look",
    ]);
  });
}

/**
 * Changes mentions, inside the caller's transaction: new versions take over at `at`, with `updated` moved there, so
 * that clients that page by `updated` find them. Mentions that are not shown then are missing from the result.
 */
export async function editMentions(
  transaction: Database,
  wanted: readonly MentionKey[],
  changesOf: (mention: CurrentMention) => readonly MentionChanges[],
  at: Instant,
): Promise<EditedMention[]> {
  const mentions = await takeCurrentMentions(transaction, wanted, at);
  const edits = mentions.map((mention) => ({
    mention,
    version: editedVersion(mention, changesOf(mention), at),
  }));
  await supersedeMentions(
    transaction,
    edits.map(({ mention, version }) => ({ mention, at: version.visibleAt })),
  );
  const versions = edits.map(({ version }) => version);
  await insertMentions(transaction, versions);
  return versions.map(({ record, version, updated }) => ({
    queryId: record.queryId,
    resourceId: record.resourceId,
    version,
    updated,
  }));
}

/** `updated` moves in any case, also for a mention whose clock runs ahead of ours. */
function editedVersion(
  mention: CurrentMention,
  changes: readonly MentionChanges[],
  at: Instant,
): MentionVersion {
  const updated = Math.max(at, mention.updated + 1);
  const start = { fields: mention.fields, tagIds: mention.tagIds };
  const { fields, tagIds } = changes.reduce((before, change) => {
    const after = applyChanges(before, change, wireTime(updated));
    return { fields: after.fields, tagIds: after.tagIds };
  }, start);
  const { queryId, resourceId, added } = mention;
  const record = mentionRecord({
    queryName: "",
    ...fields,
    queryId,
    resourceId,
    added: wireTime(added),
    updated: wireTime(updated),
  });
  return {
    version: mention.version + 1,
    record,
    date: record.date === null ? null : Date.parse(record.date),
    added,
    updated,
    visibleAt: at,
    supersededAt: null,
    backfilled: mention.backfilled,
    fullText: mention.fullText,
    tagIds,
    twitterLikeCount: mention.twitterLikeCount,
  };
}
