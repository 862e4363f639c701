import { createRandom, type Random } from "../../src/listening-api/simulate/random.ts";

/** The target of a kill. `slot` is an index of `WORKER_ROLES`. */
export type Kill = { readonly at: number } & (
  | { readonly kind: "worker"; readonly slot: number }
  | { readonly kind: "database" | "queue" | "older queue" | "connections" }
);

/**
 * The roles of each worker. Most roles are there twice, since processes share them; the worker with three hands jobs over,
 * as `earshot start` does. `sweep` is the scheduler.
 */
export const WORKER_ROLES = [
  "poll",
  "poll tick deliver",
  "tick",
  "deliver",
  "deliver",
  "digest",
  "sweep",
] as const;

/**
 * `kills` of them at random moments, `everyMs` apart on average; the same for the same seed. Kinds and targets are
 * dealt like cards, so that even a short run has all of them.
 */
export function planKills(options: {
  readonly seed: number;
  readonly kills: number;
  readonly everyMs: number;
  readonly queue: QueueKind;
}): Kill[] {
  const random = createRandom("chaos kills", options.seed);
  const nextKind = deal(options.queue === "redis" ? [...KINDS, OLDER] : KINDS, random);
  const nextSlot = deal([...WORKER_ROLES.keys()], random);
  return Array.from({ length: options.kills }, (_, index) => {
    const at = Math.round((index + random.next()) * options.everyMs);
    const kind = nextKind();
    return kind === "worker" ? { at, kind, slot: nextSlot() } : { at, kind };
  });
}

/** One after the other in an order that is shuffled each time all were there. */
export function deal<T>(cards: readonly T[], random: Pick<Random, "next">): () => T {
  let hand: T[] = [];
  return () => {
    if (hand.length === 0)
      hand = cards
        .map((card) => ({ card, order: random.next() }))
        .sort((a, b) => a.order - b.order)
        .map(({ card }) => card);
    const [next, ...others] = hand;
    if (next === undefined) throw new RangeError("there is nothing to deal");
    hand = others;
    return next;
  };
}

export type QueueKind = "redis" | "postgres";

/** Of Redis alone: a PostgreSQL that comes back has all that was committed. */
const OLDER: Kill["kind"] = "older queue";
const KINDS: readonly Kill["kind"][] = [
  ...Array<"worker">(12).fill("worker"),
  ...(["connections", "connections", "queue", "database"] as const),
];
