import type { Database } from "../../src/monitor/store/database.ts";

/** What work has to wait for when two tasks have ended. */
export interface Delay {
  /** Tables with a lease, though nobody works: one entry for each lease. */
  readonly leases: readonly string[];
  /** For how long something that was left had to wait before it could be done, by the database's clock. */
  readonly waitedS: number;
}

/** What holds back more than each of the serial orders does; empty: nothing. Pure. */
export function findLate(found: Delay, serial: readonly Delay[]): readonly string[] {
  const of = (table: string, { leases }: Delay) => leases.filter((one) => one === table).length;
  const kept = [...new Set(found.leases)].filter((table) =>
    serial.every((delay) => of(table, delay) < of(table, found)),
  );
  const mostS = Math.max(...serial.map(({ waitedS }) => waitedS));
  return [
    ...kept.map((table) => `a lease in ${table} goes on, though nobody works`),
    ...(found.waitedS > mostS
      ? [`work waited for ${found.waitedS} s, in a serial order for ${mostS} s`]
      : []),
  ];
}

/** Tables with a lease, where nobody works. */
export async function readLeases({ pool }: Database): Promise<readonly string[]> {
  const { rows: tables } = await pool.query<{ name: string; until: string }>(TABLES);
  const each = tables.map(
    ({ name, until }) => `select '${name}' as name from ${name} where ${until} > now()`,
  );
  const { rows } = await pool.query<{ name: string }>(each.join(" union all "));
  return rows.map(({ name }) => name);
}

/** That of a hub is its promise to push. */
const TABLES = `select format('%I.%I', n.nspname, c.relname) as name, a.attname as until
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
  where a.attname in ('leased_until_wall', 'lease_until') and c.relkind in ('r', 'p') and not c.relispartition
    and n.nspname in ('earshot', 'feeds') and c.relname <> 'hub'`;
