import { sql } from "kysely";
import { textAsFound } from "../records/exact-text.ts";
import type { Database } from "./database.ts";
import { wordsVector } from "./mention-words.ts";

const BATCH = 2_000;
const DONE = "071-words-filled";

/** Mentions that were stored before their words were kept get them, once. Runs after all migrations, as they do. */
export async function fillWords(transaction: Database): Promise<void> {
  const { rows: done } = await sql`select from local_api.migration where name = ${DONE}`.execute(transaction);
  if (done.length > 0) return;
  await sql`
    declare wordless no scroll cursor for
    select query_id, resource_id, version, date, title, full_text, exact_text from local_api.mention
    where words is null`.execute(transaction);
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(BATCH)} from wordless`.execute(transaction);
    if (rows.length === 0) break;
    await sql`
      update local_api.mention m set words = given.words::tsvector
      from unnest(
        ${rows.map((row) => row.query_id)}::bigint[], ${rows.map((row) => row.resource_id)}::text[],
        ${rows.map((row) => row.version)}::integer[], ${rows.map((row) => row.date)}::timestamptz[],
        ${rows.map((row) => wordsVector(row.title, textAsFound(row)))}::text[]
      ) as given (query_id, resource_id, version, date, words)
      where m.query_id = given.query_id and m.resource_id = given.resource_id and m.version = given.version
        and m.date = given.date`.execute(transaction);
  }
  await sql`close wordless`.execute(transaction);
  await sql`insert into local_api.migration (name) values (${DONE})`.execute(transaction);
}

interface Row {
  query_id: string;
  resource_id: string;
  version: number;
  date: Date;
  title: string | null;
  full_text: string | null;
  exact_text: string | null;
}
