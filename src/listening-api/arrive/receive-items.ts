import { yieldingLoop } from "../../lib/concurrency.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { Instant } from "../../lib/instant.ts";
import { type QueryCache, queriesOf } from "../assign/assign-queries.ts";
import { applyRules } from "../assign/project-rules.ts";
import { currentVersion } from "../edit/edit-mention.ts";
import { type CurrentMention, takeCurrentMentions } from "../store/current-mentions.ts";
import type { Database } from "../store/database.ts";
import { deleteMentions } from "../store/delete-things.ts";
import { insertMentions } from "../store/insert-mentions.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { listQueries, lockQueries } from "../store/queries.ts";
import {
  findHolders,
  findReceived,
  liftTombstones,
  lockReceivedQuery,
  markSeen,
  putReceived,
  type ReceivedItem,
  readArrivalTerms,
} from "../store/received-items.ts";
import { dropUnseenDeletes, putUnseenDeletes } from "../store/unseen-deletes.ts";
import { nextMoment } from "../store/write-order.ts";
import type { ItemKeys } from "./decide-item.ts";
import { decideItems, FORGOTTEN, type MatchedItem, sortDecided } from "./decide-items.ts";
import {
  type DeletedItem,
  deleteItems,
  itemsOfAuthors,
  type Provenance,
  type RemovedAuthor,
  withoutDeleted,
} from "./delete-items.ts";
import { readForgotten } from "./forget-requests.ts";
import { type ArrivedItem, nextVersion, storedVersion, withKept } from "./item-versions.ts";
import { namesOfToday, unsealItems } from "./sealed-items.ts";
import { forgetTexts, tombstoneMentions } from "./tombstone-mentions.ts";

/** What came in together. */
export interface ArrivedBatch {
  readonly arrived: readonly ArrivedItem[];
  readonly deleted: readonly DeletedItem[];
  readonly removedAuthors?: readonly RemovedAuthor[];
  /** Keys of accounts that are there again. Applied after the removals; deleted items stay deleted. */
  readonly restoredAuthors?: readonly string[];
}

export interface ReceiveResult {
  /** New items, with those that match no query. */
  readonly added: number;
  readonly edited: number;
  readonly deleted: number;
  /** Of the new items, those that a query matched: an edited one was counted when it came. */
  readonly matched: number;
}

export const NOTHING: ReceiveResult = { added: 0, edited: 0, deleted: 0, matched: 0 };

export function sumOf(a: ReceiveResult, b: ReceiveResult): ReceiveResult {
  return {
    added: a.added + b.added,
    edited: a.edited + b.edited,
    deleted: a.deleted + b.deleted,
    matched: a.matched + b.matched,
  };
}

interface ReceivedPart extends ReceiveResult {
  /** Items that did not fit into the transaction. Nothing was done with them. */
  readonly left: readonly ArrivedItem[];
  /** Items that were known before. */
  readonly known: number;
  /** Changes that wait, as their items have changed shortly before. Nothing remembers them. */
  readonly waiting: number;
}

/** What arriving items need besides the tables. */
export interface Arriving {
  readonly at: Instant;
  readonly cache: QueryCache;
  /** Notes the new and changed mentions of queries that somebody has still to judge, in the same transaction. */
  readonly queue: (transaction: Database, versions: readonly MentionVersion[]) => Promise<void>;
  /** Default: all. */
  readonly keeps?: "all" | "matched";
}

/**
 * Stores what a feed brought, inside the caller's transaction: new items as mentions of every query that they match,
 * changed ones as new versions, deleted ones as tombstones. Doing it again changes nothing. Every item is also in a
 * hidden query of the project, in which new queries look back.
 *
 * Where many texts match many queries, some items are left: the caller stores them in a further transaction. Other work
 * of the process runs meanwhile.
 *
 * `keeps: "matched"` is for streams of a whole network: only items that match a query are stored, and deletes of what
 * is not stored are remembered for two days only.
 */
export async function receiveItems(
  db: Database,
  project: { readonly id: number; readonly timezone: string },
  from: Provenance,
  { arrived, deleted, removedAuthors = [], restoredAuthors = [] }: ArrivedBatch,
  { at: came, cache, queue, keeps = "all" }: Arriving,
): Promise<ReceivedPart> {
  if (arrived.length + deleted.length + removedAuthors.length + restoredAuthors.length === 0)
    return { ...NOTHING, left: [], known: 0, waiting: 0 };
  const at = await nextMoment(db, [project.id], came);
  const terms = await readArrivalTerms(db, project.id);
  const receivedQueryId = terms.receivedQueryId ?? (await lockReceivedQuery(db, project.id));
  const queries = await queriesOf(db, project.id, cache, terms.revision);
  const gone = await applyDeletes(
    db,
    project.id,
    from,
    { deleted, removedAuthors, restoredAuthors },
    keeps,
    at,
  );
  const items = await withoutDeleted(db, project.id, distinct(arrived), keeps);
  const known = await knownOf(db, project.id, items);
  const isForgotten = terms.hasRequests ? await readForgotten(db) : null;
  const decided = await yieldingLoop(
    decideItems(items, { at, known, isForgotten, queries, receivedQueryId, keeps }),
  );
  const { notes, edited, forgotten, restored, ...sorted } = sortDecided(decided, from);
  const returned = await asTheyWere(db, project.id, restored);
  const added = [...sorted.added, ...returned];
  const lifted = restored.map(({ was }) => was);
  await liftTombstones(db, project.id, lifted);
  await putReceived(db, project.id, notes);
  await tombstoneMentions(db, project.id, forgotten, { at, reason: FORGOTTEN });
  const noted = new Set(notes.map(({ idKey }) => idKey));
  const taken = items.slice(0, decided.length).map(({ idKey }) => idKey);
  await markSeen(
    db,
    project.id,
    taken.filter((idKey) => !noted.has(idKey)),
  );
  // All at once: the steps below lock some of them each. An edit may be in any query, and enter any other.
  if (edited.length > 0)
    await lockQueries(db, [receivedQueryId, ...(await listQueries(db, project.id)).map(({ id }) => id)]);
  const arriving = added.flatMap(({ found }) => found);
  const before = [
    ...sorted.added.flatMap(({ found }) => found.map(() => undefined)),
    ...returned.flatMap(({ were }) => were),
  ];
  const fresh = terms.hasRules ? await applyRules(db, project, arriving, { before }) : arriving;
  await insertMentions(db, fresh);
  const changed = await replaceEdited(db, project, receivedQueryId, edited, at);
  // What no query looks for is not worth a question.
  const judged = [...fresh, ...changed].filter(({ record }) => record.queryId !== receivedQueryId);
  await queue(db, judged);
  const isMatched = ({ found }: MatchedItem) =>
    found.some(({ record }) => record.queryId !== receivedQueryId);
  return {
    added: added.length,
    edited: edited.length,
    deleted: gone,
    matched: added.filter(isMatched).length,
    known: decided.filter(({ decision }) => KNOWN.has(decision.outcome)).length,
    waiting: decided.filter(({ decision }) => decision.outcome === "Waits").length,
    left: items.slice(decided.length),
  };
}

/**
 * Deletes items, and all that is stored of accounts that are gone; gives how many mentions that were. Deletes of what is not
 * stored are remembered, because the item may still come.
 */
async function applyDeletes(
  db: Database,
  projectId: number,
  from: Provenance,
  { deleted, removedAuthors = [], restoredAuthors = [] }: Omit<ArrivedBatch, "arrived">,
  keeps: "all" | "matched",
  at: Instant,
): Promise<number> {
  const unseen = keeps === "matched" ? "forget soon" : "remember";
  const ofRemoved = await itemsOfAuthors(db, projectId, removedAuthors);
  const gone = await deleteItems(db, projectId, from, [...ofRemoved, ...deleted], unseen, at);
  await putUnseenDeletes(
    db,
    projectId,
    removedAuthors.map(({ authorKey }) => authorKey),
  );
  if (restoredAuthors.length > 0) await dropUnseenDeletes(db, projectId, restoredAuthors);
  return gone;
}

/**
 * Items that are back say what their feed says now; what people and rules did to them was sealed. `were`: each of the
 * `found` as it was sealed.
 */
async function asTheyWere(
  db: Database,
  projectId: number,
  restored: readonly (MatchedItem & { readonly was: string })[],
): Promise<(MatchedItem & { readonly were: readonly (MentionVersion | undefined)[] })[]> {
  if (restored.length === 0) return [];
  const asNow = await namesOfToday(db, projectId);
  const sealed = new Map<string, CurrentMention>();
  for await (const { resourceId, mentions } of unsealItems(db, {
    projectId,
    resourceIds: restored.map(({ was }) => was),
  }))
    for (const mention of mentions) sealed.set(`${mention.queryId} ${resourceId}`, asNow(mention));
  return restored.map(({ item, found, was }) => {
    const were = found.map(({ record }) => sealed.get(`${record.queryId} ${was}`));
    return {
      item,
      found: found.map((version, place) => {
        const before = were[place];
        return before === undefined ? version : withKept(before, version);
      }),
      were: were.map((before) => before && currentVersion(before)),
    };
  });
}

const KNOWN: ReadonlySet<string> = new Set(["Same", "Renamed", "Edited", "Waits", "Deleted"]);

/** A document may have an item twice: the first counts, as readers of feeds do it. */
function distinct(items: readonly ArrivedItem[]): ArrivedItem[] {
  const ids = new Set<string>();
  const contents = new Set<string>();
  return items.filter(({ idKey, contentKey }) => {
    if (ids.has(idKey) || (contentKey !== null && contents.has(contentKey))) return false;
    ids.add(idKey);
    if (contentKey !== null) contents.add(contentKey);
    return true;
  });
}

async function knownOf(
  db: Database,
  projectId: number,
  items: readonly ArrivedItem[],
): Promise<(item: ItemKeys) => readonly ReceivedItem[]> {
  const rows = await findReceived(db, projectId, {
    ids: items.map(({ idKey }) => idKey),
    contents: items.flatMap(({ contentKey }) => contentKey ?? []),
    links: items.flatMap(({ linkKey }) => linkKey ?? []),
  });
  const byId = new Map(rows.map((row) => [row.idKey, row]));
  // A tombstone among several of the same content counts.
  const byContent = new Map<string, ReceivedItem>();
  for (const row of rows)
    if (row.contentKey !== null && (row.isDeleted || !byContent.has(row.contentKey)))
      byContent.set(row.contentKey, row);
  const byLink = new Map<string, ReceivedItem>();
  for (const row of rows)
    if (row.linkKey != null && (row.isDeleted || !byLink.has(row.linkKey))) byLink.set(row.linkKey, row);
  return ({ idKey, contentKey, linkKey = null }) => {
    const found = [byId.get(idKey), byContent.get(contentKey ?? ""), byLink.get(linkKey ?? "")];
    return [...new Set(found)].filter((row) => row !== undefined);
  };
}

/** New versions take the place of all old ones: a text that its author changed is not kept. */
async function replaceEdited(
  db: Database,
  project: { readonly id: number; readonly timezone: string },
  receivedQueryId: number,
  items: readonly MatchedItem[],
  at: Instant,
): Promise<readonly MentionVersion[]> {
  if (items.length === 0) return [];
  const byResource = new Map(items.map((one) => [one.item.line.id, one]));
  const queryIds = [receivedQueryId, ...(await listQueries(db, project.id)).map(({ id }) => id)];
  const holders = await findHolders(db, queryIds, [...byResource.keys()]);
  const current = groupBy(await takeCurrentMentions(db, holders, at), ({ resourceId }) => resourceId);
  /** Of each new version the one before it; undefined where it enters a query. */
  const earlier: (MentionVersion | undefined)[] = [];
  const versions = await yieldingLoop(
    (function* () {
      const next: MentionVersion[] = [];
      for (const [resourceId, { item, found }] of byResource) {
        const before = current.get(resourceId) ?? [];
        for (const one of before) {
          yield;
          const queryName = String(one.fields["queryName"] ?? "");
          const after =
            found.find(({ record }) => record.queryId === one.queryId) ??
            storedVersion(item, { id: one.queryId, name: queryName }, 0, at);
          earlier.push(currentVersion(one));
          next.push(nextVersion(one, after, at));
        }
        // It may say a word now that another query looks for.
        const known = new Set([receivedQueryId, ...before.map(({ queryId }) => queryId)]);
        const entering = found.filter(({ record }) => !known.has(record.queryId));
        earlier.push(...entering.map(() => undefined));
        next.push(...entering);
      }
      return next;
    })(),
  );
  const labelled = await applyRules(db, project, versions, { before: earlier });
  await forgetTexts(db, holders, labelled);
  await deleteMentions(db, { queryIds, resourceIds: [...byResource.keys()] });
  await insertMentions(db, labelled);
  return labelled;
}
