import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type ProcessReport, type Stores, versionsIn } from "#monitor";
import { describeError } from "../../lib/errors.ts";
import { MINUTE, SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { loopDelay } from "../../lib/loop-delay.ts";
import type { LoadedFiles } from "./load-files.ts";

/** Seconds back that the reported delay of the loop is about. */
export const REPORTED_SECONDS = MINUTE / SECOND;

export type ReloadStores = Pick<Stores, "processes" | "settings">;

/** What a process reports about itself from its first moment on. */
export interface JoinedProcess {
  /** Reports it for the first time. Without an answer of the database it goes on; it reports itself again later. */
  join(stores: ReloadStores): Promise<void>;
  first(): ProcessReport;
}

/** Call `join` before the process works: until then, others end alerts of rules that only this process knows. */
export function joinProcesses(
  roles: readonly string[],
  files: Pick<LoadedFiles, "digest">,
  log: Logger,
): JoinedProcess {
  let me: ProcessReport | null = null;
  return {
    join: async (stores) => {
      const version = (await versionsIn(stores))(files.digest);
      const named = { id: randomUUID(), host: hostname(), pid: process.pid, roles };
      me = { ...named, version, refused: null, answered: null, loop: loopDelay(REPORTED_SECONDS) };
      const request = await stores.processes.report(me).catch((error: unknown) => {
        log.warn({ error: describeError(error) }, "the process could not report itself");
        return null;
      });
      // A request from before the start was read by others; whether its files are here shows later.
      me = { ...me, answered: request?.id ?? null };
    },
    first: () => {
      if (me === null) throw new Error("the process has not joined the others");
      return me;
    },
  };
}
