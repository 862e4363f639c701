import { fitsGlob } from "../../lib/glob.ts";
import type { FaultKind } from "./fault-kinds.ts";

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

export interface FaultCandidate extends HappeningFault {
  readonly path: string | null;
  /** Uses it once; false if none is left. */
  claim(): Promise<boolean>;
}

/** Null if no fault can happen to a call of this address (a path with its parameters). */
export function createCallFaults(
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
