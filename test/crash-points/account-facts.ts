type Ask = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/**
 * What an account of the sandbox's own has: each version of each mention, as somebody who asked for changes saw them.
 * No lines where the account is shared.
 */
export async function readAccount(ask: Ask): Promise<string[]> {
  const [there] = await ask("select to_regclass('local_api.mention') is not null as is");
  if (there?.["is"] !== true) return [];
  return (await ask(MENTIONS)).map((row) => `mention of the account: ${JSON.stringify(row)}`);
}

const MENTIONS = `
  select resource_id, version, updated, superseded_at <> 'infinity' as is_over, sentiment,
    (select array_agg(name order by name) from local_api.category where id = any(m.categories)) as categories
  from local_api.mention m`;
