import { sql } from "kysely";
import { type MentionRecord, mentionRecord } from "../records/mention-record.ts";
import { unpackRecord } from "../records/packed-record.ts";
import type { Database } from "./database.ts";
import { insertMentions } from "./insert-mentions.ts";
import type { MentionVersion } from "./mention-version.ts";

const BATCH = 1_000;

/**
 * Mentions stored before the table had months move into it, as they would be stored today, and the old table goes.
 * Runs after all migrations, in their transaction: it writes through the code of today, which knows no older schema.
 */
export async function moveUnpartitioned(transaction: Database): Promise<void> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('local_api.mention_unpartitioned') is not null as there`.execute(transaction);
  if (rows[0]?.there !== true) return;
  await sql`
    declare old_mentions no scroll cursor for
    select m.*, s.silence from local_api.mention_unpartitioned m
    join local_api.record_shape s on s.id = m.shape_id`.execute(transaction);
  for (;;) {
    const batch = await sql<OldRow>`fetch ${sql.lit(BATCH)} from old_mentions`.execute(transaction);
    if (batch.rows.length === 0) break;
    await insertMentions(transaction, batch.rows.map(toVersion));
  }
  await sql`close old_mentions`.execute(transaction);
  await sql`drop table local_api.mention_unpartitioned`.execute(transaction);
}

interface OldRow {
  version: number;
  date: Date;
  added: Date;
  updated: Date;
  visible_at: Date;
  superseded_at: Date | number;
  backfilled: boolean;
  tags: string[];
  full_text: string | null;
  said: string;
  silence: string;
}

function toVersion(row: OldRow): MentionVersion {
  const record: MentionRecord = mentionRecord(JSON.parse(unpackRecord(row.said, row.silence)));
  return {
    version: row.version,
    record,
    date: record.date === null ? null : row.date.getTime(),
    added: row.added.getTime(),
    updated: row.updated.getTime(),
    visibleAt: row.visible_at.getTime(),
    // The driver gives infinity as a number.
    supersededAt: row.superseded_at instanceof Date ? row.superseded_at.getTime() : null,
    backfilled: row.backfilled,
    fullText: row.full_text,
    tagIds: row.tags.map(Number),
  };
}
