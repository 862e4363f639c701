import { AsyncLocalStorage } from "node:async_hooks";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { invalidRequest } from "../http/api-error.ts";
import type { Database } from "../store/database.ts";
import { claimFault, listActiveFaults } from "../store/faults.ts";
import { type CallFaults, createCallFaults, type FaultCandidate } from "./call-faults.ts";
import { FAULT_HEADER, readFaultHeader } from "./read-fault-header.ts";

/** Knows for each call what is to go wrong with it. */
export interface FaultSwitch {
  /** Adds the hook that looks up the faults of a call. Before every other hook. */
  watch(app: FastifyInstance): void;
  /** The faults of the call that is being answered, null when it has none. */
  current(): CallFaults | null;
}

export interface FaultSwitchOptions {
  /** Faults may be asked for in the header of a call, too. */
  readonly testMode: boolean;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Faults are stored in the tables, so they happen in any process that serves the call. */
export function createFaultSwitch(db: Database, { testMode, random }: FaultSwitchOptions): FaultSwitch {
  const calls = new AsyncLocalStorage<CallFaults | null>();

  async function faultsOf(request: FastifyRequest): Promise<CallFaults | null> {
    const stored = (await listActiveFaults(db)).map((fault) => ({
      ...fault,
      claim: () => claimFault(db, fault.id),
    }));
    const asked = testMode ? askedFaults(request) : [];
    return createCallFaults([...asked, ...stored], request.url, random);
  }

  return {
    watch(app) {
      app.addHook("onRequest", (request, _reply, done) => {
        faultsOf(request).then((faults) => calls.run(faults, done), done);
      });
    },
    current: () => calls.getStore() ?? null,
  };
}

function askedFaults(request: FastifyRequest): FaultCandidate[] {
  const header = request.headers[FAULT_HEADER];
  if (header === undefined) return [];
  const asked = readFaultHeader(String(header));
  if (typeof asked === "string") throw invalidRequest(asked);
  return asked.map((fault) => ({ ...fault, path: null, probability: 1, claim: async () => true }));
}
