import { sql } from "kysely";
import type { Database } from "../../../src/listening-api/store/database.ts";
import type { EnrichmentKind } from "../../../src/listening-api/store/enrichment.ts";

/** How many mentions wait for an answer of each kind. */
export async function countWaiting(db: Database): Promise<Readonly<Record<EnrichmentKind, number>>> {
  const { rows } = await sql<{ kind: EnrichmentKind; waiting: string }>`
    select kind, count(*) as waiting from local_api.enrichment_job group by kind`.execute(db);
  const found = new Map(rows.map(({ kind, waiting }) => [kind, Number(waiting)]));
  const of = (kind: EnrichmentKind) => found.get(kind) ?? 0;
  return { sentiment: of("sentiment"), relevance: of("relevance"), category: of("category") };
}
