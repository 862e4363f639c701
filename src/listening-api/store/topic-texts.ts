import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";
import { type MentionRange, rangeSql, visibleSql } from "./mention-range.ts";

/** What is counted of a mention in a word cloud. */
export interface TopicText {
  readonly text: string;
  readonly hashtags: readonly string[];
  readonly queryId: number;
  readonly date: Instant;
  readonly sentiment: string | null;
  readonly pageType: string | null;
  readonly gender: string | null;
}

/** The latest mentions of a range, some at a time. */
export async function* topicTexts(
  db: Database,
  { range, at, most, atATime }: { range: MentionRange; at: Instant; most: number; atATime: number },
): AsyncGenerator<readonly TopicText[]> {
  if (range.queryIds.length === 0) return;
  for (let offset = 0; offset < most; offset += atATime) {
    const { rows } = await sql<Row>`
      select query_id, date, sentiment, page_type, gender, title, full_text, insights_hashtag
      from local_api.mention m
      where query_id = any(${range.queryIds}::bigint[]) and ${rangeSql(range)} and ${visibleSql(at)}
      order by date desc, resource_id desc limit ${Math.min(atATime, most - offset)} offset ${offset}`.execute(
      db,
    );
    if (rows.length > 0) yield rows.map(toTopicText);
    if (rows.length < atATime) return;
  }
}

interface Row {
  query_id: string;
  date: Date;
  sentiment: string | null;
  page_type: string | null;
  gender: string | null;
  title: string | null;
  full_text: string | null;
  insights_hashtag: string[] | null;
}

function toTopicText(row: Row): TopicText {
  return {
    text: [row.title, row.full_text].filter((text) => text !== null).join(".\n"),
    hashtags: row.insights_hashtag ?? [],
    queryId: Number(row.query_id),
    date: row.date.getTime(),
    sentiment: row.sentiment,
    pageType: row.page_type,
    gender: row.gender,
  };
}
