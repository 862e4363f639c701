import { sql } from "kysely";
import { storableJson } from "../../lib/json.ts";
import type { PollKey } from "../model/poll.ts";

export function keysAsRows(keys: readonly PollKey[]) {
  const rows = keys.map(({ projectId, queryId, poll }) => ({ projectId, queryId, poll }));
  return sql`json_to_recordset(${storableJson(rows)}::json) as k("projectId" text, "queryId" text, poll text)`;
}

/** Statements that lock many polls do it in this order, so that none waits for another one in a circle. */
export const IN_ONE_ORDER = sql`order by w.project_id, w.query_id, w.poll for update of w`;

export const isKeyOf = sql`w.project_id = k."projectId" and w.query_id = k."queryId" and w.poll = k.poll`;
