import type { CompiledQuery } from "./compile.ts";
import type { Alternatives, RequiredTerm } from "./required-terms.ts";
import type { Searchable } from "./search-text.ts";

/** Many queries, asked at once. A mention is matched only against those whose rarest required term it contains. */
interface QueryIndex<Id> {
  /** Ids of the queries that match, in the order in which they were given. */
  matching(mention: Searchable): Id[];
  /** Ids of the queries that a mention is matched against, before it is known whether they match, in that order. */
  candidates(mention: Searchable): Id[];
}

interface IndexedQuery<Id> {
  readonly id: Id;
  readonly query: CompiledQuery;
}

/** Builds the index. Long words count as rare. */
export function createQueryIndex<Id>(queries: readonly IndexedQuery<Id>[]): QueryIndex<Id> {
  const byWord = new Map<string, number[]>();
  const byBeginning = new Map<string, number[]>();
  const always: number[] = [];
  for (const [number, { query }] of queries.entries()) {
    const rarest = rarestOf(query.required);
    if (rarest === undefined) always.push(number);
    for (const term of new Set(rarest)) {
      const map = term.isWhole ? byWord : byBeginning;
      const there = map.get(term.folded);
      if (there === undefined) map.set(term.folded, [number]);
      else if (there.at(-1) !== number) there.push(number);
    }
  }
  const lengths = [...new Set([...byBeginning.keys()].map((beginning) => beginning.length))];

  /** Marks of the current mention, so that a query met through two words is matched once. */
  const seenAt = new Uint32Array(queries.length);
  let round = 0;

  function candidates({ text }: Searchable): IndexedQuery<Id>[] {
    if (++round === 0xffff_ffff) {
      seenAt.fill(0);
      round = 1;
    }
    const found = [...always];
    const take = (numbers: readonly number[] | undefined): void => {
      if (numbers === undefined) return;
      for (const number of numbers) {
        if (seenAt[number] === round) continue;
        seenAt[number] = round;
        found.push(number);
      }
    };
    for (const word of text.byWord.keys()) {
      take(byWord.get(word));
      for (const length of lengths) if (length <= word.length) take(byBeginning.get(word.slice(0, length)));
    }
    return found.sort((a, b) => a - b).flatMap((number) => queries[number] ?? []);
  }

  return {
    matching: (mention) =>
      candidates(mention)
        .filter(({ query }) => query.matches(mention))
        .map(({ id }) => id),
    candidates: (mention) => candidates(mention).map(({ id }) => id),
  };
}

/** Estimates the share of texts that contain a term. */
function commonness({ folded, isWhole }: RequiredTerm): number {
  // Half of the estimate for each further letter; a beginning matches several words.
  return 2 ** -Math.min(folded.length, 20) * (isWhole ? 1 : 4);
}

function rarestOf(required: readonly Alternatives[]): Alternatives | undefined {
  let rarest: Alternatives | undefined;
  let share = Number.POSITIVE_INFINITY;
  for (const alternatives of required) {
    const total = alternatives.reduce((sum, term) => sum + commonness(term), 0);
    if (total < share) {
      rarest = alternatives;
      share = total;
    }
  }
  return rarest;
}
