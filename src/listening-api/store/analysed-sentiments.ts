import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { type CurrentMention, readCurrentMentions } from "./current-mentions.ts";
import type { Database } from "./database.ts";

/** A mention of a query with a sentiment of an analyser, which a person may have corrected. */
interface AnalysedSentiment {
  readonly mention: CurrentMention;
  /** A person gave it another sentiment than the analyser. */
  readonly isCorrected: boolean;
}

/** Newest mentions that are looked through. */
const LOOKED_AT = 20_000;

/** The newest mentions whose sentiment somebody corrected, and as many whose sentiment is still that of the model on this machine. */
export async function readAnalysedSentiments(
  db: Database,
  queryId: number,
  most: number,
  at: Instant,
): Promise<AnalysedSentiment[]> {
  const { rows } = await sql<{ resource_id: string; is_corrected: boolean }>`
    with newest as (
      select resource_id, sentiment, updated,
        (select c from unnest(classifications) c where c like 'sentiment:%' limit 1) as analysed
      from local_api.mention
      where query_id = ${queryId} and superseded_at = 'infinity' and sentiment is not null
      order by added desc limit ${LOOKED_AT})
    (select resource_id, true as is_corrected from newest
      where analysed is not null and right(analysed, length(sentiment) + 1) <> ':' || sentiment
      order by updated desc limit ${most})
    union all
    (select resource_id, false from newest
      where analysed = 'sentiment:local:' || sentiment
        -- What waits was seen by nobody.
        and not exists (select from local_api.enrichment_job j
          where j.query_id = ${queryId} and j.resource_id = newest.resource_id and j.kind = 'sentiment')
      order by updated desc limit ${most})`.execute(db);
  const corrected = new Map(rows.map((row) => [row.resource_id, row.is_corrected]));
  const keys = [...corrected.keys()].map((resourceId) => ({ queryId, resourceId }));
  const mentions = await readCurrentMentions(db, keys, at);
  return mentions.map((mention) => ({ mention, isCorrected: corrected.get(mention.resourceId) === true }));
}
