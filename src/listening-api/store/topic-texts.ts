import { type RawBuilder, sql } from "kysely";
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

interface TextsRequest {
  readonly range: MentionRange;
  readonly at: Instant;
  /** What part of the mentions is read, by chance that is the same at every call: from 0 to 1, which is all of them. */
  readonly share: number;
  /** Characters of a text that are read. */
  readonly longest: number;
}

/** The mentions of a range, or a random part of them, the latest first. */
export async function topicTexts(db: Database, request: TextsRequest): Promise<TopicText[]> {
  const { range, share, longest } = request;
  if (range.queryIds.length === 0) return [];
  const { rows } =
    await sql<Row>`${share < 1 ? pickedTexts(request) : textsOf(mentionsSql(request), longest)}`.execute(db);
  return rows.sort(latestFirst).map(toTopicText);
}

function textsOf(which: RawBuilder<boolean>, longest: number): RawBuilder<Row> {
  return sql`select query_id, resource_id, date, sentiment, page_type, gender, title,
      left(full_text, ${longest}) as text, insights_hashtag
    from local_api.mention m where ${which}`;
}

/**
 * Without filters the index on dates picks them alone. Each is then read by its key: PostgreSQL takes the picked for a
 * third of all, and would read the whole table if it had the choice.
 */
function pickedTexts(request: TextsRequest): RawBuilder<Row> {
  const most = Math.round(request.share * BUCKETS);
  const isPicked = sql<boolean>`m.query_id = picked.query_id and m.date = picked.date
    and m.resource_id = picked.resource_id and ${visibleSql(request.at)}`;
  return sql`with picked as materialized (
      select query_id, date, resource_id from local_api.mention m
      where ${mentionsSql(request)} and (hashtextextended(resource_id, 33) & ${BUCKETS - 1}) < ${most})
    select text.* from picked cross join lateral (${textsOf(isPicked, request.longest)} limit 1) as text`;
}

/** A power of two. */
const BUCKETS = 2 ** 20;

function mentionsSql({ range, at }: TextsRequest): RawBuilder<boolean> {
  return sql`query_id = any(${range.queryIds}::bigint[]) and ${rangeSql(range)} and ${visibleSql(at)}`;
}

interface Row {
  query_id: string;
  resource_id: string;
  date: Date;
  sentiment: string | null;
  page_type: string | null;
  gender: string | null;
  title: string | null;
  text: string | null;
  insights_hashtag: string[] | null;
}

function latestFirst(a: Row, b: Row): number {
  return b.date.getTime() - a.date.getTime() || (a.resource_id < b.resource_id ? 1 : -1);
}

function toTopicText(row: Row): TopicText {
  return {
    text: [row.title, row.text].filter((text) => text !== null).join(".\n"),
    hashtags: row.insights_hashtag ?? [],
    queryId: Number(row.query_id),
    date: row.date.getTime(),
    sentiment: row.sentiment,
    pageType: row.page_type,
    gender: row.gender,
  };
}
