import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describeError, UserError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { expectAppRole, type Logins, loginsOf } from "./embedded/app-role.ts";
import { initialiseCluster } from "./embedded/cluster.ts";
import { takeOwnership } from "./embedded/ownership.ts";
import { findPlace, type ServerFiles } from "./embedded/place.ts";
import { isAlive, stopPostmaster } from "./embedded/postmaster.ts";
import { findLiving, launch, type Server, type ServerOptions } from "./embedded/server.ts";

export interface EmbeddedPostgres {
  /** An address with the password of a role that owns the databases and is no superuser. Never log it. */
  readonly url: string;
  /** The postmaster's process id. It changes when the server dies and is started again. */
  readonly pid: number;
  /** True if another Earshot owns the server and this one only shares it. */
  readonly shared: boolean;
  /** Fast shutdown: open transactions are rolled back, everything committed is on disk. Idempotent. */
  stop(): Promise<void>;
}

interface EmbeddedPostgresOptions extends ServerOptions {
  /**
   * The directory of the tables. `<dataDir>.password` (0600), `.port`, `.log` and perhaps `.location` are next to it.
   */
  readonly dataDir: string;
  readonly log: Logger;
  /** Share the server of a running Earshot (for commands) instead of failing. */
  readonly share?: boolean;
  /** Also listen on a socket in the file system, where there are such: half of the time of a small statement. */
  readonly fileSocket?: boolean;
}

/**
 * A real PostgreSQL for those who have none. We use only the package's binaries: its class shuts the server down on
 * SIGINT by itself, before our workers have finished, and cannot adopt a server that a killed process left behind. The
 * server runs in its own process group, so that Ctrl-C reaches Earshot alone and Earshot stops it last.
 *
 * An advisory lock inside the server decides who owns it. One connection of the owner holds the lock. Such a lock ends
 * with its process, however that dies, and no process id has to be trusted. A server without an owner was left behind
 * by a killed Earshot: it is shut down and started again with today's binaries and settings.
 *
 * @throws UserError when another Earshot runs on the directory, or when the machine cannot run the server.
 */
export async function startEmbeddedPostgres(given: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log } = given;
  const place = await findPlace(given.dataDir, log);
  const directory = given.fileSocket === true ? socketDirectory(place) : null;
  const options =
    directory === null
      ? given
      : { ...given, settings: { ...given.settings, unix_socket_directories: directory } };
  const password = await initialiseCluster(place, { sync: options.settings?.["fsync"] !== "off" });
  const logins = withSocket(loginsOf(password), directory);

  const living = await findLiving(place);
  if (living !== null) {
    const lock = await takeOwnership(logins.superuserUrl(living.port, "postgres"), place);
    if (lock.owner !== null) {
      if (options.share === true) {
        await expectAppRole(logins, living.port, lock.owner);
        return share(living, options, logins);
      }
      throw new UserError(`another Earshot (process ${lock.owner}) already runs on ${options.dataDir}`, [
        "stop that one first, or give this one a directory (or a DATABASE_URL) of its own",
      ]);
    }
    log.info({ pid: living.pid }, "PostgreSQL was left behind by a process that is gone; restarting it");
    await lock.release();
    await stopPostmaster(living.pid);
  }

  const server = await launch(place, options, logins);
  return supervise(server, place, options, logins);
}

/** Null where the system has none, or none with so long a name. */
function socketDirectory({ directory }: ServerFiles): string | null {
  const fits = process.platform !== "win32" && Buffer.byteLength(directory) <= 85 && !/[,"]/.test(directory);
  return fits ? directory : null;
}

/** A server that another version started may listen on its port alone. */
function withSocket(logins: Logins, directory: string | null): Logins {
  if (directory === null) return logins;
  return {
    ...logins,
    appUrl: (port) =>
      existsSync(join(directory, `.s.PGSQL.${port}`))
        ? `${logins.appUrl(port)}?host=${encodeURIComponent(directory)}`
        : logins.appUrl(port),
  };
}

/** How often a guest checks that the server runs, and how long its owner has to bring it back. */
const LOOK_MS = 1_000;
const GRACE_MS = 2_000;

/** A guest takes over a server whose owner went away, on the same port, so that pools recover. */
function share(
  living: { readonly pid: number; readonly port: number },
  options: EmbeddedPostgresOptions,
  logins: Logins,
): EmbeddedPostgres {
  let current: Pick<EmbeddedPostgres, "pid" | "shared" | "stop"> = {
    pid: living.pid,
    shared: true,
    stop: async () => {},
  };
  let isStopping = false;
  let takingOver: Promise<void> | null = null;
  const looks = setInterval(() => {
    if (takingOver === null && !isAlive(current.pid))
      takingOver = takeOver().finally(() => {
        takingOver = null;
      });
  }, LOOK_MS);
  looks.unref();

  async function takeOver(): Promise<void> {
    await delay(GRACE_MS);
    if (isStopping) return;
    try {
      // One of several guests takes it over; the others find it running.
      current = await startEmbeddedPostgres({ ...options, port: living.port });
      clearInterval(looks);
      if (!current.shared)
        options.log.warn(
          { pid: current.pid },
          "the Earshot that owned PostgreSQL has ended; this one took the server over",
        );
    } catch (error) {
      options.log.debug(
        { error: describeError(error) },
        "another process took PostgreSQL over, or none has yet",
      );
    }
  }

  return {
    url: logins.appUrl(living.port),
    get pid() {
      return current.pid;
    },
    get shared() {
      return current.shared;
    },
    async stop() {
      isStopping = true;
      clearInterval(looks);
      await takingOver;
      await current.stop();
    },
  };
}

/** Restarts the server if it dies (out of memory, killed by a person), on the same port, so that pools recover. */
function supervise(
  first: Server,
  place: ServerFiles,
  options: EmbeddedPostgresOptions,
  logins: Logins,
): EmbeddedPostgres {
  let server = first;
  let stopping: Promise<void> | null = null;
  let restarting: Promise<void> = Promise.resolve();
  const giveUp = new AbortController();
  // A process that ends without stop() (an uncaught error) should leave no server behind, if possible.
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
    for (let waitMs = FIRST_WAIT_MS; stopping === null; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      try {
        server = await launch(place, { ...options, port: server.port }, logins);
        return watch();
      } catch (error) {
        options.log.error(
          { error: describeError(error) },
          "the embedded PostgreSQL could not be started again; trying on",
        );
        await delay(waitMs, undefined, { signal: giveUp.signal }).catch(() => {});
      }
    }
  };
  const stop = async (): Promise<void> => {
    await restarting;
    process.off("exit", onExit);
    await server.release().catch(() => {});
    await stopPostmaster(server.pid);
    // It has ended, but perhaps nobody has told us yet.
    await server.untilExited();
  };

  watch();
  return {
    url: logins.appUrl(first.port),
    shared: false,
    get pid() {
      return server.pid;
    },
    stop: () => {
      giveUp.abort();
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Its port may be taken for a moment, or the disk full until a person makes room. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
