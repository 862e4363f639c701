import {
  type BackendFactory,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  runMigrations,
} from "bullmq";
import pg from "pg";

interface QueueTables {
  readonly url: string;
  readonly schema: string;
}

/**
 * The connections of all queues and workers of a process. A connection that breaks while nothing listens to its errors
 * ends the whole process, and the pools and LISTEN clients that BullMQ makes by itself have such moments: between two
 * statements of the first check, and between the connecting and the first LISTEN. These have a listener from the start.
 * They are also half as many, which saves the server's start-up work for each.
 */
export function openQueuePool({ url, schema }: QueueTables, connections: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: "earshot queue",
    // A power cut may lose the queue's last instants: jobs only point at work, and the sweep finds it again.
    options: `-c synchronous_commit=off -c search_path="${schema}"`,
  });
  pool.on("connect", (client) => client.on("error", () => {}));
  // Each queue and worker listens, too.
  pool.setMaxListeners(0);
  return pool;
}

class QueueConnection extends PostgresConnection {
  // BullMQ reads the schema from a config only, and never from a pool.
  override readonly schema: string;

  constructor(pool: pg.Pool, schema: string) {
    // Their type of a pool has an index signature, which no class has.
    super(pool as PostgresConnectionOptions);
    this.schema = schema;
  }
}

interface QueueConnectionOptions {
  readonly pool: pg.Pool;
  readonly schema: string;
}

/** BullMQ's `createPostgresBackend` on such a connection; a worker's LISTEN client bears the queue's name, as there. */
export const createQueueBackend: BackendFactory<PostgresQueueBackend, QueueConnectionOptions> = (
  name,
  opts,
  { withBlockingConnection = false } = {},
) => {
  const { pool, schema } = opts.connection;
  const listenName = withBlockingConnection ? name : undefined;
  return new PostgresQueueBackend(
    new QueueConnection(pool, schema),
    name,
    { ...opts, connection: "" },
    true,
    listenName,
  );
};

/** BullMQ's own migrations, in one transaction under a lock of its own. */
export async function migrateQueueTables({ url, schema }: QueueTables): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path="${schema}"` });
  client.on("error", () => {});
  await client.connect();
  try {
    await runMigrations(client, schema);
  } finally {
    await client.end();
  }
}
