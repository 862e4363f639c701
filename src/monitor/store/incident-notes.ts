import { sql } from "kysely";
import { storableJson } from "../../lib/json.ts";
import type { Incident } from "../model/incident.ts";
import type { IncidentNote } from "../model/incident-work.ts";
import { at, type Db } from "./database.ts";
import { wholeWord } from "./whole-word.ts";

/** What people write about incidents. Notes are added and never changed, but by a request to forget somebody. */
export function createIncidentNoteStore(db: Db) {
  return {
    async add(note: IncidentNote): Promise<void> {
      const { id, projectId, incidentId, kind, status, text, actor, origin } = note;
      await sql`
        insert into earshot.incident_notes (project_id, incident_id, id, at, kind, status, text, actor, origin)
        values (${projectId}, ${incidentId}::uuid, ${id}::uuid, ${at(note.at)}, ${kind}, ${status}, ${text},
          ${storableJson(actor)}::jsonb, ${origin})
      `.execute(db);
    },

    /** Oldest first; the newest thousand. */
    async list(projectId: string, incidentId: string): Promise<IncidentNote[]> {
      const { rows } = await sql<IncidentNote>`
        select ${NOTE_COLUMNS} from earshot.incident_notes n
        where n.project_id = ${projectId} and n.incident_id = ${incidentId}::uuid order by n.id desc limit 1000
      `.execute(db);
      return rows.reverse();
    },

    /** The incident that the message of this thread is about. Null: it is no message of ours, or about none. */
    async incidentOfThread(channel: string, thread: string): Promise<Incident | null> {
      const { rows } = await sql<{ body: Incident }>`
        select coalesce(w.body, i.body) as body from earshot.notifications n
        join earshot.incident_alerts m on m.project_id = n.project_id and m.alert_id = n.alert_id
        join earshot.incidents i on i.project_id = m.project_id and i.id = m.incident_id
        left join earshot.incidents w on w.project_id = i.project_id and w.id = i.part_of
        where n.vendor_ref->>'ts' = ${thread} and n.vendor_ref ? 'ts' and n.vendor_ref->>'channel' = ${channel}
        order by n.id desc limit 1
      `.execute(db);
      return rows[0]?.body ?? null;
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

export const NOTE_COLUMNS = sql`n.id, n.project_id as "projectId", n.incident_id as "incidentId", n.at, n.kind, n.status, n.text, n.actor,
  n.origin`;
