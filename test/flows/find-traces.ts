import { Redis } from "ioredis";
import pg from "pg";
import type { BackendOptions } from "../../src/monitor/queue/backend.ts";

/**
 * Every table of the database, of every schema (so a new table is included by itself, and so are partitions and the
 * tables of the queue), whose rows contain one of these words in any column: as text, JSON, in an array, or as bytes.
 */
export async function tracesInTables(databaseUrl: string, words: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(`
      select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'
      order by 1`);
    const found: string[] = [];
    for (const { name } of tables.rows) {
      // Bytes are shown as hexadecimal digits; they are compared as such, in any case of letters.
      const { rows } = await client.query<{ word: string; text: string }>(
        `with r as materialized (select t::text as text, lower(t::text) as small from ${name} t)
        select w.word, left(r.text, 4000) as text from r,
          (select w as word, lower(w) as small, encode(convert_to(lower(w), 'UTF8'), 'hex') as hex
            from unnest($1::text[]) w) w
        where strpos(r.small, w.small) > 0 or strpos(r.small, w.hex) > 0 limit 5`,
        [words],
      );
      for (const { word, text } of rows) found.push(`${name}: ${word} in ${around(text, word)}`);
    }
    return found;
  } finally {
    await client.end();
  }
}

/** The same for every key of the Redis of a queue; nothing where the queue is in the database. */
export async function tracesInQueue(queue: BackendOptions, words: readonly string[]): Promise<string[]> {
  if (queue.kind !== "redis") return [];
  const redis = new Redis(queue.url);
  try {
    const found: string[] = [];
    for (const key of await redis.keys("*")) {
      const content = `${key} ${(await redis.dumpBuffer(key))?.toString("latin1") ?? ""}`;
      found.push(...tracesIn(key, content, words));
    }
    return found;
  } finally {
    redis.disconnect();
  }
}

/** The words that a rendered output contains. */
export function tracesIn(where: string, output: unknown, words: readonly string[]): string[] {
  const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  return words
    .filter((word) => text.toLowerCase().includes(word.toLowerCase()))
    .map((word) => `${where}: ${word} in ${around(text, word)}`);
}

function around(text: string, word: string): string {
  const at = text.toLowerCase().indexOf(word.toLowerCase());
  return `…${text.slice(Math.max(0, at - 150), at + 100)}…`;
}
