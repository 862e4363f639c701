/** A moment in milliseconds since 1970. */
export type Moment = number;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** One state of a mention, as the Listening API showed it from `from` until `to`. */
export interface Fact {
  readonly query: string;
  readonly id: string;
  readonly from: Moment;
  /** Null: it is shown to the end. */
  readonly to: Moment | null;
  /** When it was published. */
  readonly at: Moment;
  readonly sentiment: string | null;
  readonly author: string | null;
  /** The display name. */
  readonly name: string | null;
  /** What stands for an author where there is none: the title of the site, or its domain. */
  readonly site: string | null;
  readonly domain: string | null;
  readonly followers: number | null;
  readonly reach: number | null;
  readonly verified: boolean;
  readonly title: string | null;
  readonly text: string | null;
  readonly url: string | null;
  readonly hashtags: readonly string[];
  readonly categories: readonly string[];
  readonly isDeleted: boolean;
  readonly isRepost: boolean;
}

/** One try to hand a message over, and what the vendor of the receiver answered: that it takes it, not now, or never. */
export interface Attempt {
  /** As the configuration names it. */
  readonly receiver: string;
  /** Which message: a correction of it has the same name. */
  readonly message: string;
  readonly at: Moment;
  readonly answer: "taken" | "later" | "never";
}

/** What went wrong beside what was published. */
interface Trouble {
  readonly attempts: readonly Attempt[];
  /** Mails that were taken, and came back from this address at that moment. */
  readonly cameBack: readonly { readonly address: string; readonly at: Moment }[];
  /** When mentions were shown that cannot be stored. They are no facts. */
  readonly unstorable: readonly Moment[];
}

/** Everything that was written, and when it could be known; and from when on somebody listened. */
export interface World {
  readonly name: string;
  readonly timezone: string;
  readonly brands: readonly string[];
  readonly facts: readonly Fact[];
  /** Mentions before this moment were read as the past. */
  readonly from: Moment;
  readonly to: Moment;
  /** A mention is known so long after it is shown, at the latest: the poll interval and the steps of the clock. */
  readonly lagMs: number;
  /** The moments to which the clock was set, if it moves in longer steps than that: between two nothing is read. */
  readonly steps?: readonly Moment[];
  readonly trouble?: Trouble;
}

/** Which mentions are meant: "negative mentions" of a brand. */
export interface Slice {
  readonly brand: string | null;
  readonly test: (fact: Fact) => boolean;
}

/** The least and the most that a true number can be, given what could be known when it was said. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** A mention with all its states, in order. */
interface Entry {
  readonly at: Moment;
  readonly query: string;
  readonly states: readonly Fact[];
}

/** The mentions of a world, with what could be known of them at a moment. */
export class Recount {
  readonly world: World;
  /** When the first mention was published. */
  readonly first: Moment;
  readonly #entries: readonly Entry[];
  /** The last answer of `all`: the statements of a message, and the messages of a step, ask for the same moment. */
  #all: { readonly said: Moment; readonly facts: readonly Fact[] } | null = null;

  constructor(world: World) {
    this.world = world;
    const states = new Map<string, Fact[]>();
    for (const fact of world.facts) {
      const key = `${fact.query}\n${fact.id}`;
      const known = states.get(key);
      if (known === undefined) states.set(key, [fact]);
      else known.push(fact);
    }
    const entries: Entry[] = [];
    for (const known of states.values()) {
      known.sort((a, b) => a.from - b.from);
      const [one] = known;
      if (one !== undefined) entries.push({ at: one.at, query: one.query, states: known });
    }
    this.#entries = entries.sort((a, b) => a.at - b.at);
    this.first = this.#entries[0]?.at ?? world.from;
  }

  /** When the first mention of a brand was published. */
  firstOf(brand: string): Moment {
    return this.#entries.find(({ query }) => query === brand)?.at ?? this.world.from;
  }

  /** The mentions of [from, to) that somebody who asked at `known` had seen, in the state of that moment. */
  in(slice: Slice, from: Moment, to: Moment, known: Moment): readonly Fact[] {
    const found: Fact[] = [];
    for (const entry of this.#in(slice.brand, from, to)) {
      const fact = stateAt(entry, known);
      if (fact !== undefined && !fact.isDeleted && slice.test(fact)) found.push(fact);
    }
    return found;
  }

  /** How many there can be said to be in [from, to), at `said`: what is late may or may not be among them. */
  bounds(slice: Slice, from: Moment, to: Moment, said: Moment): Bounds {
    const lagMs = this.#lagAt(said);
    let least = 0;
    let most = 0;
    for (const { states } of this.#in(slice.brand, from, to)) {
      let shown = 0;
      let matching = 0;
      for (const fact of states) {
        if (fact.from > said || (fact.to ?? said) < said - lagMs) continue;
        shown += 1;
        if (!fact.isDeleted && slice.test(fact)) matching += 1;
      }
      if (matching > 0) most += 1;
      if (matching > 0 && matching === shown && (states[0]?.from ?? said) <= said - lagMs) least += 1;
    }
    return { least, most };
  }

  /** A message at a step may have been written before the poll of that step: it knows what the step before brought. */
  #lagAt(at: Moment): number {
    const { lagMs, steps = [] } = this.world;
    const before = steps[steps.findLastIndex((one) => one <= at) - 1];
    return before === undefined ? lagMs : Math.max(lagMs, at - before + MINUTE);
  }

  /** All mentions in every state in which they could be known then: a change is read a poll later. */
  all(said: Moment): readonly Fact[] {
    if (this.#all?.said === said) return this.#all.facts;
    const oldest = said - this.#lagAt(said);
    const facts = this.#entries.flatMap(({ states }) =>
      states.filter(({ from, to }) => from <= said && (to ?? said) >= oldest),
    );
    this.#all = { said, facts };
    return facts;
  }

  /** What a message can know: the newest, and what polls before it had read. */
  knownAt(said: Moment): readonly Moment[] {
    const lagMs = this.#lagAt(said);
    return Array.from({ length: Math.ceil(lagMs / (5 * MINUTE)) + 1 }, (_, index) =>
      Math.max(said - index * 5 * MINUTE, said - lagMs),
    );
  }

  *#in(brand: string | null, from: Moment, to: Moment): Generator<Entry> {
    for (let i = lowerBound(this.#entries, from); i < this.#entries.length; i++) {
      const entry = this.#entries[i];
      if (entry === undefined || entry.at >= to) return;
      if (brand === null || entry.query === brand) yield entry;
    }
  }
}

function stateAt({ states }: Entry, known: Moment): Fact | undefined {
  return states.findLast((fact) => fact.from <= known);
}

function lowerBound(entries: readonly Entry[], at: Moment): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
