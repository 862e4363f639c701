import { sql } from "kysely";
import { storableJson } from "../../lib/json.ts";
import type { MentionKey } from "../model/mention-workflow.ts";
import { FEEDS_PREFIX } from "../model/query.ts";
import type { ShownSourceEdit, SourceEdit } from "../model/source-edit.ts";
import { at, type Db } from "./database.ts";

/** `attempts` identifies a claim. */
interface ClaimedEdit extends Pick<SourceEdit, "projectId" | "queryId" | "resourceId" | "id" | "edit"> {
  readonly attempts: number;
}

/** Longer than a call may take by default: an edit has no heartbeat, and writing it twice changes nothing. */
const LEASE_SECONDS = 90;

/** Corrections of people that are to be written to the account. */
export function createSourceEditStore(db: Db) {
  return {
    /** A newer correction of the same kind takes the place of one that waits. */
    async add({ projectId, queryId, resourceId, id, at: moment, actor, edit }: SourceEdit): Promise<void> {
      await sql`
        with replaced as (
          update earshot.source_edits set state = 'given-up', problem = 'a newer correction took its place'
          where project_id = ${projectId} and query_id = ${queryId} and resource_id = ${resourceId} and state = 'due'
            and edit ? 'sentiment' = ${"sentiment" in edit} returning 1)
        insert into earshot.source_edits (project_id, query_id, resource_id, id, at, actor, edit)
        values (${projectId}, ${queryId}, ${resourceId}, ${id}::uuid, ${at(moment)}, ${storableJson(actor)}::jsonb,
          ${storableJson(edit)}::jsonb)
      `.execute(db);
    },

    /** The oldest that is due, of a mention of which none is being written. Null: none is. */
    async claim(): Promise<ClaimedEdit | null> {
      const { rows } = await sql<ClaimedEdit>`
        update earshot.source_edits e set attempts = attempts + 1,
          leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        from (select project_id, id from earshot.source_edits d
          where state = 'due' and next_try_wall <= now() and (leased_until_wall is null or leased_until_wall < now())
            and not starts_with(project_id, ${FEEDS_PREFIX})
            and not exists (select from earshot.source_edits o where o.project_id = d.project_id
              and o.query_id = d.query_id and o.resource_id = d.resource_id and o.id <> d.id and o.leased_until_wall > now())
          order by id limit 1 for update skip locked) next
        where e.project_id = next.project_id and e.id = next.id
        returning e.project_id as "projectId", query_id as "queryId", resource_id as "resourceId", e.id, edit, attempts
      `.execute(db);
      return rows[0] ?? null;
    },

    /**
     * The account has it. A newer one of the same kind that was written meanwhile, because this claim had ended, is written
     * again: nobody knows which of the two came last. One statement does: it changes different rows, and looks again at
     * each that somebody else was changing.
     */
    async settle({ projectId, queryId, resourceId, id, edit, attempts }: ClaimedEdit): Promise<void> {
      await sql`
        with newer as (
          update earshot.source_edits set state = 'due', leased_until_wall = null, attempts = attempts + 1, next_try_wall = now()
          where project_id = ${projectId} and query_id = ${queryId} and resource_id = ${resourceId} and id > ${id}::uuid
            and edit ? 'sentiment' = ${"sentiment" in edit}
            and (state = 'sent' or (state = 'due' and leased_until_wall is not null)))
        update earshot.source_edits set state = 'sent', leased_until_wall = null, problem = null
        where project_id = ${projectId} and id = ${id}::uuid and attempts = ${attempts}
      `.execute(db);
    },

    /** Tried again after `retryAfterMs`; given up if that is null. */
    async postpone(
      { projectId, id, attempts }: ClaimedEdit,
      retryAfterMs: number | null,
      problem: string,
    ): Promise<void> {
      await sql`
        update earshot.source_edits set leased_until_wall = null, problem = ${problem},
          next_try_wall = now() + make_interval(secs => ${(retryAfterMs ?? 0) / 1000}),
          state = case when state = 'due' and ${retryAfterMs === null} then 'given-up' else state end
        where project_id = ${projectId} and id = ${id}::uuid and attempts = ${attempts}
      `.execute(db);
    },

    /** Of a mention, oldest first; the newest twenty. */
    async ofMention({ projectId, queryId, resourceId }: MentionKey): Promise<ShownSourceEdit[]> {
      const { rows } = await sql<ShownSourceEdit>`
        select at, actor, edit, state, problem from earshot.source_edits
        where project_id = ${projectId} and query_id = ${queryId} and resource_id = ${resourceId}
        order by id desc limit 20
      `.execute(db);
      return rows.reverse();
    },

    /** The subcategories that the newest mentions of a query have, by name: those that its project is known to use. */
    async categoriesOf(projectId: string, queryId: string): Promise<{ id: string; name: string }[]> {
      const { rows } = await sql<{ id: string; name: string }>`
        select distinct c->>'id' as id, concat_ws(': ', c->>'parentName', c->>'name') as name from (
          select body from earshot.mentions where project_id = ${projectId} and query_id = ${queryId}
          order by event_at desc limit 2000) newest, json_array_elements(newest.body->'categories') c
        where c->>'name' is not null order by 2, 1 limit 200
      `.execute(db);
      return rows;
    },
  };
}
