import { createRandom } from "../../src/local-api/simulate/random.ts";

/** Whom a strike hits. Workers are the places of `CREW`. */
export type Strike = { readonly at: number } & (
  | { readonly kind: "worker"; readonly place: number }
  | { readonly kind: "database" | "queue" | "connections" }
);

/** Who works: two of those that several processes should share. `sweep` is the scheduler. */
export const CREW = ["poll", "poll", "tick", "deliver", "deliver", "sweep"] as const;

/** `kills` strikes at random moments, `everyMs` apart on average; the same for the same seed. */
export function planStrikes(options: {
  readonly seed: number;
  readonly kills: number;
  readonly everyMs: number;
}): Strike[] {
  const random = createRandom("chaos strikes", options.seed);
  return Array.from({ length: options.kills }, (_, index) => {
    const at = Math.round((index + random.next()) * options.everyMs);
    const kind = random.weighted<Strike["kind"]>(KINDS);
    return kind === "worker" ? { at, kind, place: random.whole(0, CREW.length - 1) } : { at, kind };
  });
}

const KINDS: readonly (readonly [Strike["kind"], number])[] = [
  ["worker", 76],
  ["connections", 10],
  ["queue", 8],
  ["database", 6],
];
