import { sql } from "kysely";
import { type Instant, toIso } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Database } from "./database.ts";

/** One write through the API. */
export interface Change {
  readonly clientId: number;
  readonly userId: number;
  readonly username: string;
  readonly projectId: number;
  readonly action: "create" | "update" | "delete";
  /** `query`, `tag`, `mention` … */
  readonly kind: string;
  readonly thingId: string;
  /** As the API showed it; null before it was made. */
  readonly before: object | null;
  /** Null once it is deleted. */
  readonly after: object | null;
}

/** Inside the transaction of the change itself: what was changed is noted, and nothing else is. Gives the ids, in their order. */
export async function recordChanges(db: Database, changes: readonly Change[]): Promise<readonly number[]> {
  if (changes.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    insert into local_api.change (client_id, user_id, username, project_id, action, kind, thing_id, before, after)
    select (c->>'clientId')::bigint, (c->>'userId')::bigint, c->>'username', (c->>'projectId')::bigint, c->>'action', c->>'kind', c->>'thingId',
      nullif(c->'before', 'null'), nullif(c->'after', 'null')
    from jsonb_array_elements(${storableJson(changes)}::jsonb) as c returning id`.execute(db);
  return rows.map(({ id }) => Number(id));
}

/** How far rules have come that act on stored mentions, in the record of what they belong to. */
export interface BackfillNote {
  /** Unfinished: they are at work, or broke off. What the numbers say was done in any case. */
  readonly status: "unfinished" | "finished";
  readonly mentionsFound: number;
  readonly mentionsChanged: number;
}

/** Inside the transaction that did it. The change is one that has a note already. */
export async function noteBackfill(db: Database, changeId: number, note: BackfillNote): Promise<void> {
  await sql`
    update local_api.change set after = jsonb_set(after, '{backfill}', ${storableJson(note)}::jsonb)
    where id = ${changeId}`.execute(db);
}

/** Things of a kind whose rules acted on stored mentions since then, each once, as the last time ended, the latest first. */
export async function listRuleBackfills(
  db: Database,
  projectId: number,
  { kind, since }: { readonly kind: string; readonly since: Instant | undefined },
): Promise<readonly { readonly thingId: number; readonly status: BackfillNote["status"] }[]> {
  const { rows } = await sql<{ thing_id: string; status: BackfillNote["status"] }>`
    select * from (
      select distinct on (thing_id) thing_id, id, after->'backfill'->>'status' as status from local_api.change
      where project_id = ${projectId} and kind = ${kind} and after ? 'backfill'
        and ${since === undefined ? sql`true` : sql`at >= ${new Date(since)}`}
      order by thing_id, id desc) as latest
    order by id desc`.execute(db);
  return rows.map((row) => ({ thingId: Number(row.thing_id), status: row.status }));
}

/** The latest first. For commands, not for calls. */
export async function listChanges(
  db: Database,
  projectId: number,
  limit: number,
): Promise<(Omit<Change, "clientId" | "userId" | "projectId"> & { id: number; at: Instant })[]> {
  const { rows } = await sql<ChangeRow>`
    select id, at, username, action, kind, thing_id, before, after from local_api.change
    where project_id = ${projectId} order by id desc limit ${limit}`.execute(db);
  return rows.map(({ id, at, thing_id: thingId, ...row }) => ({
    ...row,
    id: Number(id),
    at: at.getTime(),
    thingId,
  }));
}

interface ChangeRow {
  id: string;
  at: Date;
  username: string;
  action: Change["action"];
  kind: string;
  thing_id: string;
  before: object | null;
  after: object | null;
}

const MAX_CHANGES = 1_000;

/** What calls and `earshot local-api apply` wrote in a project, the latest first. */
export async function changeRows(db: Database, projectId: number) {
  const changes = await listChanges(db, projectId, MAX_CHANGES);
  return changes.map(({ id, at, username, action, kind, thingId, before, after }) => ({
    id,
    at: toIso(at),
    user: username,
    action,
    kind,
    name: nameOf(after) ?? nameOf(before) ?? thingId,
    changed: changedFields(before, after),
  }));
}

function nameOf(record: object | null): string | undefined {
  const name: unknown = record === null ? undefined : Reflect.get(record, "name");
  return typeof name === "string" ? name : undefined;
}

function changedFields(before: object | null, after: object | null): readonly string[] {
  if (before === null || after === null) return [];
  const old = new Map(Object.entries(before));
  return Object.entries(after).flatMap(([name, value]) =>
    JSON.stringify(old.get(name)) === JSON.stringify(value)
      ? []
      : [name === "backfill" ? backfillWords(value) : name],
  );
}

function backfillWords({ status, mentionsFound, mentionsChanged }: BackfillNote): string {
  return `backfill (${status}, ${mentionsFound} found, ${mentionsChanged} changed)`;
}
