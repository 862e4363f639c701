import { sql } from "kysely";
import { DAY, type Instant, utcDay } from "../../src/lib/instant.ts";
import { bucketOf, FACTS, VALUE, VALUES } from "../../src/monitor/store/count-mentions.ts";
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
 * twenty a story that others tell as well; and words that are seldom. Days that are there already stay.
 */
export async function storeManyMentions(
  db: Db,
  { mentions, from, days, queries }: ManyMentions,
): Promise<void> {
  for (let day = 0; day <= days; day += 28) await ensurePartitions(db, from + day * DAY);
  await ensurePartitions(db, from + days * DAY);
  for (let day = 0; day < days; day++) {
    const [first, next] = [day, day + 1].map((n) => Math.round((n * mentions) / days));
    const at = sql`to_timestamp(${(from + day * DAY) / 1000}::float8)`;
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
      from (select n, ${at} + random() * interval '1 day' as at,
        (array['negative', 'neutral', 'positive'])[1 + (random() * 2)::int] as sentiment
        from generate_series(${first}::int + 1, ${next}::int) n
        where not exists (select from earshot.mentions where project_id = 'p' and query_id = '0'
          and event_at >= ${at} and event_at < ${at} + interval '1 day')) made
    `.execute(db);
  }
  await sql`vacuum analyze earshot.mentions`.execute(db);
}

/** Their quarters wait to be counted. */
export async function noteManyMentions(db: Db): Promise<void> {
  await sql`insert into earshot.stale_counts (project_id, query_id, quarter)
    select distinct project_id, query_id, date_bin('15 minutes', event_at, 'epoch') from earshot.mentions order by 3, 1, 2`.execute(
    db,
  );
}

/**
 * Counts them as the product does, but a day at once, the newest first, and only where nothing was counted: of ten millions
 * this is quicker.
 */
export async function countManyMentions(db: Db, { from, days }: ManyMentions): Promise<void> {
  for (let n = days; n >= 0; n--) {
    const day = sql`${utcDay(from + n * DAY)}::date`;
    await db.transaction().execute(async (tx) => {
      await sql`select set_config('work_mem', '256MB', true)`.execute(tx);
      await sql`
      with counted as (
        insert into earshot.mention_counts
        select m.project_id, m.query_id, f.facet, date_bin('15 minutes', m.event_at, 'epoch'), ${bucketOf(VALUE)}, ${VALUE}, count(*)::int,
          (count(*) filter (where m.sentiment = 'negative'))::int, (count(*) filter (where m.sentiment = 'neutral'))::int,
          (count(*) filter (where m.sentiment = 'positive'))::int,
          case when count(m.reach) > 0 then sum(greatest(m.reach, 0))::bigint end
        from earshot.mentions m cross join lateral ${FACTS} cross join lateral ${VALUES}
        where m.day = ${day} and (f.value <> '' or f.facet = 'all')
          and not exists (select from earshot.mention_counts where quarter >= ${day} and quarter < ${day} + 1)
        group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
        returning *)
      insert into earshot.mention_days
      select project_id, query_id, facet, bucket, value, ${day}, sum(mentions), sum(negative), sum(neutral),
        sum(positive), coalesce(sum(reach), 0), count(reach)
      from counted group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      `.execute(tx);
    });
  }
  await sql`vacuum analyze earshot.mention_counts`.execute(db);
  await sql`vacuum analyze earshot.mention_days`.execute(db);
}
