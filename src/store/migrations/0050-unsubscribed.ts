import { type Kysely, sql } from "kysely";

/** Readers who ended their subscription to a digest. The configuration keeps naming them, so that it can be undone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table earshot.unsubscribed (
      digest_name text not null,
      receiver text not null,
      at_wall timestamptz not null default now(),
      primary key (digest_name, receiver)
    )
  `.execute(db);
}
