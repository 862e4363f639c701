import { spawn } from "node:child_process";
import { open, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "../../../lib/clock.ts";
import { describeError, UserError } from "../../../lib/errors.ts";
import { handOverToAppRole, type Logins } from "./app-role.ts";
import { takeOwnership } from "./ownership.ts";
import type { ServerFiles } from "./place.ts";
import { readPostmaster, removeStaleLockFile, stopPostmaster, untilUnused } from "./postmaster.ts";

/** A running server that we own. */
export interface Server {
  readonly pid: number;
  readonly port: number;
  readonly release: () => Promise<void>;
  readonly exited: Promise<void>;
  /** The same for who waits for it: until then this process goes on, though it has nothing else to do. */
  untilExited(): Promise<void>;
}

export interface ServerOptions {
  /** 120 when absent: a pool for each role, and one LISTEN connection for each worker. */
  readonly maxConnections?: number;
  /** Only this port, or fail. If absent, a free one is chosen once and remembered. */
  readonly port?: number;
  /** More server settings, for tests: `{ fsync: "off" }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A postmaster on this directory that answers; waits while one starts or recovers. Null if there is none. */
export async function findLiving(place: ServerFiles): Promise<{ pid: number; port: number } | null> {
  const deadline = monotonicMs() + START_DEADLINE_MS;
  while (monotonicMs() < deadline) {
    const postmaster = await readPostmaster(place.directory);
    if (postmaster === null || (await removeStaleLockFile(place.directory, postmaster.pid))) return null;
    if (postmaster.ready) return postmaster;
    await delay(POLL_MS);
  }
  throw new UserError(`PostgreSQL on ${place.directory} is neither ready nor gone after a minute`, [
    `its log is ${place.logFile}`,
  ]);
}

const START_DEADLINE_MS = 60_000;
const POLL_MS = 20;

/**
 * Starts the server, with another port if the remembered one is taken, takes ownership of it, and makes the role
 * without superuser own the databases.
 */
export async function launch(place: ServerFiles, options: ServerOptions, logins: Logins): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await choosePort(place.portFile));
    const child = await spawnServer(place, port, options);
    const outcome = await untilReady(place, child);
    if (outcome === "ready") {
      await rememberPort(place.portFile, port);
      const lock = await takeOwnership(logins.superuserUrl(port, "postgres"), place);
      if (lock.owner !== null) throw new UserError(`another Earshot started on ${place.directory} just now`);
      try {
        await handOverToAppRole(logins, port);
      } catch (error) {
        await lock.release().catch(() => {});
        await stopPostmaster(child.pid);
        throw new UserError(
          `the tables in ${place.directory} could not be given to their role without superuser`,
          [describeError(error), `nothing is lost: start again; the server's log is ${place.logFile}`],
        );
      }
      return {
        pid: child.pid,
        port,
        release: lock.release,
        exited: child.exited,
        untilExited: child.untilExited,
      };
    }
    if (attempt === 3) {
      throw new UserError("the embedded PostgreSQL did not start", [
        `its log is ${place.logFile}`,
        "or set DATABASE_URL to a PostgreSQL of your own",
      ]);
    }
    // Another process won the directory or the port, or children of a killed postmaster have not left yet.
    await delay(300 * attempt);
    const winner = await findLiving(place);
    if (winner === null) await untilUnused(place.directory);
    else throw new UserError(`another Earshot started on ${place.directory} just now`);
  }
}

interface Child {
  readonly pid: number;
  readonly exited: Promise<void>;
  untilExited(): Promise<void>;
}

async function spawnServer(place: ServerFiles, port: number, options: ServerOptions): Promise<Child> {
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
  // A file, not a pipe: a pipe would break when we are killed, and the server could log no more.
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
    const untilExited = (): Promise<void> => {
      child.ref();
      return exited;
    };
    return { pid: child.pid, exited, untilExited };
  } finally {
    await logFile.close();
  }
}

async function untilReady(place: ServerFiles, child: Child): Promise<"ready" | "exited"> {
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

/** The remembered port while it is free, else any free one. */
async function choosePort(portFile: string): Promise<number> {
  const remembered = Number(await readFile(portFile, "utf8").catch(() => "0"));
  if (remembered > 0 && (await freePort(remembered)) !== null) return remembered;
  const port = await freePort(0);
  if (port === null) throw new Error("no free port on 127.0.0.1");
  return port;
}

async function rememberPort(portFile: string, port: number): Promise<void> {
  await writeFile(portFile, `${port}\n`);
}

/** The port that could be listened on (0 asks for any), or null. */
function freePort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : null));
    });
  });
}
