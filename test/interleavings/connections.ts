import { type Database, openDatabase } from "../../src/monitor/store/database.ts";
import { readPostgres } from "../crash-points/proxies/postgres.ts";
import { openRelay } from "../crash-points/proxies/relay.ts";
import type { Stage } from "../crash-points/stage.ts";
import { createHold, type Hold } from "./hold.ts";

/** Those of a process. They outlive it: the next one finds them open, and PostgreSQL knows the tables and statements. */
export interface Connections<P> {
  open(): Promise<P>;
  close(): Promise<void>;
}

/** Of the two processes of a play. */
export interface OpenConnections<P> {
  readonly first: HeldConnections<P>;
  readonly second: HeldConnections<P>;
  /** Whoever looks on. */
  readonly watch: Database;
  close(): Promise<void>;
}

/** Those of a process that may be held. */
interface HeldConnections<P> extends Connections<P> {
  /** What decides about its statements from now on. */
  setHold(hold: Hold): void;
}

export async function openConnections<P>(
  stage: Stage,
  url: string,
  connect: (url: string) => Connections<P>,
): Promise<OpenConnections<P>> {
  const [first, second] = [await openHeld(stage, url, connect), await openHeld(stage, url, connect)];
  const watch = openDatabase({ url, connections: 1, onError: () => {} });
  return {
    ...{ first, second, watch },
    close: async () => {
      await first.close();
      await second.close();
      await watch.close();
    },
  };
}

async function openHeld<P>(
  stage: Stage,
  url: string,
  connect: (url: string) => Connections<P>,
): Promise<HeldConnections<P>> {
  let hold = createHold();
  const relay = await openRelay(
    () => stage.postgresPort,
    {
      isShut: () => false,
      before: (step) => hold.before(step),
      after: () => true,
    },
    () => readPostgres({ every: true }),
  );
  const relayed = new URL(url);
  relayed.port = String(relay.port);
  const connections = connect(relayed.href);
  return {
    open: () => connections.open(),
    setHold: (next) => {
      hold = next;
    },
    close: async () => {
      await connections.close();
      await relay.close();
    },
  };
}
