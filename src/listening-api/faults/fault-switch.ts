import { AsyncLocalStorage } from "node:async_hooks";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { fitsGlob } from "../../lib/patterns.ts";
import { invalidRequest } from "../parameters/api-error.ts";
import type { Database } from "../store/database.ts";
import { FAULT_HEADER, type FaultKind, readFaultHeader } from "../store/fault-kinds.ts";
import { claimFault, listActiveFaults } from "../store/faults.ts";

/** Knows for each call what is to go wrong with it. */
export interface FaultSwitch {
  /** Adds the hook that looks up the faults of a call. Before every other hook. */
  watch(app: FastifyInstance): void;
  /** The faults of the call that is being answered, null when it has none. */
  current(): CallFaults | null;
}

interface FaultSwitchOptions {
  /** Faults may be asked for in the header of a call, too. */
  readonly testMode: boolean;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Faults are stored in the tables, so they happen in any process that serves the call. */
export function createFaultSwitch(db: Database, { testMode, random }: FaultSwitchOptions): FaultSwitch {
  const calls = new AsyncLocalStorage<CallFaults | null>();
  // From its first use on, the storage follows every promise of the process, which Node 20 does slowly.
  let hadFaults = false;

  async function faultsOf(request: FastifyRequest): Promise<CallFaults | null> {
    const stored = (await listActiveFaults(db)).map((fault) => ({
      ...fault,
      claim: () => claimFault(db, fault.id),
    }));
    const inHeader = testMode ? askedFaults(request) : [];
    return createCallFaults([...inHeader, ...stored], request.url, random);
  }

  return {
    watch(app) {
      app.addHook("onRequest", (request, _reply, done) => {
        faultsOf(request).then((faults) => {
          hadFaults ||= faults !== null;
          if (hadFaults) calls.run(faults, done);
          else done();
        }, done);
      });
    },
    current: () => calls.getStore() ?? null,
  };
}

function askedFaults(request: FastifyRequest): FaultCandidate[] {
  const header = request.headers[FAULT_HEADER];
  if (header === undefined) return [];
  const faults = readFaultHeader(String(header));
  if (typeof faults === "string") throw invalidRequest(faults);
  return faults.map((fault) => ({ ...fault, path: null, probability: 1, claim: async () => true }));
}

/** A fault that happens to the call at hand. */
export interface HappeningFault {
  readonly kind: FaultKind;
  readonly amount: number | null;
  readonly probability: number;
}

/** The faults of one call. Each is used up only where it takes effect. */
export interface CallFaults {
  /** The first of these kinds that happens to this call. The same answer for the same call. */
  take(...kinds: readonly FaultKind[]): Promise<HappeningFault | undefined>;
}

interface FaultCandidate extends HappeningFault {
  readonly path: string | null;
  /** Uses it once; false if none is left. */
  claim(): Promise<boolean>;
}

/** Null if no fault can happen to a call of this address (a path with its parameters). */
function createCallFaults(
  candidates: readonly FaultCandidate[],
  address: string,
  random: () => number,
): CallFaults | null {
  const fitting = candidates.filter(({ path }) => path === null || fitsGlob(`*${path}*`, address));
  if (fitting.length === 0) return null;
  const taken = new Map<string, Promise<HappeningFault | undefined>>();

  async function first(kinds: readonly FaultKind[]): Promise<HappeningFault | undefined> {
    for (const candidate of fitting) {
      if (!kinds.includes(candidate.kind)) continue;
      if (happens(candidate, random) && (await candidate.claim())) return candidate;
    }
    return undefined;
  }

  return {
    take(...kinds) {
      const key = kinds.join();
      const known = taken.get(key) ?? first(kinds);
      taken.set(key, known);
      return known;
    },
  };
}

/** Of mentions that are late, the probability is the share: the fault itself always happens. */
function happens({ kind, probability }: FaultCandidate, random: () => number): boolean {
  return kind === "late" || probability >= 1 || random() < probability;
}
