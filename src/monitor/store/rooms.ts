import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Actor } from "../model/alert-action.ts";
import type { CrisisRoom } from "../model/incident-work.ts";
import { at, type Db } from "./database.ts";

/** Links to incidents, for people without an account. The lock of the incident's query lets one be made at a time. */
export function createRoomStore(db: Db) {
  return {
    async add(
      room: Omit<CrisisRoom, "opened" | "openedAt"> & { readonly secretHash: Buffer },
    ): Promise<void> {
      const { id, projectId, incidentId, secretHash, createdAt, until, actor } = room;
      await sql`
        insert into earshot.rooms (id, project_id, incident_id, secret_hash, created_at, until, actor)
        values (${id}::uuid, ${projectId}, ${incidentId}::uuid, ${secretHash}, ${at(createdAt)}, ${at(until)},
          ${storableJson(actor)}::jsonb)
      `.execute(db);
    },

    /** Null: there is none, it was ended, or its time is over. */
    async find(secretHash: Buffer, now: Instant): Promise<CrisisRoom | null> {
      const { rows } = await sql<CrisisRoom>`
        select ${COLUMNS} from earshot.rooms
        where secret_hash = ${secretHash} and ended_at is null and until > ${at(now)}
      `.execute(db);
      return rows[0] ?? null;
    },

    /** The one of an incident that is open. */
    async ofIncident(projectId: string, incidentId: string, now: Instant): Promise<CrisisRoom | null> {
      const { rows } = await sql<CrisisRoom>`
        select ${COLUMNS} from earshot.rooms
        where project_id = ${projectId} and incident_id = ${incidentId}::uuid and ended_at is null and until > ${at(now)}
        order by created_at desc limit 1
      `.execute(db);
      return rows[0] ?? null;
    },

    async noteOpening(id: string, now: Instant): Promise<void> {
      await sql`
        update earshot.rooms set opened = opened + 1, opened_at = ${at(now)} where id = ${id}::uuid
      `.execute(db);
    },

    /** False: none is open. */
    async end(projectId: string, incidentId: string, by: Actor, now: Instant): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update earshot.rooms set ended_at = ${at(now)}, ended_by = ${storableJson(by)}::jsonb
        where project_id = ${projectId} and incident_id = ${incidentId}::uuid and ended_at is null and until > ${at(now)}
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },
  };
}

const COLUMNS = sql`id, project_id as "projectId", incident_id as "incidentId", created_at as "createdAt", until, actor,
  opened, opened_at as "openedAt"`;
