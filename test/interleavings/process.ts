import { CompiledQuery, sql } from "kysely";
import type { Config } from "../../src/admin/config/config.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { createLog } from "../../src/lib/log.ts";
import { createAlertActions } from "../../src/monitor/alerts/actions/alert-actions.ts";
import type { PngRenderer } from "../../src/monitor/charts/png-renderer.ts";
import { createOutageLog } from "../../src/monitor/health/note-outages.ts";
import type { AlertActions } from "../../src/monitor/model/alert-actions.ts";
import { type OpenVersion, openVersion, type VersionFiles } from "../../src/monitor/open-version.ts";
import { createQueues } from "../../src/monitor/queue/queues.ts";
import { createWorker } from "../../src/monitor/queue/worker.ts";
import { handlersOf, ROLES, type Role } from "../../src/monitor/roles.ts";
import type { Database } from "../../src/monitor/store/database.ts";
import { createStores, type Stores } from "../../src/monitor/store/stores.ts";
import { POLLS_THAT_WAIT } from "../crash-points/loops.ts";
import { idle } from "../idle.ts";
import { lendDatabase } from "./lend.ts";

/** One Earshot on its own connections. Nobody works on its jobs until it settles: they are only reminders. */
export interface Process {
  readonly config: Config;
  readonly clock: Clock;
  readonly database: Database;
  readonly stores: Stores;
  readonly version: OpenVersion;
  readonly actions: AlertActions;
  /**
   * Works until the tables say that nothing is due. The database's clock moves on while something waits for it: by so many
   * seconds.
   */
  settle(): Promise<number>;
  close(): Promise<void>;
}

const log = createLog({ level: process.env["LOG_LEVEL"] ?? "silent" });

export async function openProcess(parts: {
  readonly files: VersionFiles & { readonly config: Config };
  readonly pictures: PngRenderer;
  /** It stays open when the process ends. */
  readonly database: Database;
  readonly clock: Clock;
}): Promise<Process> {
  const { files, pictures, clock } = parts;
  const closing = createClosing();
  const database = lendDatabase(parts.database, closing);
  const stores = createStores(database.db);
  const queues = await createQueues({ backend: { kind: "in-process" }, log });
  closing.add(queues.close);
  const version = await openVersion(
    {
      ...{ database, stores, queues, pictures, clock, log },
      outages: createOutageLog({ stores, clock, sweepsRun: false, queueIn: "in-process" }),
      ...{ roles: ROLES, watchFrom: clock.now(), startedAt: clock.now(), sweepsRun: false },
      checksHealth: false,
      feedHealth: async () => [],
      consoleUrl: () => "http://console.example",
      forMessages: {},
      onDone: () => {},
    },
    files,
  );
  closing.add(version.close);
  closing.add(async () => version.abort());
  const workerOf = (roles: readonly Role[]) => {
    const worker = createWorker({ queues, handlers: handlersOf(roles, version.handlers), log });
    closing.add(worker.stop);
    return worker;
  };
  const [deciding, delivering] = [workerOf(["poll", "tick", "digest"]), workerOf(["deliver"])];
  let isWorking = false;
  return {
    ...{ config: files.config, clock, database, stores, version },
    actions: createAlertActions({ stores, clock }),
    settle: async () => {
      if (!isWorking) await deciding.start();
      // All that is to be said is decided before the first of it is sent: whichever a sweep found first, the end is one.
      for (let rounds = 0; !isWorking && rounds < MOST_ROUNDS; rounds++) {
        const { polls, windows, decisions, digests } = await version.sweep();
        if (polls + windows + decisions + digests === 0) break;
        await idle(queues, ["poll", "tick", "digest"]);
      }
      if (!isWorking) await delivering.start();
      isWorking = true;
      let waitedS = 0;
      for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
        await idle(queues);
        // Asked before the sweep: what becomes due between the two is waited for here, or is found there.
        const waiting = (await stores.dueWork.unsettled()) + (await stores.notifications.unsettled());
        const polls = CompiledQuery.raw(POLLS_THAT_WAIT, [new Date(clock.now())]);
        const later = (await database.db.executeQuery(polls)).rows.length;
        const swept = await version.sweep();
        if (Object.values(swept).some((count) => count > 0)) continue;
        if (waiting + later === 0) return waitedS;
        waitedS += STEP_S;
        await sql`select harness.put_forward(${STEP_S})`.execute(database.db);
      }
      throw new Error("nothing settles");
    },
    close: () => closing.close(),
  };
}

const MOST_ROUNDS = 60;
const STEP_S = 2;
