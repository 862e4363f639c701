import { sql } from "kysely";
import { storableJson } from "../../lib/json.ts";
import type { AuthorListing, ListedAuthor } from "../model/author-list.ts";
import type { Mention } from "../model/mention.ts";
import { at, type Db } from "./database.ts";
import { wholeWord } from "./whole-word.ts";

/** On all lists together: each page that shows mentions looks into them. */
const MOST = 5_000;

/** Authors on lists of people. They stay until somebody takes them off, or asks to be forgotten. */
export function createAuthorListStore(db: Db) {
  return {
    /** Puts an author on a list, or changes the note there. Null: the lists are full. */
    async put({
      id,
      list,
      author,
      name,
      site,
      note,
      actor,
      at: moment,
    }: ListedAuthor): Promise<string | null> {
      const { rows } = await sql<{ id: string }>`
        insert into earshot.listed_authors (id, list_key, list, author_key, author, name, site, note, actor, at)
        select ${id}::uuid, lower(${list}), coalesce(
            (select list from earshot.listed_authors where list_key = lower(${list}) order by at limit 1), ${list}),
          lower(${author}), ${author}, ${name}, lower(${site ?? ""}), ${note}, ${storableJson(actor)}::jsonb, ${at(moment)}
        where (select count(*) from earshot.listed_authors) < ${MOST}
        on conflict (author_key, list_key, site) do update
          set note = excluded.note, actor = excluded.actor, at = excluded.at, name = coalesce(excluded.name, listed_authors.name)
        returning id
      `.execute(db);
      return rows[0]?.id ?? null;
    },

    /** All of them, by list and author. */
    async all(): Promise<ListedAuthor[]> {
      const { rows } = await sql<ListedAuthor>`
        select id, list, author, name, nullif(site, '') as site, note, actor, at from earshot.listed_authors
        order by list_key, author_key, site limit ${MOST}
      `.execute(db);
      return rows;
    },

    async names(): Promise<string[]> {
      const { rows } = await sql<{ list: string }>`
        select min(list) as list from earshot.listed_authors group by list_key order by list_key limit 200
      `.execute(db);
      return rows.map(({ list }) => list);
    },

    async end(id: string): Promise<void> {
      await sql`delete from earshot.listed_authors where id = ${id}::uuid`.execute(db);
    },

    /** The lists of the author of each of these mentions, in their order. */
    async ofMentions(mentions: readonly Mention[]): Promise<(readonly AuthorListing[])[]> {
      const bodies = mentions.map(({ author, authorName, domain }) => ({ author, authorName, domain }));
      const { rows } = await sql<{ lists: AuthorListing[] }>`
        select ${LISTS} as lists from json_array_elements(${storableJson(bodies)}::json) with ordinality as m(body, n)
        order by n
      `.execute(db);
      return rows.map(({ lists }) => lists);
    },

    /** The lists of authors as they are counted, whatever the site. */
    async ofAuthors(authors: readonly string[]): Promise<ReadonlyMap<string, readonly AuthorListing[]>> {
      const { rows } = await sql<{ author: string; lists: AuthorListing[] }>`
        select a.author, json_agg(${LISTING} order by l.list_key, l.site) as lists
        from unnest(${[...authors]}::text[]) a(author)
        join earshot.listed_authors l on l.author_key = lower(a.author) group by 1
      `.execute(db);
      return new Map(rows.map(({ author, lists }) => [author, lists]));
    },

    /** How many entries name an author; and notes of others that do. */
    async countNaming(name: string, source: string | null): Promise<{ entries: number; notes: number }> {
      const { rows } = await sql<{ entries: number; notes: number }>`
        select count(*) filter (where ${isNamed(name, source)}) as entries,
          count(*) filter (where note ~* ${wholeWord(name)} and not ${isNamed(name, source)}) as notes
        from earshot.listed_authors
      `.execute(db);
      return rows[0] ?? { entries: 0, notes: 0 };
    },

    /** Takes an author off all lists, and the name out of the notes of others. */
    async forget(name: string, source: string | null): Promise<void> {
      const pattern = wholeWord(name);
      await sql`delete from earshot.listed_authors where ${isNamed(name, source)}`.execute(db);
      await sql`
        update earshot.listed_authors set note = regexp_replace(note, ${pattern}, '[forgotten]', 'gi')
        where note ~* ${pattern}
      `.execute(db);
    },
  };
}

/** An entry without a site may be of any; and of a source that is no site, nobody knows which it is. */
function isNamed(name: string, source: string | null) {
  return sql`(lower(${name}::text) in (author_key, coalesce(lower(name), ''))
    and (${source}::text is null or site in ('', lower(${source}::text)) or position('.' in ${source}::text) = 0))`;
}

const LISTING = sql`json_build_object('id', l.id, 'list', l.list, 'site', nullif(l.site, ''), 'note', l.note)`;

/** The lists on which the author of a mention is, whose words are in `body`. */
export function listedAs(body: ReturnType<typeof sql>) {
  return sql`l.author_key = lower(coalesce(nullif(ltrim(${body}->>'author', '@'), ''), ${body}->>'authorName'))
    and l.site in ('', lower(${body}->>'domain'))`;
}

/** As JSON, of a row `m` with its body. */
export const LISTS = sql`(select coalesce(json_agg(${LISTING} order by l.list_key, l.site), '[]')
  from earshot.listed_authors l where ${listedAs(sql`m.body`)})`;
