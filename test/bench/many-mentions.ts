import { sql } from "kysely";
import { DAY, type Instant } from "../../src/lib/instant.ts";
import type { Db } from "../../src/monitor/store/database.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { aMention } from "../mention.ts";

export interface ManyMentions {
  readonly mentions: number;
  readonly from: Instant;
  readonly days: number;
  readonly queries: number;
}

/**
 * Mentions of project `p` as a brand has them: a quarter as many authors, of very different diligence; 2,000 sites; in one of
 * twenty a story that others tell as well; and words that are seldom. Their quarters wait to be counted.
 */
export async function storeManyMentions(
  db: Db,
  { mentions, from, days, queries }: ManyMentions,
): Promise<void> {
  for (let day = 0; day <= days; day += 28) await ensurePartitions(db, from + day * DAY);
  await ensurePartitions(db, from + days * DAY);
  await sql`
    insert into earshot.mentions
    select 'p', (n % ${queries})::text, n::text, at::date, at, at, at, at, sentiment,
      case when n % 20 = 0 then 'story' || n % ${Math.max(1, Math.round(mentions / 2_000))} else n::text end, n % 5000, (${JSON.stringify(aMention({}))}::jsonb || jsonb_build_object(
      'queryId', (n % ${queries})::text, 'resourceId', n::text, 'publishedAt', extract(epoch from at) * 1000,
      'addedAt', extract(epoch from at) * 1000, 'updatedAt', extract(epoch from at) * 1000,
      'title', 'A title', 'text', repeat('many words ', 40) || 'word' || n % 1000 || case when n % 100000 = 7 then ' seldom' else '' end,
      'author', 'author' || (power(random(), 2) * ${mentions / 4})::int, 'domain', 'site' || (power(random(), 3) * 2000)::int || '.example',
      'language', (array['en','de','fr'])[1 + n % 3], 'country', 'Country ' || n % 40, 'pageType', (array['twitter','news','blog'])[1 + n % 3],
      'categories', jsonb_build_array(jsonb_build_object('id', 'c', 'name', 'Category ' || n % 7, 'parentId', null, 'parentName', null)),
      'sentiment', sentiment, 'reach', n % 5000))::json
    from (select n, to_timestamp(${from / 1000}) + random() * interval '1 day' * ${days} as at,
      (array['negative', 'neutral', 'positive'])[1 + (random() * 2)::int] as sentiment
      from generate_series(1, ${mentions}::int) n) made
  `.execute(db);
  await sql`insert into earshot.stale_counts (project_id, query_id, quarter)
    select distinct project_id, query_id, date_bin('15 minutes', event_at, 'epoch') from earshot.mentions order by 3, 1, 2`.execute(
    db,
  );
  await sql`vacuum analyze earshot.mentions`.execute(db);
}
