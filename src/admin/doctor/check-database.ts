import { statfs } from "node:fs/promises";
import {
  type DatabaseFacts,
  inspectDatabase,
  laterMigrations,
  openDatabase,
  pendingMigrations,
} from "#monitor";
import { systemClock } from "../../lib/clock.ts";
import { OWN_DESCRIPTORS } from "../../lib/descriptors.ts";
import { describeError } from "../../lib/errors.ts";
import { SECOND } from "../../lib/instant.ts";
import { capitalised } from "../../lib/text.ts";
import { addressFault, withoutAddress } from "../open/engine-address.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** Version, migrations, disk and clock of the database at `url`. */
export async function checkDatabase(url: string): Promise<readonly Finding[]> {
  const fault = addressFault("DATABASE_URL", url);
  if (fault !== null) return [fail("database", fault.message, `${capitalised(fault.hint)}.`)];
  const database = openDatabase({ url, connections: 1, onError: () => {} });
  try {
    const before = systemClock.now();
    const facts = await inspectDatabase(database.db);
    const after = systemClock.now();
    return [
      version(facts),
      migrations(await pendingMigrations(database.db), await laterMigrations(database.db)),
      await disk(facts),
      clock(facts.now - (before + after) / 2, (after - before) / 2),
      connections(facts),
    ];
  } catch (error) {
    const message = withoutAddress(describeError(error), url);
    return [
      fail(
        "database",
        `PostgreSQL cannot be reached: ${message}`,
        "Is the server of DATABASE_URL up, and are its address, user and password right?",
      ),
    ];
  } finally {
    await database.close();
  }
}

function version({ versionNumber, version: name, readOnly }: DatabaseFacts): Finding {
  const found = `PostgreSQL ${name}`;
  if (readOnly)
    return fail("database", `${found}, which accepts no writes`, "Point DATABASE_URL at the primary server.");
  if (versionNumber < 140_000) return fail("database", `${found} is too old`, "Use PostgreSQL 14 or later.");
  return ok("database", found);
}

function migrations(pending: readonly string[], later: readonly string[]): Finding {
  if (later.length > 0)
    return fail(
      "migrations",
      `a later Earshot has changed the database (${later.join(", ")})`,
      "Start that version again, or go back to a backup from before it.",
    );
  return pending.length === 0
    ? ok("migrations", "the database is up to date")
    : warn(
        "migrations",
        `the database has not had ${pending.join(", ")}`,
        "earshot start brings it up to date by itself.",
      );
}

const LEAST_FREE_BYTES = 1024 ** 3;

/** The disk is only accessible if the server runs on this machine. */
async function disk({ bytes, dataDirectory }: DatabaseFacts): Promise<Finding> {
  const size = `the database takes ${formatBytes(bytes)}`;
  if (dataDirectory === null) return ok("disk", `${size}; its server does not show its disk`);
  const space = await statfs(dataDirectory).catch(() => null);
  if (space === null) return ok("disk", `${size}; its disk is on another machine`);
  const free = space.bavail * space.bsize;
  const found = `${size}, ${formatBytes(free)} are free`;
  if (free < LEAST_FREE_BYTES / 4)
    return fail("disk", found, "Make room, or keep less (retention in earshot.yaml).");
  return free < LEAST_FREE_BYTES || free < bytes / 10
    ? warn("disk", found, "Make room, or keep less (retention in earshot.yaml).")
    : ok("disk", found);
}

function clock(skewMs: number, uncertaintyMs: number): Finding {
  const seconds = (Math.abs(skewMs) / SECOND).toFixed(1);
  if (Math.abs(skewMs) <= SECOND + uncertaintyMs)
    return ok("clock", "this machine and the database agree on the time");
  const found = `the database's clock is ${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} this machine's`;
  const advice = "Let both machines follow one time server (NTP).";
  return Math.abs(skewMs) > 30 * SECOND ? fail("clock", found, advice) : warn("clock", found, advice);
}

function connections({ maxConnections, connections: used }: DatabaseFacts): Finding {
  const found = `${used} of ${maxConnections} are in use`;
  return maxConnections < OWN_DESCRIPTORS.database + 10
    ? warn(
        "connections",
        found,
        `Raise max_connections: one process of all roles takes up to ${OWN_DESCRIPTORS.database}.`,
      )
    : ok("connections", found);
}

function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
