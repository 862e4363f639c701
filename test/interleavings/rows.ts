import pg from "pg";

/** The rows of a database as they were when they were kept. */
export interface KeptRows {
  /**
   * Puts them back, and the sequences, so that connections to the database can stay open. False: nothing was done, because
   * tables were made or dropped since.
   */
  putBack(): Promise<boolean>;
  close(): Promise<void>;
}

/** Stores what is in all tables of a database beside them, in tables and a function that are copied with it. */
export async function keepRows(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("create schema kept");
    const all = async <T>(sql: string) => (await client.query(sql)).rows as T[];
    const body: string[] = [];
    for (const { oid, name, columns } of await all<StoredTable>(TABLES)) {
      const { rows } = await client.query(`select from ${name} limit 1`);
      // Most tables never have a row.
      if (rows.length === 0) body.push(`if pg_relation_size(${oid}) > 0 then delete from ${name}; end if`);
      else {
        await client.query(`create table kept.of_${oid} as select ${columns} from ${name}`);
        body.push(
          `delete from ${name}`,
          `insert into ${name} (${columns}) overriding system value select ${columns} from kept.of_${oid}`,
        );
      }
    }
    for (const { name } of await all<{ readonly name: string }>(SEQUENCES)) {
      const [state] = await all<Sequence>(`select last_value as last, is_called as called from ${name}`);
      if (state !== undefined) body.push(`perform setval('${name}', ${state.last}, ${state.called})`);
    }
    const [shape] = await all<{ readonly shape: string }>(`select ${SHAPE} as shape`);
    await client.query(`create function kept.put_back() returns boolean language plpgsql as $$ begin
      if ${SHAPE} <> '${shape?.shape}' then return false; end if;
      ${body.join(";\n")};
      return true;
    end $$`);
  } finally {
    await client.end();
  }
}

/** `url`: of a superuser. No constraint may look at rows while half of them are back. */
export async function openKeptRows(url: string): Promise<KeptRows> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  // Whoever still holds a row after its task has ended is found, and not waited for.
  await client.query("set session_replication_role = replica; set lock_timeout = '5s'; set jit = off");
  return {
    putBack: async () => {
      const { rows } = await client.query<{ done: boolean }>("select kept.put_back() as done");
      return rows[0]?.done === true;
    },
    close: () => client.end(),
  };
}

interface StoredTable {
  readonly oid: number;
  readonly name: string;
  readonly columns: string;
}

interface Sequence {
  readonly last: string;
  readonly called: boolean;
}

const OURS = "n.nspname not in ('pg_catalog', 'pg_toast', 'information_schema', 'kept')";
const TABLES = `select c.oid, format('%I.%I', n.nspname, c.relname) as name,
    (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
     where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r' and ${OURS} order by c.oid`;
const SEQUENCES = `select format('%I.%I', n.nspname, c.relname) as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'S' and ${OURS} order by c.oid`;
const SHAPE = `(select md5(string_agg(c.oid || ' ' || c.relnatts, ',' order by c.oid))
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS})`;
