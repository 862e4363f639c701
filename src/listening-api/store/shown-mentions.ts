import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { MentionRecord } from "../records/mention-record.ts";
import { textAsFound } from "../records/mention-text.ts";
import { type Database, rowsAtATime } from "./database.ts";
import { NOT_DELETED, visibleSql } from "./mention-range.ts";
import { wordsSql } from "./mention-words.ts";

/** A mention as it is shown, or will be, with what its wire record does not have. */
export interface ShownMention {
  readonly record: MentionRecord;
  readonly added: Instant;
  readonly updated: Instant;
  /** Later than the moment of the selection: it is stored ahead, as the generated stream is. */
  readonly visibleAt: Instant;
  readonly fullText: string | null;
  readonly date: Instant | null;
  readonly tagIds: readonly number[];
  readonly twitterLikeCount: number | null;
}

interface ShownSelection {
  readonly projectId: number;
  /** Mentions that this query has already, and its own, are left out. */
  readonly butNotIn: number;
  /** By their own date; null: all that is stored. */
  readonly from: Instant | null;
  readonly at: Instant;
  /** Only those whose words fit this `tsquery`; null: any. */
  readonly narrow: string | null;
}

/** Inside a transaction: each mention of the project once, some at a time, in the order of their ids. */
export async function* shownMentions(
  db: Database,
  which: ShownSelection,
  atATime: number,
): AsyncGenerator<readonly ShownMention[]> {
  const { projectId, butNotIn, from, at, narrow } = which;
  const select = sql<Row>`
      select distinct on (resource_id) resource_id, added, updated, visible_at, date, date_known, tags, full_text,
        exact_text, twitter_like_count,
        filled_fields || (select empty_fields from local_api.record_shape where id = shape_id) as record
      from local_api.mention m
      where query_id in (select id from local_api.query where project_id = ${projectId} and id <> ${butNotIn})
        and (${visibleSql(at)} or (version = 1 and visible_at > ${new Date(at)})) and ${NOT_DELETED} and ${narrow === null ? sql`true` : wordsSql(narrow)}
        and ${from === null ? sql`true` : sql`date >= ${new Date(from)}`}
        and not exists (select from local_api.mention own
          where own.query_id = ${butNotIn} and own.resource_id = m.resource_id)
      order by resource_id, query_id`;
  for await (const rows of rowsAtATime(db, select, atATime)) yield rows.map(toShown);
}

interface Row {
  resource_id: string;
  added: Date;
  updated: Date;
  visible_at: Date;
  date: Date;
  date_known: boolean;
  tags: string[];
  full_text: string | null;
  exact_text: string | null;
  twitter_like_count: string | null;
  record: string;
}

function toShown(row: Row): ShownMention {
  return {
    record: JSON.parse(row.record) as MentionRecord,
    fullText: textAsFound(row),
    added: row.added.getTime(),
    updated: row.updated.getTime(),
    visibleAt: row.visible_at.getTime(),
    date: row.date_known ? row.date.getTime() : null,
    tagIds: row.tags.map(Number),
    twitterLikeCount: row.twitter_like_count === null ? null : Number(row.twitter_like_count),
  };
}
