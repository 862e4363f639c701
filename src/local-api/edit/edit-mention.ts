import { UserError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { mentionRecord } from "../records/mention-record.ts";
import { wireTime } from "../records/wire-time.ts";
import { type CurrentMention, supersedeMention, takeCurrentMentions } from "../store/current-mentions.ts";
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
 * Changes a mention in each of the queries that has it: a new version takes over at `at`, with `updated` moved there,
 * and a walk by `updated` finds it. Throws a `UserError` when none of the queries shows the mention then.
 */
export function editMention(
  db: Database,
  which: { readonly queryIds: readonly number[]; readonly resourceId: string },
  changes: MentionChanges,
  at: Instant,
): Promise<EditedMention[]> {
  return db.transaction().execute(async (transaction) => {
    const mentions = await takeCurrentMentions(transaction, { ...which, at });
    if (mentions.length === 0)
      throw new UserError(`There is no mention ${JSON.stringify(which.resourceId)} to edit.`, [
        "the resourceId stands in the record of a mention; --project says where to look",
      ]);
    const versions = mentions.map((mention) => editedVersion(mention, changes, at));
    for (const [index, mention] of mentions.entries())
      await supersedeMention(transaction, mention, versions[index]?.visibleAt ?? at);
    await insertMentions(transaction, versions);
    return versions.map(({ record, version, updated }) => ({
      queryId: record.queryId,
      resourceId: record.resourceId,
      version,
      updated,
    }));
  });
}

/** `updated` moves in any case, also for a mention whose clock runs ahead of ours. */
function editedVersion(mention: CurrentMention, changes: MentionChanges, at: Instant): MentionVersion {
  const updated = Math.max(at, mention.updated + 1);
  const { fields, tagIds } = applyChanges(mention, changes, wireTime(updated));
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
