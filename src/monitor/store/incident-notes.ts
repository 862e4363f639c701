import { sql } from "kysely";
import type { IncidentNote } from "../model/incident-work.ts";
import { at, type Db } from "./database.ts";

/** What people write about incidents. Notes are added and never changed, but by a request to forget somebody. */
export function createIncidentNoteStore(db: Db) {
  return {
    async add({
      id,
      projectId,
      incidentId,
      at: moment,
      kind,
      status,
      text,
      actor,
    }: IncidentNote): Promise<void> {
      await sql`
        insert into earshot.incident_notes (project_id, incident_id, id, at, kind, status, text, actor)
        values (${projectId}, ${incidentId}::uuid, ${id}::uuid, ${at(moment)}, ${kind}, ${status}, ${text},
          ${JSON.stringify(actor)}::jsonb)
      `.execute(db);
    },

    /** Oldest first; the newest thousand. */
    async list(projectId: string, incidentId: string): Promise<IncidentNote[]> {
      const { rows } = await sql<IncidentNote>`
        select id, project_id as "projectId", incident_id as "incidentId", at, kind, status, text, actor
        from earshot.incident_notes where project_id = ${projectId} and incident_id = ${incidentId}::uuid
        order by id desc limit 1000
      `.execute(db);
      return rows.reverse();
    },

    /** How many name somebody: an author, or an address. */
    async countNaming(name: string): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from earshot.incident_notes where concat(text, ' ', status) ~* ${wholeWord(name)}
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    /** Takes a name out of all of them; the rest of their words stays. */
    async forget(name: string): Promise<void> {
      const pattern = wholeWord(name);
      await sql`
        update earshot.incident_notes set text = regexp_replace(text, ${pattern}, '[forgotten]', 'gi'),
          status = regexp_replace(status, ${pattern}, '[forgotten]', 'gi')
        where concat(text, ' ', status) ~* ${pattern}
      `.execute(db);
    },
  };
}

/** A pattern of PostgreSQL that finds a text as it is, and not inside a longer word. */
function wholeWord(text: string): string {
  return `(?<![[:alnum:]_])@?${text.replaceAll(/[^\p{L}\p{N}_\s]/gu, "\\$&")}(?![[:alnum:]_])`;
}
