import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { JsonValue } from "../../lib/json.ts";
import { storableJson } from "../../lib/json.ts";
import type { ChangeSet } from "../records/change-set.ts";
import type { Database } from "./database.ts";

/** A rule of a project: mentions that meet the filter are changed by the action. */
export interface StoredRule extends RuleSettings {
  readonly id: number;
  readonly createdAt: Instant;
  readonly creator: string;
  readonly lastModifiedAt: Instant;
  readonly modifier: string;
}

export interface RuleSettings {
  readonly name: string;
  readonly enabled: boolean;
  /** Null: every query of the project. */
  readonly queryIds: readonly number[] | null;
  /** By the names of the mention filters. */
  readonly filter: Readonly<Record<string, JsonValue>>;
  readonly action: ChangeSet;
}

/** In the order in which they act; or the one with the id. */
export async function listRules(db: Database, projectId: number, id?: number): Promise<StoredRule[]> {
  const { rows } = await sql<RuleRow>`
    select id, name, enabled, query_ids, filter, action, created_at, creator, last_modified_at, modifier
    from local_api.rule where project_id = ${projectId} and ${id === undefined ? sql`true` : sql`id = ${id}`}
    order by id`.execute(db);
  return rows.map(toRule);
}

/** Throws PostgreSQL's unique violation where the project has one of that name. */
export async function insertRule(
  db: Database,
  projectId: number,
  rule: RuleSettings,
  by: { readonly username: string; readonly at: Instant },
): Promise<number> {
  const at = new Date(by.at);
  const { rows } = await sql<{ id: string }>`
    insert into local_api.rule (project_id, name, enabled, query_ids, filter, action, created_at, creator,
      last_modified_at, modifier)
    values (${projectId}, ${rule.name}, ${rule.enabled}, ${rule.queryIds}::bigint[],
      ${storableJson(rule.filter)}::jsonb, ${storableJson(rule.action)}::jsonb, ${at}, ${by.username},
      ${at}, ${by.username}) returning id`.execute(db);
  return Number(rows[0]?.id);
}

export async function updateRule(
  db: Database,
  id: number,
  rule: RuleSettings,
  by: { readonly username: string; readonly at: Instant },
): Promise<void> {
  await sql`
    update local_api.rule set name = ${rule.name}, enabled = ${rule.enabled},
      query_ids = ${rule.queryIds}::bigint[], filter = ${storableJson(rule.filter)}::jsonb,
      action = ${storableJson(rule.action)}::jsonb, last_modified_at = ${new Date(by.at)},
      modifier = ${by.username}
    where id = ${id}`.execute(db);
}

export async function deleteRule(db: Database, id: number): Promise<void> {
  await sql`delete from local_api.rule where id = ${id}`.execute(db);
}

interface RuleRow {
  id: string;
  name: string;
  enabled: boolean;
  query_ids: string[] | null;
  filter: Record<string, JsonValue>;
  action: ChangeSet;
  created_at: Date;
  creator: string;
  last_modified_at: Date;
  modifier: string;
}

function toRule(row: RuleRow): StoredRule {
  return {
    id: Number(row.id),
    name: row.name,
    enabled: row.enabled,
    queryIds: row.query_ids?.map(Number) ?? null,
    filter: row.filter,
    action: row.action,
    createdAt: row.created_at.getTime(),
    creator: row.creator,
    lastModifiedAt: row.last_modified_at.getTime(),
    modifier: row.modifier,
  };
}
