import { createHash } from "node:crypto";

/** Chance that repeats itself: the same seed gives the same numbers, in every process, for ever. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** A bag of items: each is drawn once before any is drawn again. */
  bag<Item>(items: readonly Item[]): () => Item;
  /** By weight. */
  weighted<Item>(items: readonly (readonly [Item, number])[]): Item;
  /** Waiting times with this mean. */
  exponential(mean: number): number;
  /** How many of something that happens `mean` times on average. */
  poisson(mean: number): number;
}

export function createRandom(...seed: readonly (string | number)[]): Random {
  const next = sfc32(createHash("sha256").update(JSON.stringify(seed)).digest());

  function weighted<Item>(items: readonly (readonly [Item, number])[]): Item {
    let rest = next() * items.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [item, weight] of items) {
      rest -= weight;
      if (rest < 0) return item;
    }
    return pick(items)[0];
  }

  function pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(next() * items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  function bag<Item>(items: readonly Item[]): () => Item {
    let rest: Item[] = [];
    return () => {
      if (rest.length === 0) rest = [...items];
      const item = pick(rest);
      rest.splice(rest.indexOf(item), 1);
      return item;
    };
  }

  const exponential = (mean: number) => -Math.log(1 - next()) * mean;

  return {
    next,
    whole: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (probability) => next() < probability,
    pick,
    bag,
    weighted,
    exponential,
    poisson(mean) {
      let count = 0;
      for (let at = exponential(1); at < mean; at += exponential(1)) count++;
      return count;
    },
  };
}

/** The small fast counting generator: 128 bits of state, all of them from the seed. */
function sfc32(seed: Buffer): () => number {
  let [a, b, c, d] = [seed.readInt32LE(0), seed.readInt32LE(4), seed.readInt32LE(8), seed.readInt32LE(12)];
  return () => {
    const result = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return (result >>> 0) / 4_294_967_296;
  };
}
