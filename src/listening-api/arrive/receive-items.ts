import type { Instant } from "../../lib/instant.ts";
import { type ProjectQueries, readProjectQueries } from "../assign/assign-queries.ts";
import { applyRules } from "../assign/project-rules.ts";
import { currentVersion } from "../edit/edit-mention.ts";
import { takeCurrentMentions } from "../store/current-mentions.ts";
import type { Database } from "../store/database.ts";
import { deleteMentions } from "../store/delete-things.ts";
import {
  dropUnseenDeletes,
  findHeard,
  findHolders,
  HEARD_TYPE,
  type HeardItem,
  lockHeardQuery,
  markSeen,
  type NewHeardItem,
  putHeard,
  putUnseenDeletes,
  queriesRevision,
} from "../store/heard-items.ts";
import { insertMentions } from "../store/insert-mentions.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { listQueries, lockQueries } from "../store/queries.ts";
import { beginWriting } from "../store/write-order.ts";
import { buryMentions, forgetTexts } from "./bury-mentions.ts";
import { decideItem, type ItemKeys } from "./decide-item.ts";
import {
  buryItems,
  type DeletedItem,
  itemsOfAuthors,
  type Provenance,
  type RemovedAuthor,
  withoutDeleted,
} from "./delete-items.ts";
import { readForgotten } from "./forget-requests.ts";
import { type ArrivedItem, matching, nextVersion, recordOf, storedVersion } from "./item-versions.ts";

/** What came in together. */
export interface ArrivedBatch {
  readonly arrived: readonly ArrivedItem[];
  readonly deleted: readonly DeletedItem[];
  readonly removedAuthors?: readonly RemovedAuthor[];
  /** Keys of accounts that are there again. Applied after the removals; deleted items stay deleted. */
  readonly restoredAuthors?: readonly string[];
}

export interface Received {
  /** New items, with those that match no query. */
  readonly added: number;
  readonly edited: number;
  readonly deleted: number;
  /** Of the new and edited items, those that a query matched. */
  readonly matched: number;
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

/** The queries of a project, compiled once for as long as they stay the same. */
export type QueryCache = Map<number, { readonly revision: string; readonly queries: ProjectQueries }>;

/**
 * Stores what a feed brought, inside the caller's transaction: new items as mentions of every query that they match,
 * changed ones as new versions, deleted ones as tombstones. Doing it again changes nothing. Every item is also in a
 * hidden query of the project, in which new queries look back.
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
): Promise<Received> {
  if (arrived.length + deleted.length + removedAuthors.length + restoredAuthors.length === 0)
    return { added: 0, edited: 0, deleted: 0, matched: 0 };
  const at = await beginWriting(db, [project.id], () => came);
  const heardId = await lockHeardQuery(db, project.id);
  const queries = await queriesOf(db, project.id, cache);
  const unseen = keeps === "matched" ? "forget soon" : "remember";
  const ofRemoved = await itemsOfAuthors(db, project.id, removedAuthors);
  const gone = await buryItems(db, project.id, from, [...ofRemoved, ...deleted], unseen, at);
  await putUnseenDeletes(
    db,
    project.id,
    removedAuthors.map(({ authorKey }) => authorKey),
  );
  if (restoredAuthors.length > 0) await dropUnseenDeletes(db, project.id, restoredAuthors);
  const items = await withoutDeleted(db, project.id, distinct(arrived), keeps);
  const known = await knownOf(db, project.id, items);
  const isForgotten = await readForgotten(db);
  const forgotten: string[] = [];
  const notes: NewHeardItem[] = [];
  const added: { readonly item: ArrivedItem; readonly found: readonly MentionVersion[] }[] = [];
  const edited: ArrivedItem[] = [];
  const note = (item: ArrivedItem, resourceId: string, deleteReason: string | null = null) =>
    notes.push({ ...from, ...item, resourceId, deleteReason });
  for (const item of items) {
    if (isForgotten?.(recordOf(item, at), item.line.date ?? at) === true) {
      const resourceId = known(item)[0]?.resourceId ?? item.idKey;
      note(item, resourceId, FORGOTTEN);
      forgotten.push(resourceId);
      continue;
    }
    const decision = decideItem(item, known(item), at);
    switch (decision.outcome) {
      case "new": {
        const found = matching(item, queries, at);
        if (found.length === 0 && keeps === "matched") break;
        added.push({ item, found });
        note(item, item.idKey);
        break;
      }
      case "edited":
        // A known id that stands for another one: the mention goes by the first.
        edited.push({ ...item, line: { ...item.line, id: decision.resourceId } });
        note(item, decision.resourceId);
        break;
      case "renamed":
        note(item, decision.resourceId);
        break;
      case "deleted":
        note(item, decision.resourceId, "its content was deleted before");
        break;
      case "same":
      case "waits":
        break;
      default:
        decision satisfies never;
    }
  }
  await putHeard(db, project.id, notes);
  await buryMentions(db, project.id, forgotten, { at, reason: FORGOTTEN });
  await markSeen(
    db,
    project.id,
    items.map(({ idKey }) => idKey),
  );
  // All at once: the steps below lock some of them each. An edit may be in any query, and enter any other.
  const touched = added.flatMap(({ found }) => found.map(({ record }) => record.queryId));
  const all = edited.length > 0 ? (await listQueries(db, project.id)).map(({ id }) => id) : touched;
  await lockQueries(db, [heardId, ...all]);
  const fresh = await insertNew(db, project, heardId, added, at);
  const changed = await replaceEdited(db, project, heardId, edited, queries, at);
  // What no query looks for is not worth a question.
  const judged = [...fresh.versions, ...changed.versions].filter(({ record }) => record.queryId !== heardId);
  await queue(db, judged);
  return {
    added: added.length,
    edited: edited.length,
    deleted: gone,
    matched: fresh.matched + changed.matched,
  };
}

const FORGOTTEN = "a person asked to forget it";

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
): Promise<(item: ItemKeys) => readonly HeardItem[]> {
  const rows = await findHeard(db, projectId, {
    ids: items.map(({ idKey }) => idKey),
    contents: items.flatMap(({ contentKey }) => (contentKey === null ? [] : [contentKey])),
  });
  const byId = new Map(rows.map((row) => [row.idKey, row]));
  // A tombstone among several of the same content counts.
  const byContent = new Map<string, HeardItem>();
  for (const row of rows)
    if (row.contentKey !== null && (row.isDeleted || !byContent.has(row.contentKey)))
      byContent.set(row.contentKey, row);
  return ({ idKey, contentKey }) =>
    [byId.get(idKey), contentKey === null ? undefined : byContent.get(contentKey)].filter(
      (row) => row !== undefined,
    );
}

/** The queries as they are now; compiled anew only when one has changed. */
export async function queriesOf(db: Database, projectId: number, cache: QueryCache): Promise<ProjectQueries> {
  const revision = await queriesRevision(db, projectId);
  const cached = cache.get(projectId);
  if (cached?.revision === revision) return cached.queries;
  const queries = await readProjectQueries(db, projectId);
  cache.set(projectId, { revision, queries });
  return queries;
}

interface Stored {
  /** Items that a query matched. */
  readonly matched: number;
  readonly versions: readonly MentionVersion[];
}

async function insertNew(
  db: Database,
  project: { readonly id: number; readonly timezone: string },
  heardId: number,
  items: readonly { readonly item: ArrivedItem; readonly found: readonly MentionVersion[] }[],
  at: Instant,
): Promise<Stored> {
  let matched = 0;
  const versions: MentionVersion[] = [];
  for (const { item, found } of items) {
    if (found.length > 0) matched++;
    versions.push(storedVersion(item, { id: heardId, name: HEARD_TYPE }, 0, at), ...found);
  }
  const labelled = await applyRules(db, project, versions);
  await insertMentions(db, labelled);
  return { matched, versions: labelled };
}

/** New versions take the place of all old ones: a text that its author changed is not kept. */
async function replaceEdited(
  db: Database,
  project: { readonly id: number; readonly timezone: string },
  heardId: number,
  items: readonly ArrivedItem[],
  queries: ProjectQueries,
  at: Instant,
): Promise<Stored> {
  if (items.length === 0) return { matched: 0, versions: [] };
  const byResource = new Map(items.map((item) => [item.line.id, item]));
  const queryIds = [heardId, ...(await listQueries(db, project.id)).map(({ id }) => id)];
  const holders = await findHolders(db, queryIds, [...byResource.keys()]);
  const current = await takeCurrentMentions(db, holders, at);
  const versions: MentionVersion[] = [];
  const earlier: (MentionVersion | undefined)[] = [];
  let matched = 0;
  for (const [resourceId, item] of byResource) {
    const before = current.filter((one) => one.resourceId === resourceId);
    const found = matching(item, queries, at);
    if (found.length > 0) matched++;
    for (const one of before) {
      const queryName = String(one.fields["queryName"] ?? "");
      const after =
        found.find(({ record }) => record.queryId === one.queryId) ??
        storedVersion(item, { id: one.queryId, name: queryName }, 0, at);
      earlier.push(currentVersion(one));
      versions.push(nextVersion(one, after, at));
    }
    // It may say a word now that another query looks for.
    const entering = found.filter(({ record }) => before.every(({ queryId }) => queryId !== record.queryId));
    earlier.push(...entering.map(() => undefined));
    versions.push(...entering);
  }
  const labelled = await applyRules(db, project, versions, { before: earlier });
  await forgetTexts(db, holders, labelled);
  await deleteMentions(db, { queryIds, resourceIds: [...byResource.keys()] });
  await insertMentions(db, labelled);
  return { matched, versions: labelled };
}
