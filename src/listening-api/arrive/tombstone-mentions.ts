import type { Instant } from "../../lib/instant.ts";
import { currentVersion } from "../edit/edit-mention.ts";
import { mentionRecord } from "../records/mention-record.ts";
import { textForAnalyser } from "../records/mention-text.ts";
import { wireTime } from "../records/wire.ts";
import {
  type CurrentMention,
  type MentionKey,
  readAllVersions,
  takeCurrentMentions,
} from "../store/current-mentions.ts";
import type { Database } from "../store/database.ts";
import { deleteMentions } from "../store/delete-things.ts";
import { endEnrichment, forgetAnswers, hasAnswers } from "../store/enrichment.ts";
import { insertMentions } from "../store/insert-mentions.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { listQueries, lockQueries } from "../store/queries.ts";
import { deleteReceived, findHolders, receivedQuery } from "../store/received-items.ts";
import { beginWriting } from "../store/write-order.ts";

/**
 * Removes the content of mentions everywhere in these tables, inside the caller's transaction: all versions, and what
 * analysers answered to their texts. Their items become tombstones under every id that they are known by, so that no
 * feed brings them back. In each query a version without content stays, of the type `deleted`, so that clients learn of
 * it when they ask for changed mentions. Doing it again changes nothing. Gives how many mentions of queries had content.
 *
 * @param seals its content was sealed (`sealItems`), so that this can be undone; else what was sealed before goes, too
 */
export async function tombstoneMentions(
  db: Database,
  projectId: number,
  resourceIds: readonly string[],
  { at, reason, seals = false }: { readonly at: Instant; readonly reason: string; readonly seals?: boolean },
): Promise<number> {
  if (resourceIds.length === 0) return 0;
  const writtenAt = await beginWriting(db, [projectId], () => at);
  const receivedQueryId = await receivedQuery(db, projectId);
  const own = (await listQueries(db, projectId)).map(({ id }) => id);
  const queryIds = receivedQueryId === null ? own : [receivedQueryId, ...own];
  await lockQueries(db, queryIds);
  await deleteReceived(db, projectId, resourceIds, { reason, seals });
  // Some at a time: an account that is gone may have written a hundred thousand.
  const atOnce = Math.ceil(MENTIONS_AT_ONCE / queryIds.length);
  let emptied = 0;
  for (let from = 0; from < resourceIds.length; from += atOnce) {
    const holders = await findHolders(db, queryIds, resourceIds.slice(from, from + atOnce));
    await forgetTexts(db, holders, []);
    emptied += await emptyMentions(db, holders, writtenAt, receivedQueryId);
  }
  return emptied;
}

/**
 * The same for mentions of one query: what others have of them stays. Inside the caller's transaction, which has begun to
 * write at `at`. Nothing stays in the query of what feeds have stored.
 */
export async function emptyMentions(
  db: Database,
  holders: readonly MentionKey[],
  at: Instant,
  receivedQueryId: number | null = null,
): Promise<number> {
  const current = await takeCurrentMentions(db, holders, at);
  await endEnrichment(db, holders);
  await deleteMentions(db, {
    queryIds: [...new Set(holders.map(({ queryId }) => queryId))],
    resourceIds: [...new Set(holders.map(({ resourceId }) => resourceId))],
  });
  const shown = current.filter(({ queryId }) => queryId !== receivedQueryId);
  const isEmpty = ({ fields }: CurrentMention) => fields["resourceType"] === "deleted";
  await insertMentions(
    db,
    shown.map((mention) => (isEmpty(mention) ? currentVersion(mention) : withoutContent(mention, at))),
  );
  const known = holders.filter(({ queryId }) => queryId !== receivedQueryId);
  return known.length - shown.filter(isEmpty).length;
}

/** Whose texts are in memory together. */
const MENTIONS_AT_ONCE = 500;

/** Forgets what analysers answered to the texts of all versions of these mentions, but for texts that they still have. */
export async function forgetTexts(
  db: Database,
  mentions: readonly { readonly queryId: number; readonly resourceId: string }[],
  kept: readonly Pick<MentionVersion, "record" | "fullText">[],
): Promise<void> {
  // Without an analyser, which is usual, nobody has answered anything.
  if (!(await hasAnswers(db))) return;
  const still = new Set(kept.map(({ record, fullText }) => textForAnalyser({ fields: record, fullText })));
  const texts = new Set((await readAllVersions(db, mentions)).map(textForAnalyser));
  await forgetAnswers(
    db,
    [...texts].filter((text) => !still.has(text)),
  );
}

/** Identity and times, and nothing of what it said or who said it. */
function withoutContent(mention: CurrentMention, at: Instant): MentionVersion {
  const { fields, queryId, resourceId, added } = mention;
  const updated = Math.max(at, mention.updated + 1);
  const text = (name: string) => (typeof fields[name] === "string" ? String(fields[name]) : null);
  const record = mentionRecord({
    ...{ resourceId, queryId, queryName: text("queryName") ?? "", resourceType: "deleted" },
    ...{ added: wireTime(added), updated: wireTime(updated), date: text("date") },
    ...{ pageType: text("pageType"), pageTypeName: text("pageTypeName"), gender: "unknown" },
  });
  return {
    ...{ version: mention.version + 1, record, added, updated, visibleAt: added, supersededAt: null },
    date: record.date === null ? null : Date.parse(record.date),
    backfilled: mention.backfilled,
    fullText: null,
  };
}
