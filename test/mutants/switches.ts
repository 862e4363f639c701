/**
 * The state that the mutated code asks (`writeSwitches`): which mutant is active, and which were asked for. One of a
 * process, since the mutated files and the runner are loaded apart.
 */
export interface Switches {
  /** Of the code: whether the mutant is the active one. */
  readonly isActive: (id: number) => boolean;
  /** Whether mutants are noted that are asked for. */
  readonly reached: Set<number>;
  activate(id: number | null, most?: number): void;
  /** How often was asked since `activate`. */
  asked(): number;
}

/** Code that never comes to an end because of a mutant asks again and again. */
class EndlessError extends Error {}

const SCOPE = globalThis as { __earshotMutants?: Switches };

export function switches(): Switches {
  SCOPE.__earshotMutants ??= create();
  return SCOPE.__earshotMutants;
}

function create(): Switches {
  const reached = new Set<number>();
  let active: number | null = null;
  let asked = 0;
  let most = Number.POSITIVE_INFINITY;
  return {
    reached,
    isActive: (id) => {
      asked++;
      if (active === null) {
        reached.add(id);
        return false;
      }
      if (asked > most) throw new EndlessError(`it asked ${asked} times`);
      return id === active;
    },
    activate: (id, atMost = Number.POSITIVE_INFINITY) => {
      active = id;
      asked = 0;
      most = atMost;
    },
    asked: () => asked,
  };
}
