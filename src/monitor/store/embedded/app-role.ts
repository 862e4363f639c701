import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { monotonicMs } from "../../../lib/clock.ts";
import { UserError } from "../../../lib/errors.ts";

/** Both logins of the embedded server. Addresses contain passwords: never to be logged. */
export interface Logins {
  /** The superuser of `initdb`. It makes the role and the database, transfers ownership, and holds the owner's lock. */
  superuserUrl(port: number, database: string): string;
  /** The role without superuser, for everything else. */
  appUrl(port: number): string;
  readonly appPassword: string;
}

const APP_ROLE = "earshot_app";

/**
 * The role's password is derived from the superuser's and does not reveal it. So the password file stays one line that
 * earlier versions can read, and no second file can be lost or be half written.
 */
export function loginsOf(superuserPassword: string): Logins {
  const appPassword = createHmac("sha256", superuserPassword).update(APP_ROLE).digest("base64url");
  return {
    superuserUrl: (port, database) =>
      `postgres://earshot:${superuserPassword}@127.0.0.1:${port}/${encodeURIComponent(database)}`,
    appUrl: (port) => `postgres://${APP_ROLE}:${appPassword}@127.0.0.1:${port}/earshot`,
    appPassword,
  };
}

/**
 * Makes the role and the database if they are missing, and transfers what the superuser owns in our databases to the
 * role: earlier versions made everything as superuser. It runs at every start and changes only what is left, one
 * transaction for each database, so it may be interrupted anywhere. Only the owner of the server may call it.
 */
export async function handOverToAppRole(logins: Logins, port: number): Promise<void> {
  const databases = await asSuperuser(logins.superuserUrl(port, "postgres"), async (client) => {
    await ensureRole(client, logins.appPassword);
    const { rowCount } = await client.query("select from pg_database where datname = 'earshot'");
    if (rowCount === 0) await client.query(`create database earshot owner ${APP_ROLE}`);
    const { rows } = await client.query<{ name: string }>(OUR_DATABASES);
    return rows;
  });
  for (const { name } of databases)
    await asSuperuser(logins.superuserUrl(port, name), async (client) => {
      await client.query(HAND_OVER);
    });
}

/**
 * Rejects if the Earshot that owns the server has not transferred ownership within five seconds: it is an earlier
 * version.
 */
export async function expectAppRole(logins: Logins, port: number, owner: string): Promise<void> {
  const deadline = monotonicMs() + 5_000;
  while (!(await ownsDatabase(logins, port))) {
    if (monotonicMs() > deadline)
      throw new UserError(
        `the database of the running Earshot (process ${owner}) has no role ${APP_ROLE}: it is an earlier version`,
        ["stop that one and start it again with this version"],
      );
    await delay(100);
  }
}

/** Checked as superuser: a refused login would write a line to the server's log at every attempt. */
function ownsDatabase(logins: Logins, port: number): Promise<boolean> {
  return asSuperuser(logins.superuserUrl(port, "postgres"), async (client) => {
    const { rowCount } = await client.query(
      `select from pg_database d join pg_roles r on r.oid = d.datdba where datname = 'earshot' and rolname = '${APP_ROLE}'`,
    );
    return rowCount !== 0;
  });
}

/**
 * At every start, so that the password always matches its file. Signals: `drop database … with (force)` needs them
 * while autovacuum runs. Settings: `earshot doctor` reads where the tables are, to check the disk.
 * Checkpoints: `earshot forget` removes files with old words.
 */
async function ensureRole(client: pg.Client, password: string): Promise<void> {
  const { rowCount } = await client.query("select from pg_roles where rolname = $1", [APP_ROLE]);
  if (rowCount === 0) await client.query(`create role ${APP_ROLE} nologin`);
  await client.query(
    `alter role ${APP_ROLE} with login nosuperuser createdb nocreaterole noreplication nobypassrls
       password ${client.escapeLiteral(password)};
     grant pg_signal_backend, pg_read_all_settings, pg_checkpoint to ${APP_ROLE}`,
  );
}

/** -2 marks a database whose drop was interrupted: nobody can connect to it. */
const OUR_DATABASES =
  "select datname as name from pg_database where datname ~ '^earshot(_|$)' and datallowconn and datconnlimit <> -2 order by 1";

/**
 * One statement, so one transaction. Row types, arrays and the like ('i') and sequences of columns ('a') follow what
 * they belong to. Members of an extension ('e') stay: their owner could grant functions that reach files or other
 * servers. The database comes last.
 */
const HAND_OVER = `
do $$
declare
  me constant oid := current_user::regrole;
  change text;
begin
  foreach change in array array(
    select format('alter %s %s owner to ${APP_ROLE}', kind, name)
    from (
      select 'pg_namespace'::regclass as class, oid, 'schema' as kind, quote_ident(nspname) as name,
        oid as namespace, nspowner as owner from pg_namespace
      union all
      select 'pg_class'::regclass, oid, case relkind when 'S' then 'sequence' else 'table' end, oid::regclass::text,
        relnamespace, relowner from pg_class where relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      union all
      select 'pg_proc'::regclass, oid, 'routine', oid::regprocedure::text, pronamespace, proowner from pg_proc
      union all
      select 'pg_type'::regclass, oid, 'type', oid::regtype::text, typnamespace, typowner from pg_type
      union all
      select 'pg_collation'::regclass, oid, 'collation', oid::regcollation::text, collnamespace, collowner
      from pg_collation
      union all
      select 'pg_statistic_ext'::regclass, s.oid, 'statistics', format('%I.%I', n.nspname, stxname), n.oid, stxowner
      from pg_statistic_ext s join pg_namespace n on n.oid = stxnamespace
    ) as object
    where owner = me
      and not exists (
        select from pg_namespace n
        where n.oid = namespace and (nspname ~ '^pg_' or nspname = 'information_schema')
      )
      and not exists (
        select from pg_depend d
        where d.classid = object.class and d.objid = object.oid and d.objsubid = 0
          and (deptype in ('e', 'i') or (deptype = 'a' and kind = 'sequence'))
      )
  ) loop
    execute change;
  end loop;
  if exists (select from pg_database where datname = current_database() and datdba = me) then
    execute format('alter database %I owner to ${APP_ROLE}', current_database());
  end if;
end $$`;

/**
 * In a database of the role, names must not resolve to objects that the role made: the superuser would run them. Locks
 * of a connected process must not delay the start for ever.
 */
async function asSuperuser<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    options: "-c search_path=pg_catalog -c lock_timeout=30s",
  });
  // A server that goes away makes the query reject; the event alone would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
