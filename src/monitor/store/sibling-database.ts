import pg from "pg";

/** Another database on the server of `url`, so that replays do not touch the monitored data. */
interface SiblingDatabase {
  readonly url: string;
  /** False if it existed already. */
  readonly created: boolean;
}

/** Makes sure that the server of `url` has a database of this name. The login needs the right to create one. */
export async function ensureSiblingDatabase(url: string, name: string): Promise<SiblingDatabase> {
  const created = await onServer(url, async (client) => {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount !== 0) return false;
    const quoted = client.escapeIdentifier(name);
    await client.query(`create database ${quoted}`);
    // A replay can repeat what a power cut takes; nothing here is the only copy of a fact.
    await client.query(`alter database ${quoted} set synchronous_commit = off`);
    return true;
  });
  return { url: urlOf(url, name), created };
}

/** The address of the server's database of this name, or null if there is none. */
export async function findSiblingDatabase(url: string, name: string): Promise<string | null> {
  const found = await onServer(url, (client) =>
    client.query("select from pg_database where datname = $1", [name]),
  );
  return found.rowCount === 0 ? null : urlOf(url, name);
}

/** Makes a copy of another database of the server, which nobody may use meanwhile. Fast for small ones. */
export async function copySiblingDatabase(url: string, name: string, original: string): Promise<string> {
  await onServer(url, async (client) => {
    const [copy, template] = [name, original].map((one) => client.escapeIdentifier(one));
    await client.query(`create database ${copy} template ${template}`);
    await client.query(`alter database ${copy} set synchronous_commit = off`);
  });
  return urlOf(url, name);
}

/** The names of the server's databases that begin like this. */
export async function siblingDatabases(url: string, prefix: string): Promise<string[]> {
  const { rows } = await onServer(url, (client) =>
    client.query<{ name: string }>(
      "select datname as name from pg_database where starts_with(datname, $1) order by datname",
      [prefix],
    ),
  );
  return rows.map(({ name }) => name);
}

/** Drops the database and ends its connections. */
export async function dropSiblingDatabase(url: string, name: string): Promise<void> {
  await onServer(url, async (client) => {
    await client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`);
  });
}

function urlOf(url: string, name: string): string {
  const sibling = new URL(url);
  sibling.pathname = `/${name}`;
  return sibling.href;
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  // A server that goes away makes the query reject; the event alone would end the process.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
