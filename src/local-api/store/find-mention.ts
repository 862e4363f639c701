import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";
import type { PageRow } from "./mention-page.ts";
import { visibleSql } from "./mention-range.ts";

/** The shown version of a mention of a query, by its id or its address; of several at one address the latest. */
export async function findMention(
  db: Database,
  { queryId, resourceId, url, at }: { queryId: number; resourceId?: string; url?: string; at: Instant },
): Promise<PageRow | undefined> {
  const isIt = resourceId === undefined ? sql`url = ${url ?? ""}` : sql`resource_id = ${resourceId}`;
  const { rows } = await sql<{
    resource_id: string;
    version: number;
    date: Date;
    id: string;
    shape_id: string;
  }>`
    select resource_id, version, date, id, shape_id from local_api.mention
    where query_id = ${queryId} and ${isIt} and ${visibleSql(at)}
    order by date desc, resource_id limit 1`.execute(db);
  const row = rows[0];
  if (row === undefined) return undefined;
  return {
    position: { key: 0, resourceId: row.resource_id, queryId },
    mentionId: Number(row.id),
    version: row.version,
    date: row.date.getTime(),
    shapeId: Number(row.shape_id),
  };
}
