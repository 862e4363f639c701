import { UserError } from "../../lib/errors.ts";
import { MINUTE, SECOND } from "../../lib/instant.ts";
import { createWorkerPool } from "../../lib/worker-pool.ts";
import { type AccountFile, readAccountFile } from "./account-file.ts";
import type { AccountTasks } from "./account-thread.ts";

/** Of an account file, in bytes. One of 3,000 queries or 100,000 tags has less. */
export const MOST_ACCOUNT_BYTES = 8_000_000;
/** Below this a file takes less than two seconds and 200 MB, whatever is in it: no thread has to be started. */
const SMALL = 200_000;
/** A valid file of the greatest size takes half of it. */
const LIMITS = { processorMs: 30 * SECOND, clockMs: 10 * MINUTE };

/**
 * Reads an account file. One that is not small is read in a thread first, which is ended if it takes too much time or
 * memory: a file may come from others, and nobody waits for minutes to learn what is wrong with it. Rejects with one
 * `UserError` with the first faults.
 */
export async function readAccount(file: string, text: string): Promise<AccountFile> {
  if (text.length > SMALL) {
    const pool = createWorkerPool<AccountTasks>("src/listening-api/account/account-thread", {
      ...{ threads: 1, memoryMb: 1_536 },
    });
    try {
      const read = await pool.run("check", { file, text }, LIMITS);
      if (read.outcome === "Failed") throw new UserError(`${file} could not be read: ${read.message}`);
      if (read.outcome !== "Done")
        throw new UserError(`${file} takes too much time or memory to read.`, [
          "make several files of it, such as one for each client; what a file leaves out stays as it is",
        ]);
      if (read.result !== null) throw new UserError(read.result.message, read.result.details);
    } finally {
      await pool.close();
    }
  }
  return readAccountFile(file, text);
}
