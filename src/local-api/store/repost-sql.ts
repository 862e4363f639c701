import { sql } from "kysely";

/** Whether the mention `m` repeats another one. Two-valued. */
export const REPOST_SQL = sql<boolean>`(m.retweet_of is not null or coalesce(m.thread_entry_type = 'share', false))`;
