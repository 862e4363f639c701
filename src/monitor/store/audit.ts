import { sql } from "kysely";
import { storableJson } from "../../lib/json.ts";
import type { AuditEntry, AuditFilter } from "../model/audit.ts";
import { at, atOrNull, type Db } from "./database.ts";

/** What people changed, or tried to. Entries are only added. */
export function createAuditStore(db: Db) {
  return {
    async add(entry: AuditEntry): Promise<void> {
      const { at: moment, actor, role, origin, action, target, outcome, detail } = entry;
      await sql`
        insert into earshot.audit (at, actor, role, origin, action, target, outcome, detail)
        values (${at(moment)}, ${storableJson(actor)}::jsonb, ${role}, ${origin}, ${action}, ${target.slice(0, 300)},
          ${outcome}, ${detail.slice(0, 2_000)})
      `.execute(db);
    },

    /** Newest first, older than the entry `before`; each with its number. */
    async list(
      filter: AuditFilter,
      before: number | null,
      limit: number,
    ): Promise<(AuditEntry & { id: number })[]> {
      const { who, action, from, to } = filter;
      const { rows } = await sql<AuditEntry & { id: number }>`
        select id, at, actor, role, origin, action, target, outcome, detail from earshot.audit
        where (${before}::bigint is null or id < ${before}::bigint)
          and (${who}::text is null or position(lower(${who}::text) in lower(actor->>'login')) > 0)
          and (${action}::text is null or starts_with(action, ${action}::text))
          and (${from !== null} = false or at >= ${atOrNull(from)})
          and (${to !== null} = false or at < ${atOrNull(to)})
        order by id desc limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}
