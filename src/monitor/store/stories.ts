import { sql } from "kysely";
import { BINS } from "../model/sketch.ts";
import type { Db } from "./database.ts";

/** A text by its key, and the story that it belongs to; its sketch if it began that story. */
export interface KnownText {
  readonly key: string;
  readonly story: string;
  readonly sketch: Uint8Array | null;
}

/**
 * The texts of a query's stories, one row for each page with new ones: five thousand rows with indexes of their own
 * would take longer than the page. Keys and stories are 12 bytes each in base64url, a sketch is BINS bytes.
 */
export function createStoryStore(db: Db) {
  return {
    /**
     * Removes the texts with these keys. One that began its story stays as long as another stored mention belongs to
     * that story: its sketch is of words that others still publish.
     */
    async remove(projectId: string, queryId: string, keys: ReadonlySet<string>): Promise<void> {
      const { rows } = await sql<{ seq: number; body: Buffer }>`
        select seq, body from earshot.story_texts where project_id = ${projectId} and query_id = ${queryId}
      `.execute(db);
      const batches = rows.map(({ seq, body }) => ({ seq, texts: unpack(body) }));
      const begun = batches.flatMap(({ texts }) =>
        texts.flatMap(({ key, sketch }) => (keys.has(key) && sketch !== null ? [key] : [])),
      );
      const used = await sql<{ story: string }>`
        select distinct story from earshot.mentions
        where project_id = ${projectId} and query_id = ${queryId} and story = any(${begun}::text[])
      `.execute(db);
      const kept = new Set(used.rows.map(({ story }) => story));
      let removed = false;
      for (const { seq, texts } of batches) {
        const rest = texts.filter(({ key, sketch }) => !keys.has(key) || (sketch !== null && kept.has(key)));
        if (rest.length === texts.length) continue;
        removed = true;
        await sql`
          update earshot.story_texts set texts = ${rest.length}, body = ${pack(rest)}
          where project_id = ${projectId} and query_id = ${queryId} and seq = ${seq}
        `.execute(db);
      }
      if (!removed) return;
      await sql`
        update earshot.queries set stories_version = stories_version + 1
        where project_id = ${projectId} and query_id = ${queryId}
      `.execute(db);
    },

    /**
     * What was appended after what is known, oldest first; only the newest batches that hold `most` texts. The version
     * changes when texts were removed: then a copy of them is wrong, and all are read again.
     */
    async since(
      projectId: string,
      queryId: string,
      known: { readonly version: number; readonly seq: number },
      most: number,
    ): Promise<{ version: number; batches: { seq: number; texts: KnownText[] }[] }> {
      const { rows } = await sql<{ version: number; seq: number | null; body: Buffer | null }>`
        select q.stories_version as version, t.seq, t.body from earshot.queries q left join lateral (
          select seq, body, sum(texts) over (order by seq desc) - texts as newer from earshot.story_texts
          where project_id = ${projectId} and query_id = ${queryId}
            and seq > case when q.stories_version = ${known.version} then ${known.seq}::bigint else 0 end) t on newer < ${most}
        where q.project_id = ${projectId} and q.query_id = ${queryId} order by t.seq
      `.execute(db);
      const batches = rows.flatMap(({ seq, body }) =>
        seq === null || body === null ? [] : { seq, texts: unpack(body) },
      );
      return { version: rows[0]?.version ?? 0, batches };
    },

    /** Appends a batch, and deletes batches behind `most` newer texts. */
    async append(
      projectId: string,
      queryId: string,
      seq: number,
      texts: readonly KnownText[],
      most: number,
    ): Promise<void> {
      await sql`
        insert into earshot.story_texts (project_id, query_id, seq, texts, body)
        values (${projectId}, ${queryId}, ${seq}, ${texts.length}, ${pack(texts)})
      `.execute(db);
      if (seq % FORGET_EVERY !== 0) return;
      await sql`
        delete from earshot.story_texts d using (
          select seq, sum(texts) over (order by seq desc) - texts as newer from earshot.story_texts
          where project_id = ${projectId} and query_id = ${queryId}) t
        where d.project_id = ${projectId} and d.query_id = ${queryId} and d.seq = t.seq and t.newer >= ${most}
      `.execute(db);
    },
  };
}

const FORGET_EVERY = 16;
const KEY_BYTES = 12;

/**
 * One byte marks a text that began its story (a sketch follows) or that belongs to another's (that one's key follows).
 */
function pack(texts: readonly KnownText[]): Buffer {
  const length = texts.reduce(
    (sum, { sketch }) => sum + 1 + KEY_BYTES + (sketch === null ? KEY_BYTES : BINS),
    0,
  );
  const body = Buffer.allocUnsafe(length);
  let at = 0;
  for (const { key, story, sketch } of texts) {
    body[at] = sketch === null ? 0 : 1;
    body.write(key, at + 1, KEY_BYTES, "base64url");
    at += 1 + KEY_BYTES;
    if (sketch === null) at += body.write(story, at, KEY_BYTES, "base64url");
    else {
      body.set(sketch, at);
      at += BINS;
    }
  }
  return body;
}

function unpack(body: Buffer): KnownText[] {
  const texts: KnownText[] = [];
  for (let at = 0; at < body.length; ) {
    const begins = body[at] === 1;
    const key = body.toString("base64url", at + 1, at + 1 + KEY_BYTES);
    at += 1 + KEY_BYTES;
    const end = at + (begins ? BINS : KEY_BYTES);
    if (begins) texts.push({ key, story: key, sketch: Uint8Array.prototype.slice.call(body, at, end) });
    else texts.push({ key, story: body.toString("base64url", at, end), sketch: null });
    at = end;
  }
  return texts;
}
