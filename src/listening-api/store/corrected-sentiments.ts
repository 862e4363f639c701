import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { type CurrentMention, readCurrentMentions } from "./current-mentions.ts";
import type { Database } from "./database.ts";

/** A mention of a query whose sentiment an analyser said, and perhaps a person after it. */
export interface SaidSentiment {
  readonly mention: CurrentMention;
  /** Somebody said another one than the analyser. */
  readonly isCorrected: boolean;
}

/** Newest mentions that are looked through. */
const LOOKED_AT = 20_000;

/** The newest mentions whose sentiment somebody corrected, and as many whose sentiment stands as this machine's model said it. */
export async function readSaidSentiments(
  db: Database,
  queryId: number,
  most: number,
  at: Instant,
): Promise<SaidSentiment[]> {
  const { rows } = await sql<{ resource_id: string; is_corrected: boolean }>`
    with newest as (
      select resource_id, sentiment, updated,
        (select c from unnest(classifications) c where c like 'sentiment:%' limit 1) as said
      from local_api.mention
      where query_id = ${queryId} and superseded_at = 'infinity' and sentiment is not null
      order by added desc limit ${LOOKED_AT})
    (select resource_id, true as is_corrected from newest
      where said is not null and right(said, length(sentiment) + 1) <> ':' || sentiment
      order by updated desc limit ${most})
    union all
    (select resource_id, false from newest
      where said = 'sentiment:local:' || sentiment
        -- What waits was seen by nobody.
        and not exists (select from local_api.enrichment_job j
          where j.query_id = ${queryId} and j.resource_id = newest.resource_id and j.kind = 'sentiment')
      order by updated desc limit ${most})`.execute(db);
  const corrected = new Map(rows.map((row) => [row.resource_id, row.is_corrected]));
  const keys = [...corrected.keys()].map((resourceId) => ({ queryId, resourceId }));
  const mentions = await readCurrentMentions(db, keys, at);
  return mentions.map((mention) => ({ mention, isCorrected: corrected.get(mention.resourceId) === true }));
}
