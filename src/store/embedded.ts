import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { monotonicMs } from "../lib/clock.ts";
import { describeError, UserError } from "../lib/errors.ts";
import type { Logger } from "../log.ts";
import { initialiseCluster } from "./embedded/cluster.ts";
import { findPlace, type Place } from "./embedded/place.ts";
import { choosePort, rememberPort } from "./embedded/port.ts";
import { isAlive, readPostmaster, removeStaleLockFile, stopPostmaster } from "./embedded/postmaster.ts";

export interface EmbeddedPostgres {
  /** Connection address with its password: never to be logged. */
  readonly url: string;
  /** The postmaster's process id. It changes when the server died and was started again. */
  readonly pid: number;
  /** True where another Earshot owns the server and this one only shares it. */
  readonly shared: boolean;
  /** Fast shutdown: open transactions are rolled back, everything committed is on disk. Idempotent. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Where the tables lie. Beside it: `<dataDir>.password` (0600), `.port`, `.log`, and perhaps `.location`. */
  readonly dataDir: string;
  readonly log: Logger;
  /** 120 when absent: a pool for each role, and one LISTEN connection for each worker. */
  readonly maxConnections?: number;
  /** Only this port, or fail. When absent, a free one is chosen once and remembered. */
  readonly port?: number;
  /** Use the server of an Earshot that runs already (for commands beside it) instead of failing. */
  readonly share?: boolean;
  /** More server settings, for tests: `{ fsync: "off" }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * A real PostgreSQL for those who have none. Only the package's binaries are used: its class shuts the server down on
 * SIGINT by itself, before our workers have finished, and cannot take up what a killed process left behind. The
 * server runs in a process group of its own, so that Ctrl-C reaches Earshot alone and Earshot stops it last.
 *
 * Who owns the server is decided by an advisory lock inside it, held by one connection of the owner. Such a lock dies
 * with its process, whatever kills it, and no process id has to be trusted. A server that nobody owns was left behind
 * by a killed Earshot: it is shut down and started again with today's binaries and settings.
 *
 * @throws UserError when another Earshot runs on the directory, or when the machine cannot run the server.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log } = options;
  const place = await findPlace(options.dataDir, log);
  const password = await initialiseCluster(place, { sync: options.settings?.["fsync"] !== "off" });
  const urlAt = (port: number): string => `postgres://earshot:${password}@127.0.0.1:${port}/earshot`;

  const living = await findLiving(place);
  if (living !== null) {
    const lock = await takeOwnership(urlAt(living.port), place);
    if (lock.owner !== null) {
      if (options.share === true) return sharedServer(urlAt(living.port), living.pid);
      throw new UserError(`another Earshot (process ${lock.owner}) already runs on ${options.dataDir}`, [
        "stop that one first, or give this one a directory (or a DATABASE_URL) of its own",
      ]);
    }
    log.info({ pid: living.pid }, "PostgreSQL was left behind by a process that is gone; restarting it");
    await lock.release();
    await stopPostmaster(living.pid);
  }

  const server = await launch(place, options, urlAt);
  return supervise(server, place, options, urlAt);
}

interface Server {
  readonly pid: number;
  readonly port: number;
  readonly release: () => Promise<void>;
  readonly exited: Promise<void>;
}

type UrlAt = (port: number) => string;

/** A postmaster on this directory that answers, waiting while one is starting or recovering. Null when there is none. */
async function findLiving(place: Place): Promise<{ pid: number; port: number } | null> {
  const deadline = monotonicMs() + START_DEADLINE_MS;
  while (monotonicMs() < deadline) {
    const postmaster = await readPostmaster(place.directory);
    if (postmaster === null || !isAlive(postmaster.pid)) return null;
    if (await removeStaleLockFile(place.directory, postmaster.pid)) return null;
    if (postmaster.ready) return postmaster;
    await delay(POLL_MS);
  }
  throw new UserError(`PostgreSQL on ${place.directory} is neither ready nor gone after a minute`, [
    `its log is ${place.logFile}`,
  ]);
}

const START_DEADLINE_MS = 60_000;
const POLL_MS = 20;

/** Starts the server, taking another port when the remembered one is no longer free, and takes ownership of it. */
async function launch(place: Place, options: EmbeddedPostgresOptions, urlAt: UrlAt): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await choosePort(place.portFile));
    const child = await spawnServer(place, port, options);
    const outcome = await untilReady(place, child);
    if (outcome === "ready") {
      await rememberPort(place.portFile, port);
      const lock = await takeOwnership(urlAt(port), place);
      if (lock.owner !== null) throw new UserError(`another Earshot started on ${place.directory} just now`);
      return { pid: child.pid, port, release: lock.release, exited: child.exited };
    }
    if (attempt === 3) {
      throw new UserError("the embedded PostgreSQL did not start", [
        `its log is ${place.logFile}`,
        "or set DATABASE_URL to a PostgreSQL of your own",
      ]);
    }
    // The loser of a race for the directory or the port; children of a killed postmaster need a moment to leave, too.
    await delay(300 * attempt);
    const winner = await findLiving(place);
    if (winner !== null) throw new UserError(`another Earshot started on ${place.directory} just now`);
  }
}

interface Child {
  readonly pid: number;
  readonly exited: Promise<void>;
}

async function spawnServer(place: Place, port: number, options: EmbeddedPostgresOptions): Promise<Child> {
  const settings: Record<string, string> = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    max_connections: String(options.maxConnections ?? 120),
    shared_buffers: "128MB",
    wal_level: "minimal",
    max_wal_senders: "0",
    jit: "off",
    timezone: "UTC",
    log_timezone: "UTC",
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  // A file, not a pipe: a pipe would break when we are killed, and the server would lose its voice.
  const logFile = await open(place.logFile, "a", 0o600);
  try {
    const child = spawn(place.binaries.postgres, ["-D", place.directory, ...flags], {
      ...place.runAs,
      cwd: place.directory,
      detached: true,
      stdio: ["ignore", logFile.fd, logFile.fd],
      env: { LC_ALL: "C", TZ: "UTC" },
    });
    const exited = new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    child.unref();
    if (child.pid === undefined) throw new UserError(`${place.binaries.postgres} cannot be run`);
    return { pid: child.pid, exited };
  } finally {
    await logFile.close();
  }
}

async function untilReady(place: Place, child: Child): Promise<"ready" | "exited"> {
  let gone = false;
  child.exited.then(() => {
    gone = true;
  });
  const deadline = monotonicMs() + START_DEADLINE_MS;
  while (!gone && monotonicMs() < deadline) {
    const postmaster = await readPostmaster(place.directory);
    if (postmaster?.pid === child.pid && postmaster.ready) return "ready";
    await delay(POLL_MS);
  }
  if (!gone) await stopPostmaster(child.pid);
  return "exited";
}

/** "ears" in ASCII: advisory locks are numbers. */
const OWNER_LOCK = 0x65617273;

type Ownership =
  | { readonly owner: null; readonly release: () => Promise<void> }
  | { readonly owner: string; readonly release: null };

/**
 * Takes the lock in the database that is always there, and under it makes our own where a first start has not. The
 * lock of a process that was just killed is gone as soon as its connection is, which takes a moment.
 */
async function takeOwnership(url: string, place: Place): Promise<Ownership> {
  const client = new pg.Client({
    connectionString: url.replace(/\/earshot$/, "/postgres"),
    application_name: String(process.pid),
    keepAlive: true,
  });
  // The server went away: whoever waits for its exit starts it again and takes the lock anew.
  client.on("error", () => {});
  try {
    await client.connect();
    const deadline = monotonicMs() + 1_000;
    while (monotonicMs() < deadline) {
      const { rows } = await client.query("select pg_try_advisory_lock($1) as taken", [OWNER_LOCK]);
      if (rows[0]?.taken === true) {
        await createOurDatabase(client);
        return { owner: null, release: () => client.end() };
      }
      await delay(50);
    }
    const { rows } = await client.query(
      "select application_name as owner from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and objid = $1 and granted",
      [OWNER_LOCK],
    );
    await client.end();
    return { owner: String(rows[0]?.owner ?? "unknown"), release: null };
  } catch (error) {
    await client.end().catch(() => {});
    throw explain(error, place);
  }
}

async function createOurDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query("select from pg_database where datname = 'earshot'");
  if (rowCount === 0) await client.query("create database earshot");
}

function explain(error: unknown, place: Place): UserError {
  if (error instanceof pg.DatabaseError && error.code === "28P01") {
    return new UserError(`${place.passwordFile} does not fit the tables in ${place.directory}`, [
      "put the right file back, or move both away to begin anew",
    ]);
  }
  // It was ready a moment ago: another Earshot took it for one that was left behind, and restarts it.
  return new UserError(`the server on ${place.directory} went away while it was starting`, [
    describeError(error),
    "if no other Earshot was started on it at the same time, start again",
  ]);
}

function sharedServer(url: string, pid: number): EmbeddedPostgres {
  return { url, pid, shared: true, stop: async () => {} };
}

/** Starts the server again when it dies under us (out of memory, a person), on the same port, so that pools recover. */
function supervise(
  first: Server,
  place: Place,
  options: EmbeddedPostgresOptions,
  urlAt: UrlAt,
): EmbeddedPostgres {
  let server = first;
  let stopping: Promise<void> | null = null;
  let restarting: Promise<void> = Promise.resolve();
  // A process that ends without stop() (an uncaught error) should not leave a server behind where it can be helped.
  const onExit = (): void => {
    try {
      process.kill(server.pid, "SIGINT");
    } catch {}
  };
  process.once("exit", onExit);

  const watch = (): void => {
    server.exited.then(() => {
      if (stopping !== null) return;
      options.log.error({ pid: server.pid }, "the embedded PostgreSQL ended by itself; starting it again");
      restarting = restart();
    });
  };
  const restart = async (): Promise<void> => {
    try {
      server = await launch(place, { ...options, port: server.port }, urlAt);
      if (stopping === null) watch();
    } catch (error) {
      options.log.fatal({ error: describeError(error) }, "the embedded PostgreSQL cannot be started again");
    }
  };
  const stop = async (): Promise<void> => {
    await restarting;
    process.off("exit", onExit);
    await server.release().catch(() => {});
    await stopPostmaster(server.pid);
    await server.exited;
  };

  watch();
  return {
    url: urlAt(first.port),
    shared: false,
    get pid() {
      return server.pid;
    },
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}
