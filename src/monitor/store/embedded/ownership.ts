import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { monotonicMs } from "../../../lib/clock.ts";
import { describeError, UserError } from "../../../lib/errors.ts";
import type { ServerFiles } from "./place.ts";

/** "ears" in ASCII: advisory locks are numbers. */
const OWNER_LOCK = 0x65617273;

type Ownership =
  | { readonly owner: null; readonly release: () => Promise<void> }
  | { readonly owner: string; readonly release: null };

/**
 * Takes the lock in the database that always exists; `url` is the superuser's address of it. The lock of a killed
 * process ends with its connection, which takes a moment.
 */
export async function takeOwnership(url: string, place: ServerFiles): Promise<Ownership> {
  const client = new pg.Client({
    connectionString: url,
    application_name: String(process.pid),
    keepAlive: true,
  });
  // The server went away: the code that waits for its exit restarts it and takes the lock again.
  client.on("error", () => {});
  try {
    await client.connect();
    const deadline = monotonicMs() + 1_000;
    while (monotonicMs() < deadline) {
      const { rows } = await client.query("select pg_try_advisory_lock($1) as taken", [OWNER_LOCK]);
      if (rows[0]?.taken === true) return { owner: null, release: () => client.end() };
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

function explain(error: unknown, place: ServerFiles): UserError {
  if (error instanceof pg.DatabaseError && error.code === "28P01") {
    return new UserError(`${place.passwordFile} does not fit the tables in ${place.directory}`, [
      "put the right file back, or move both away to begin anew",
    ]);
  }
  // It was ready a moment ago: another Earshot took it for an abandoned server, and restarts it.
  return new UserError(`the server on ${place.directory} went away while it was starting`, [
    describeError(error),
    "if no other Earshot was started on it at the same time, start again",
  ]);
}
