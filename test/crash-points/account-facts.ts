type Ask = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/**
 * What an account of the sandbox's own has: each version of each mention, as somebody who asked for changes saw them, and
 * each change of a group of queries. No lines where the account is shared.
 */
export async function readAccount(ask: Ask): Promise<string[]> {
  const [there] = await ask("select to_regclass('local_api.mention') is not null as is");
  if (there?.["is"] !== true) return [];
  const lines = async (what: string, sql: string): Promise<string[]> =>
    (await ask(sql)).map((row) => `${what} of the account: ${JSON.stringify(row)}`);
  const marks: string[] = [];
  const numbered = (line: string): string =>
    line.replaceAll(MARK, (mark) => {
      if (!marks.includes(mark)) marks.push(mark);
      return `(mark ${marks.indexOf(mark) + 1})`;
    });
  return [
    ...(await lines("mention", MENTIONS)),
    ...(await lines("group", GROUPS)).map(numbered),
    ...(await lines("change", CHANGES)).map(numbered),
    ...(await ask(KNOWN)).map((row) => numbered(`known group: ${JSON.stringify(row)}`)),
    ...(await ask(NOTES)).map((row) => numbered(`note: ${JSON.stringify(row)}`)),
  ];
}

/** By which an installation knows its groups. Two of them would be of two. */
const MARK = /\b[0-9a-f]{8}\b/g;

const MENTIONS = `
  select resource_id, version, updated, superseded_at <> 'infinity' as is_over, sentiment,
    (select array_agg(name order by name) from local_api.category where id = any(m.categories)) as categories
  from local_api.mention m`;

const GROUPS = `
  select name, (select array_agg(query_id order by query_id) from local_api.query_group_member m
    where m.query_group_id = g.id) as queries
  from local_api.query_group g order by id`;

/** Of groups. A change that changes nothing is noted, too, and nobody sees it. */
const CHANGES = `
  select row_number() over (order by id)::int as nth, action, coalesce(after, before) ->> 'name' as name,
    jsonb_array_length(after -> 'queries') as queries
  from local_api.change where kind <> 'mention' and before is distinct from after order by id`;

/** What Earshot knows of them, and which mark it has. */
const KNOWN = "select name, query_ids as queries from earshot.query_groups order by name";
const NOTES = "select key, value from earshot.settings where key like 'query groups of %'";
