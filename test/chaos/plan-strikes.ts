import { createRandom, type Random } from "../../src/local-api/simulate/random.ts";

/** The target of a strike. Workers are indexes of `CREW`. */
export type Strike = { readonly at: number } & (
  | { readonly kind: "worker"; readonly place: number }
  | { readonly kind: "database" | "queue" | "connections" }
);

/** The workers: two of those that several processes should share. `sweep` is the scheduler. */
export const CREW = ["poll", "poll", "tick", "deliver", "deliver", "digest", "sweep"] as const;

/**
 * `kills` strikes at random moments, `everyMs` apart on average; the same for the same seed. Kinds and targets are
 * dealt like cards, so that even a short run has all of them.
 */
export function planStrikes(options: {
  readonly seed: number;
  readonly kills: number;
  readonly everyMs: number;
}): Strike[] {
  const random = createRandom("chaos strikes", options.seed);
  const nextKind = deal(KINDS, random);
  const nextPlace = deal([...CREW.keys()], random);
  return Array.from({ length: options.kills }, (_, index) => {
    const at = Math.round((index + random.next()) * options.everyMs);
    const kind = nextKind();
    return kind === "worker" ? { at, kind, place: nextPlace() } : { at, kind };
  });
}

/** One after the other in an order that is shuffled each time all were there. */
export function deal<T>(cards: readonly T[], random: Pick<Random, "next">): () => T {
  let hand: T[] = [];
  return () => {
    if (hand.length === 0)
      hand = cards
        .map((card) => ({ card, place: random.next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ card }) => card);
    const [next, ...rest] = hand;
    if (next === undefined) throw new RangeError("there is nothing to deal");
    hand = rest;
    return next;
  };
}

const KINDS: readonly Strike["kind"][] = [
  ...Array<"worker">(12).fill("worker"),
  ...(["connections", "connections", "queue", "database"] as const),
];

/** So many strikes have every kind among them, and every fault. */
export const ENOUGH_FOR_ALL = 40;
