/** A group of queries of the account: one id in an address that asks for all its members. */
export interface GroupOffer {
  readonly groupId: string;
  readonly queryIds: readonly string[];
  /** Rows that an answer would have of members which nobody wants now. */
  readonly surplusRows: number;
}

/** Which ids name the wanted queries: each is in one group of these, or is named itself. */
interface Cover {
  readonly groups: ReadonlyMap<string, readonly string[]>;
  readonly singles: readonly string[];
  /** How many ids that is, and a number below which no choice among the same groups can be. */
  readonly ids: number;
  readonly atLeast: number;
}

/**
 * The smallest cover of the wanted queries that a greedy choice finds: again and again the group that names the most
 * queries which no chosen group names. It is larger than the smallest one by the logarithm of the largest group at most.
 *
 * A group with members that nobody wants fills pages with their rows. It is chosen if the ids that it saves are worth
 * those rows. `rowsPerId` is the price: the share of a page that one id of a full address has.
 */
export function coverQueries(
  wanted: readonly string[],
  offers: readonly GroupOffer[],
  rowsPerId: number,
): Cover {
  const isWanted = new Set(wanted);
  const groups = offers
    .map(({ groupId, queryIds, surplusRows }) => {
      const members = [...new Set(queryIds)].filter((id) => isWanted.has(id));
      return { groupId, members, surplusRows, fresh: members.length };
    })
    .filter((group) => isAcceptable(group, rowsPerId))
    // Equal ones are chosen in one order, so that the same groups give the same addresses.
    .sort((a, b) => a.surplusRows - b.surplusRows || (a.groupId < b.groupId ? -1 : 1));
  const groupsOf = new Map<string, (typeof groups)[number][]>();
  for (const group of groups)
    for (const id of group.members) groupsOf.set(id, [...(groupsOf.get(id) ?? []), group]);
  const chosen: (typeof groups)[number][] = [];
  /** What each query costs in this choice: its share of the id that names it. */
  const prices = new Map(wanted.map((id) => [id, 1]));
  const open = new Set(isWanted);
  for (;;) {
    let best: (typeof groups)[number] | null = null;
    for (const group of groups)
      if (isAcceptable(group, rowsPerId) && group.fresh > (best?.fresh ?? 1)) best = group;
    if (best === null) break;
    const price = 1 / best.fresh;
    chosen.push(best);
    for (const id of best.members) {
      if (!open.delete(id)) continue;
      prices.set(id, price);
      for (const group of groupsOf.get(id) ?? []) group.fresh -= 1;
    }
  }
  const kept = withoutNeedless(chosen);
  const ids = kept.size + open.size;
  return { groups: kept, singles: [...open], ids, atLeast: lowerBound(wanted, groups, prices, ids) };
}

interface RatedGroup {
  readonly groupId: string;
  readonly members: readonly string[];
  readonly surplusRows: number;
  /** Members that no chosen group names. */
  readonly fresh: number;
}

/** For one query its own id does as well, and brings nothing else. */
function isAcceptable({ fresh, surplusRows }: RatedGroup, rowsPerId: number): boolean {
  return fresh > 1 && surplusRows <= (fresh - 1) * rowsPerId;
}

/** The chosen groups, less those whose members later choices name as well. Each query is left in one of them. */
function withoutNeedless(chosen: readonly RatedGroup[]): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, number>();
  for (const { members } of chosen) for (const id of members) named.set(id, (named.get(id) ?? 0) + 1);
  const needed = chosen.filter(({ members }) => {
    if (members.some((id) => (named.get(id) ?? 0) < 2)) return true;
    for (const id of members) named.set(id, (named.get(id) ?? 0) - 1);
    return false;
  });
  const taken = new Set<string>();
  return new Map(
    needed.map(({ groupId, members }) => {
      const own = members.filter((id) => !taken.has(id));
      for (const id of own) taken.add(id);
      return [groupId, own];
    }),
  );
}

/**
 * Weak duality: if prices of queries are such that no group costs more than 1 in them, every cover has at least as many
 * ids as all prices add up to. Two such prices: those of the choice, scaled down; and each query's share of the largest
 * group that it is in.
 */
function lowerBound(
  queryIds: readonly string[],
  groups: readonly RatedGroup[],
  prices: ReadonlyMap<string, number>,
  ids: number,
): number {
  const shares = new Map(queryIds.map((id) => [id, 1]));
  let most = 1;
  for (const { members } of groups) {
    for (const id of members) shares.set(id, Math.min(shares.get(id) ?? 1, 1 / members.length));
    most = Math.max(most, sum(members.map((id) => prices.get(id) ?? 0)));
  }
  const best = Math.max(sum(shares.values()), sum(prices.values()) / most);
  return Math.min(ids, Math.ceil(best - 1e-6));
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const one of numbers) total += one;
  return total;
}
