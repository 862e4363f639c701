import type { Instant } from "../../lib/instant.ts";
import {
  assignQueries,
  type ProjectQueries,
  readProjectQueries,
  withMatchPositions,
} from "../assign/assign-queries.ts";
import { labelArriving } from "../assign/label-rules.ts";
import type { ImportLine } from "../import/import-line.ts";
import { importedMention } from "../import/imported-mention.ts";
import { judgeable } from "../records/judgement.ts";
import type { MentionRecord } from "../records/mention-record.ts";
import { excerptOf } from "../records/mention-text.ts";
import { wireTime } from "../records/wire.ts";
import { type CurrentMention, takeCurrentMentions } from "../store/current-mentions.ts";
import type { Database } from "../store/database.ts";
import { deleteMentions } from "../store/delete-things.ts";
import {
  dropUnseenDeletes,
  findHeard,
  findHolders,
  findOfAuthors,
  findUnseenDeletes,
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
import { listQueries } from "../store/queries.ts";
import { buryMentions, forgetTexts } from "./bury-mentions.ts";
import { decideItem, type ItemKeys } from "./decide-item.ts";
import { readForgotten } from "./forget-requests.ts";

/** An item of a feed that came in. */
export interface ArrivedItem extends ItemKeys {
  readonly nativeId: string;
  /** With the whole text, which queries see. Its id is `idKey`, which becomes the id of the mention. */
  readonly line: ImportLine;
  /** How its source is asked for it again, where that is not by its id. */
  readonly reference?: string | null;
  /** How much of the text may be stored, in UTF-16 code units; null: all of it. */
  readonly storedCharacters: number | null;
  /** Hash of the account that wrote it, by which a removal of the account finds it. */
  readonly authorKey?: string;
}

/** An item that was deleted where it stood. */
export interface DeletedItem {
  readonly idKey: string;
  readonly nativeId: string;
  readonly reason: string;
}

/** An account that is gone, with everything that it wrote. */
export interface RemovedAuthor {
  readonly authorKey: string;
  readonly reason: string;
}

/** What came in together. */
export interface ArrivedBatch {
  readonly arrived: readonly ArrivedItem[];
  readonly deleted: readonly DeletedItem[];
  readonly removedAuthors?: readonly RemovedAuthor[];
  /** Keys of accounts that are there again. Applied after the removals; deleted items stay deleted. */
  readonly restoredAuthors?: readonly string[];
}

/** Where items come from: what an audit asks. */
export interface Provenance {
  readonly kind: string;
  readonly feedKey: string;
  readonly host: string;
  readonly policyVersion: number;
  /** Until a new item is asked for again, in milliseconds. Default: never. */
  readonly checkInMs?: number | null;
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
  { at, cache, queue, keeps = "all" }: Arriving,
): Promise<Received> {
  if (arrived.length + deleted.length + removedAuthors.length + restoredAuthors.length === 0)
    return { added: 0, edited: 0, deleted: 0, matched: 0 };
  const heardId = await lockHeardQuery(db, project.id);
  const queries = await queriesOf(db, project.id, cache);
  const unseen = keeps === "matched" ? "forget soon" : "remember";
  const ofRemoved = await itemsOf(db, project.id, removedAuthors);
  const gone = await bury(db, project.id, from, [...ofRemoved, ...deleted], unseen, at);
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

function recordOf({ line }: ArrivedItem, at: Instant): MentionRecord {
  return importedMention(arriving({ ...line, text: "" }, at), { id: 0, name: "" }, NO_LABELS).record;
}

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

/** Everything that is stored of removed accounts. */
async function itemsOf(
  db: Database,
  projectId: number,
  removed: readonly RemovedAuthor[],
): Promise<DeletedItem[]> {
  if (removed.length === 0) return [];
  const reasons = new Map(removed.map(({ authorKey, reason }) => [authorKey, reason]));
  const found = await findOfAuthors(db, projectId, [...reasons.keys()]);
  return found.map(({ idKey, nativeId, authorKey }) => ({
    ...{ idKey, nativeId, reason: reasons.get(authorKey) ?? "its account was removed" },
  }));
}

/** Without items that were deleted, or whose account was removed, before they came. */
async function withoutDeleted(
  db: Database,
  projectId: number,
  items: readonly ArrivedItem[],
  keeps: "all" | "matched",
): Promise<readonly ArrivedItem[]> {
  if (keeps === "all" || items.length === 0) return items;
  const keys = items.flatMap(({ idKey, authorKey }) => [idKey, authorKey ?? idKey]);
  const gone = await findUnseenDeletes(db, projectId, keys);
  return items.filter(({ idKey, authorKey }) => !gone.has(idKey) && !gone.has(authorKey ?? idKey));
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
  const labelled = await labelArriving(db, project, versions);
  await insertMentions(db, labelled);
  return { matched, versions: labelled };
}

/** The item in every query that its whole text matches, with as much of it as may be stored. */
function matching(item: ArrivedItem, queries: ProjectQueries, at: Instant): MentionVersion[] {
  const whole = importedMention(arriving(item.line, at), { id: 0, name: "" }, NO_LABELS);
  return assignQueries(whole, queries).map((version) => {
    const { queryId: id, queryName: name, matchPositions } = version.record;
    if (isStoredWhole(item)) return version;
    const from = Math.min(...matchPositions.map(startOf), Number.POSITIVE_INFINITY);
    return withMatchPositions(storedVersion(item, { id, name }, from, at), queries);
  });
}

const NO_LABELS = { categories: [], tags: [] };

function isStoredWhole({ line, storedCharacters }: ArrivedItem): boolean {
  return storedCharacters === null || line.text.length <= storedCharacters;
}

function startOf(position: object): number {
  const start: unknown = Reflect.get(position, "start");
  return typeof start === "number" ? start : Number.POSITIVE_INFINITY;
}

/** Enough to understand what is said about a word. */
const BEFORE_MATCH = 200;

/** The part of the text around its first match, which is what a reader looks for. */
function storedVersion(
  item: ArrivedItem,
  query: { readonly id: number; readonly name: string },
  matchAt: number,
  at: Instant,
): MentionVersion {
  const { line, storedCharacters: most } = item;
  if (most === null || isStoredWhole(item)) return importedMention(arriving(line, at), query, NO_LABELS);
  const isFar = Number.isFinite(matchAt) && matchAt > most - BEFORE_MATCH;
  const from = isFar ? Math.max(0, matchAt - BEFORE_MATCH) : 0;
  const rest = (from > 0 ? "…" : "") + line.text.slice(from);
  const text = rest.length > most ? `${excerptOf(rest, most - 1)}…` : rest;
  return importedMention(arriving({ ...line, text }, at), query, NO_LABELS);
}

/** Whatever its own date is, it arrives now. */
function arriving(line: ImportLine, at: Instant): ImportLine {
  return { ...line, added: at, updated: at };
}

/** What people and rules did to a mention, and a text that changes does not undo. */
const KEPT_FIELDS = [
  ...["tags", "categories", "categoryDetails", "assignment", "lastAssignmentDate"],
  ...["priority", "status", "checked", "starred"],
] as const;

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
      versions.push(nextVersion(one, after, at));
    }
    // It may say a word now that another query looks for.
    versions.push(...found.filter(({ record }) => before.every(({ queryId }) => queryId !== record.queryId)));
  }
  const labelled = await labelArriving(db, project, versions);
  await forgetTexts(db, holders, labelled);
  await deleteMentions(db, { queryIds, resourceIds: [...byResource.keys()] });
  await insertMentions(db, labelled);
  return { matched, versions: labelled };
}

/** Visible from its arrival on, so that whoever reads the mentions of that time finds what it says now. */
function nextVersion(before: CurrentMention, after: MentionVersion, at: Instant): MentionVersion {
  const updated = Math.max(at, before.updated + 1);
  const kept = Object.fromEntries(
    KEPT_FIELDS.filter((name) => before.fields[name] !== undefined).map((name) => [
      name,
      before.fields[name],
    ]),
  ) as Partial<MentionRecord>;
  // What a person or the source said of it stays; an analyser judges the new text anew.
  const said = judgeable(before.fields) ? {} : { sentiment: before.fields["sentiment"] as string };
  const times = { added: wireTime(before.added), updated: wireTime(updated) };
  return {
    ...after,
    version: before.version + 1,
    record: { ...after.record, ...kept, ...said, ...times },
    added: before.added,
    updated,
    visibleAt: before.added,
    backfilled: before.backfilled,
    tagIds: before.tagIds,
  };
}

/** Remembers the ids of deleted items, also of those that never came, and buries their mentions. */
async function bury(
  db: Database,
  projectId: number,
  from: Provenance,
  deleted: readonly DeletedItem[],
  unseen: "remember" | "forget soon",
  at: Instant,
): Promise<number> {
  if (deleted.length === 0) return 0;
  const items = [...new Map(deleted.map((one) => [one.idKey, one])).values()];
  const ids = items.map(({ idKey }) => idKey);
  const known = new Map(
    (await findHeard(db, projectId, { ids, contents: [] })).map((row) => [row.idKey, row]),
  );
  const isStored = ({ idKey }: DeletedItem) => known.has(idKey);
  const isKept = unseen === "remember" ? () => true : isStored;
  const fresh = items.filter((one) => isKept(one) && known.get(one.idKey)?.isDeleted !== true);
  if (unseen === "forget soon") {
    const others = items.filter((one) => !isStored(one));
    await putUnseenDeletes(
      db,
      projectId,
      others.map(({ idKey }) => idKey),
    );
  }
  await putHeard(
    db,
    projectId,
    fresh.map(({ idKey, nativeId, reason }) => ({
      ...{ ...from, idKey, nativeId, contentKey: null, deleteReason: reason },
      resourceId: known.get(idKey)?.resourceId ?? idKey,
    })),
  );
  const resourceIds = fresh.flatMap(({ idKey }) => known.get(idKey)?.resourceId ?? []);
  await buryMentions(db, projectId, resourceIds, { at, reason: "another id of it was deleted" });
  return resourceIds.length;
}
