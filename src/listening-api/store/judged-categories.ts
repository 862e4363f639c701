import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { type CurrentMention, readCurrentMentions } from "./current-mentions.ts";
import type { Database } from "./database.ts";

/** A mention of a query, and whether it is in a subcategory. */
interface JudgedCategory {
  readonly mention: CurrentMention;
  readonly isIn: boolean;
  /** A person put it in, or took it out. Otherwise it is what the rules of the category give. */
  readonly isCorrected: boolean;
}

/** Newest mentions that are looked through. */
const LOOKED_AT = 20_000;
const NEWEST = (queryId: number) => sql`
  select resource_id, categories, classifications, updated from local_api.mention
  where query_id = ${queryId} and superseded_at = 'infinity' and resource_type is distinct from 'deleted'
  order by added desc limit ${LOOKED_AT}`;

/** The subcategories that people corrected on mentions of a query. */
export async function readCorrectedCategories(db: Database, queryId: number): Promise<readonly number[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct split_part(said, ':', 3)::bigint as id
    from (${NEWEST(queryId)}) newest, unnest(classifications) said
    where said ~ '^category:people:[0-9]{1,15}:' order by id`.execute(db);
  return rows.map(({ id }) => Number(id));
}

/**
 * The newest mentions of which a person said whether they are in the subcategory, at most `most`, and half as many of
 * each kind of which nobody said anything.
 */
export async function readJudgedCategories(
  db: Database,
  { queryId, categoryId }: { readonly queryId: number; readonly categoryId: number },
  most: number,
  at: Instant,
): Promise<JudgedCategory[]> {
  const own = (by: string) => `category:${by}:${categoryId}:%`;
  const { rows } = await sql<{ resource_id: string; is_in: boolean; is_corrected: boolean }>`
    with newest as (
      select resource_id, updated, categories @> array[${categoryId}]::bigint[] as is_in,
        exists (select from unnest(classifications) c where c like ${own("people")}) as is_corrected,
        exists (select from unnest(classifications) c where c like ${own("learned")})
          -- What waits was seen by nobody.
          or exists (select from local_api.enrichment_job j where j.query_id = ${queryId}
            and j.resource_id = mentions.resource_id and j.kind = 'category') as is_unseen
      from (${NEWEST(queryId)}) mentions)
    (select resource_id, is_in, true as is_corrected from newest
      where is_corrected order by updated desc, resource_id limit ${most})
    union all
    (select resource_id, is_in, false from newest
      where not is_corrected and not is_unseen and is_in order by updated desc, resource_id limit ${most / 2})
    union all
    (select resource_id, is_in, false from newest
      where not is_corrected and not is_unseen and not is_in
      order by updated desc, resource_id limit ${most / 2})`.execute(db);
  const known = new Map(rows.map((row) => [row.resource_id, row]));
  const keys = [...known.keys()].map((resourceId) => ({ queryId, resourceId }));
  const mentions = await readCurrentMentions(db, keys, at);
  return mentions.flatMap((mention) => {
    const row = known.get(mention.resourceId);
    return row === undefined ? [] : [{ mention, isIn: row.is_in, isCorrected: row.is_corrected }];
  });
}
