import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { UserError } from "../../../lib/errors.ts";

/** What new tables need, with PostgreSQL's log of writes and room for the first days. */
const NEEDED_MB = 250;

type DiskSpace =
  | { readonly outcome: "Enough" }
  | { readonly outcome: "TooLittle"; readonly freeMb: number; readonly neededMb: number };

export function decideDiskSpace(freeBytes: number): DiskSpace {
  const freeMb = Math.floor(freeBytes / 2 ** 20);
  return freeMb >= NEEDED_MB ? { outcome: "Enough" } : { outcome: "TooLittle", freeMb, neededMb: NEEDED_MB };
}

/** Rejects with a UserError before tables are made on a disk that they would fill. `directory` need not exist yet. */
export async function expectDiskSpace(directory: string): Promise<void> {
  const parent = dirname(directory);
  // Where that cannot be asked, PostgreSQL will say it.
  const found = await statfs(parent).catch(() => null);
  if (found === null) return;
  const space = decideDiskSpace(found.bavail * found.bsize);
  if (space.outcome === "Enough") return;
  throw new UserError(
    `the disk of ${parent} has ${space.freeMb} MB left, and a new database needs ${space.neededMb} MB`,
    ["make room there, or set DATABASE_URL to a PostgreSQL of your own"],
  );
}
