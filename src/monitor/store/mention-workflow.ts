import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Actor } from "../model/alert-action.ts";
import type { MentionKey, ShownWorkflow, Workflow, WorkflowStep } from "../model/mention-workflow.ts";
import { at, type Db } from "./database.ts";
import { wholeWord } from "./whole-word.ts";

/** A stored mention, and what people decided about it; null: nobody has. */
interface WorkedMention {
  readonly resourceId: string;
  /** The day in its key. */
  readonly day: string;
  readonly workflow: Workflow | null;
}

/** A change of one mention. */
interface WorkflowChange {
  readonly resourceId: string;
  readonly day: string;
  readonly before: Workflow;
  readonly after: Workflow;
}

/** One mention of a press, as it is stored now. */
interface PressedChange extends MentionKey, WorkflowChange {
  readonly at: Instant;
  readonly kind: "change" | "undo";
  readonly actor: Actor;
  /** Who changed it after the press; null: nobody has. */
  readonly changedBy: Actor | null;
}

/** A note has no workflow before and after it. */
interface PressedRow extends Omit<PressedChange, "before" | "after"> {
  readonly before: Workflow | null;
  readonly after: Workflow | null;
}

/** What belongs to all changes of one press. */
interface Press {
  readonly press: string;
  readonly at: Instant;
  readonly kind: "change" | "undo";
  readonly actor: Actor;
}

/** What people decide about mentions, and its history. Whoever writes holds the lock of the query. */
export function createMentionWorkflowStore(db: Db) {
  return {
    /** Those of the mentions that are stored. */
    async ofMentions(
      projectId: string,
      queryId: string,
      resourceIds: readonly string[],
    ): Promise<WorkedMention[]> {
      const { rows } = await sql<WorkedMention>`
        select resource_id as "resourceId", m.day::text as day, ${WORKFLOW} as workflow
        from earshot.mentions m left join earshot.mention_workflow w using (project_id, query_id, resource_id, day)
        where project_id = ${projectId} and query_id = ${queryId} and resource_id = any(${[...resourceIds]}::text[])
        order by resource_id
      `.execute(db);
      return rows;
    },

    async save(
      projectId: string,
      queryId: string,
      changes: readonly WorkflowChange[],
      { press, at: moment, kind, actor }: Press,
    ): Promise<void> {
      await sql`
        with step as (
          insert into earshot.mention_steps
            (project_id, query_id, resource_id, day, press, at, kind, before, after, actor)
          select ${projectId}, ${queryId}, "resourceId", day, ${press}::uuid, ${at(moment)}, ${kind}, before, after,
            ${storableJson(actor)}::jsonb
          from json_to_recordset(${storableJson(changes)}::json)
            as c("resourceId" text, day date, before jsonb, after jsonb)
          returning resource_id, day, after)
        insert into earshot.mention_workflow (project_id, query_id, resource_id, day, status, assignee, tags, press)
        select ${projectId}, ${queryId}, resource_id, day, after->>'status', after->>'assignee',
          array(select jsonb_array_elements_text(after->'tags')), ${press}::uuid from step
        on conflict (project_id, query_id, resource_id, day) do update
          set status = excluded.status, assignee = excluded.assignee, tags = excluded.tags, press = excluded.press
      `.execute(db);
    },

    /** A note that comes twice is one: its press names it. False: it was there, or the mention is not stored. */
    async addNote(
      { projectId, queryId, resourceId }: MentionKey,
      note: Omit<Press, "kind"> & { readonly text: string },
    ): Promise<boolean> {
      const { numAffectedRows } = await sql`
        with step as (
          insert into earshot.mention_steps (project_id, query_id, resource_id, day, press, at, kind, text, actor)
          select project_id, query_id, resource_id, day, ${note.press}::uuid, ${at(note.at)}, 'note', ${note.text},
            ${storableJson(note.actor)}::jsonb
          from earshot.mentions
          where project_id = ${projectId} and query_id = ${queryId} and resource_id = ${resourceId}
          on conflict do nothing returning day)
        insert into earshot.mention_workflow as w (project_id, query_id, resource_id, day, notes)
        select ${projectId}, ${queryId}, ${resourceId}, day, 1 from step
        on conflict (project_id, query_id, resource_id, day) do update set notes = w.notes + 1
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },

    /** What people decided about a mention, and the newest lines of its history, oldest first. */
    async story({ projectId, queryId, resourceId }: MentionKey): Promise<{
      readonly workflow: ShownWorkflow | null;
      readonly steps: readonly WorkflowStep[];
    }> {
      const { rows: found } = await sql<{ workflow: ShownWorkflow }>`
        select ${WORKFLOW} as workflow from earshot.mention_workflow w
        where project_id = ${projectId} and query_id = ${queryId} and resource_id = ${resourceId}
      `.execute(db);
      const { rows } = await sql<WorkflowStep>`
        select press, at, kind, before, after, text, actor from earshot.mention_steps
        where project_id = ${projectId} and query_id = ${queryId} and resource_id = ${resourceId}
        order by at desc, press desc limit 200
      `.execute(db);
      return { workflow: found[0]?.workflow ?? null, steps: rows.reverse() };
    },

    /** The mentions that a press changed and that are still stored. */
    async ofPress(press: string): Promise<PressedChange[]> {
      const { rows } = await sql<PressedRow>`
        select s.project_id as "projectId", s.query_id as "queryId", s.resource_id as "resourceId", s.day::text as day,
          s.at, s.kind, s.actor, s.before, s.after,
          case when w.press is distinct from s.press then coalesce(
            (select t.actor from earshot.mention_steps t where t.press = w.press and t.project_id = w.project_id
              and t.query_id = w.query_id and t.resource_id = w.resource_id and t.day = w.day), s.actor)
          end as "changedBy"
        from earshot.mention_steps s join earshot.mention_workflow w
          on w.project_id = s.project_id and w.query_id = s.query_id and w.resource_id = s.resource_id and w.day = s.day
        where s.press = ${press}::uuid order by 1, 2, 3
      `.execute(db);
      return rows.flatMap(({ before, after, ...rest }) =>
        before === null || after === null ? [] : [{ ...rest, before, after }],
      );
    },

    /** How many notes name somebody: an author, or an address. */
    async countNaming(name: string): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from earshot.mention_steps where text ~* ${wholeWord(name)}
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    /** Takes a name out of notes and tags: those of other mentions, since its own are deleted. */
    async forget(name: string): Promise<void> {
      const pattern = wholeWord(name);
      const others = (column: "before" | "after") => sql`
        jsonb_set(${sql.ref(column)}, '{tags}', (select coalesce(jsonb_agg(tag), '[]')
          from jsonb_array_elements_text(${sql.ref(column)}->'tags') tag where tag !~* ${pattern}))`;
      await sql`
        update earshot.mention_steps set text = regexp_replace(text, ${pattern}, '[forgotten]', 'gi')
        where text ~* ${pattern}
      `.execute(db);
      await sql`
        update earshot.mention_steps set before = ${others("before")}, after = ${others("after")}
        where concat(before->>'tags', ' ', after->>'tags') ~* ${pattern}
      `.execute(db);
      await sql`
        update earshot.mention_workflow
        set tags = array(select tag from unnest(tags) tag where tag !~* ${pattern})
        where exists (select from unnest(tags) tag where tag ~* ${pattern})
      `.execute(db);
    },
  };
}

/** As JSON, of a row `w` that may be absent. */
export const WORKFLOW = sql`case when w.project_id is null then null else json_build_object(
  'status', w.status, 'assignee', w.assignee, 'tags', w.tags, 'notes', w.notes) end`;
