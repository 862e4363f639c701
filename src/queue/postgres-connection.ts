import {
  type BackendFactory,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  runMigrations,
} from "bullmq";
import pg from "pg";

/** `max`: connections for statements; a worker opens one more to LISTEN. */
export interface QueueConnectionOptions {
  readonly url: string;
  readonly schema: string;
  readonly max: number;
  readonly name: string;
}

/**
 * BullMQ's connection on a pool of ours. A connection that is cut while nobody listens to its errors ends the whole
 * process, and BullMQ's own pool and LISTEN client have such moments: between two statements of the first check, and
 * between the connecting and the first LISTEN. Ours are listened to from their first instant.
 */
class QueueConnection extends PostgresConnection {
  // BullMQ reads the schema from a config only, and never from a pool.
  override readonly schema: string;
  private closed: Promise<void> | null = null;

  constructor({ url, schema, max, name }: QueueConnectionOptions) {
    const pool = new pg.Pool({
      connectionString: url,
      max,
      idleTimeoutMillis: 60_000,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      application_name: name,
      // A power cut may forget the queue's last instants: jobs only remind, and the sweep finds their work again.
      options: `-c synchronous_commit=off -c search_path="${schema}"`,
    });
    pool.on("connect", (client) => client.on("error", () => {}));
    // Their type of a pool has an index signature, which no class has.
    super(pool as unknown as PostgresConnectionOptions);
    this.schema = schema;
  }

  override async close(): Promise<void> {
    this.closed ??= super.close().then(() => this.pool.end());
    return this.closed;
  }
}

/** BullMQ's `createPostgresBackend` on such a connection; a worker's LISTEN client bears the queue's name, as there. */
export const createQueueBackend: BackendFactory<PostgresQueueBackend, QueueConnectionOptions> = (
  name,
  opts,
  { withBlockingConnection = false } = {},
) => {
  const { max, ...connection } = opts.connection;
  const connections = withBlockingConnection ? max + 1 : max;
  return new PostgresQueueBackend(
    new QueueConnection({ ...connection, max: connections }),
    name,
    { ...opts, connection: "" },
    true,
    withBlockingConnection ? name : undefined,
  );
};

/** BullMQ's own migrations, in one transaction under a lock of its own. */
export async function migrateQueueTables({
  url,
  schema,
}: Pick<QueueConnectionOptions, "url" | "schema">): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path="${schema}"` });
  client.on("error", () => {});
  await client.connect();
  try {
    await runMigrations(client, schema);
  } finally {
    await client.end();
  }
}
