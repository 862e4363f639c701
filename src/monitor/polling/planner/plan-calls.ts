import type { Instant } from "../../../lib/instant.ts";
import type { PollKey } from "../../model/poll.ts";
import { coverQueries, type GroupOffer } from "./cover-queries.ts";

/** A due poll, and what decides how much a call for it is worth. */
export interface Candidate {
  readonly key: PollKey;
  readonly importance: number;
  /** Expected mentions (or changes) per millisecond now. */
  readonly rate: number;
  /** Up to when it is complete; null: it never finished, and reads history. */
  readonly knownUntil: Instant | null;
  /** Since when it waits for its first run; used if `knownUntil` is null. */
  readonly waitsSince: Instant;
  /** Where its next call begins to read: its watermark less the overlap. A shared call reads from the earliest. */
  readonly readsFrom: Instant;
  /** It is due. One that is not may join a shared call, which costs nothing, and never has its own. */
  readonly isDue: boolean;
  /** It resumes from a cursor, closes a gap, or failed before: it gets its own call. */
  readonly alone: boolean;
  /** It has failed several times in a row: it waits behind what works, as history does. */
  readonly isFailing: boolean;
}

export interface PlanSettings {
  /** Whether this source answers one call for several queries. */
  readonly sharing: boolean;
  /** How many ids the address of a call may have. */
  readonly mostIds: number;
  /** Groups of queries that it may name, by project. */
  readonly groups: ReadonlyMap<string, readonly PlannedGroup[]>;
  readonly pageSize: number;
  /** How long one round of all polls takes within the budget. After three rounds without a call, a poll comes first. */
  readonly roundMs: number;
}

/** A group of queries of the account. */
export interface PlannedGroup extends Pick<GroupOffer, "groupId" | "queryIds"> {
  /** Rows of members that are not polled, per millisecond, as its answers had them; null: no answer yet. */
  readonly surplusRate: number | null;
}

export interface PlannedCall {
  /** All of one project and one kind of poll; several if they share the call. */
  readonly members: readonly PollKey[];
  /** Groups that its address names, in place of their members. */
  readonly groupIds: readonly string[];
  readonly purpose: "live" | "history";
  readonly importance: number;
  /** Expected delay × importance that it ends, for each call that it needs. */
  readonly worth: number;
}

/**
 * The calls that are worth most now, the best first, at most `calls` of them. `turn` counts calls over the life of the
 * account: every fourth may go to history while there is any, so that neither side starves.
 *
 * A poll that is complete until τ ago has λτ mentions waiting, which have waited λτ²/2 together. That sum, times its
 * importance, is what a call ends. Polling where it is largest makes every query's interval ∝ 1/√(importance × λ),
 * which is the plan of least total delay.
 */
export function planCalls(
  candidates: readonly Candidate[],
  settings: PlanSettings,
  { calls, turn, now }: { readonly calls: number; readonly turn: number; readonly now: Instant },
): readonly PlannedCall[] {
  if (calls <= 0 || candidates.length === 0) return [];
  const live = queueOf("live", candidates, settings, now);
  const history = queueOf("history", candidates, settings, now);
  const planned: PlannedCall[] = [];
  while (planned.length < calls) {
    const isHistoryTurn = (turn + planned.length) % HISTORY_EVERY === HISTORY_EVERY - 1;
    const next = isHistoryTurn ? (history.take() ?? live.take()) : (live.take() ?? history.take());
    if (next === null) break;
    planned.push(next);
  }
  return planned;
}

const HISTORY_EVERY = 4;

/** The last page of a shared call is planned to be this full at most, to leave room for bursts. */
const FULL = 0.6;
/** A poll that would fill this much of a page alone gets its own calls, and delays no other. */
const BUSY = 0.3;

interface ScoredPoll {
  readonly candidate: Candidate;
  readonly score: number;
}

/** What one id of an address stands for: one poll, or those of a group. */
interface Unit {
  /** Null: it is one poll. */
  readonly groupId: string | null;
  /** The best first. */
  readonly members: readonly ScoredPoll[];
  readonly score: number;
  /** Rows that it brings, per millisecond: of its members, and of others in its group. */
  readonly rate: number;
}

/**
 * How much delay × importance a poll has gathered. One that has waited three rounds comes before all others: that takes
 * a third of the calls at most, so even the quietest poll never starves.
 */
function gathered(candidate: Candidate, roundMs: number, now: Instant): number {
  const ageMs = Math.max(0, now - (candidate.knownUntil ?? candidate.waitsSince));
  const worth = (candidate.importance * candidate.rate * ageMs * ageMs) / 2;
  const rounds = ageMs / Math.max(1, roundMs);
  return rounds < 3 ? worth : OVERDUE * rounds + worth;
}

const OVERDUE = 1e15;

function queueOf(
  purpose: PlannedCall["purpose"],
  candidates: readonly Candidate[],
  settings: PlanSettings,
  now: Instant,
) {
  const lists: ScoredPoll[][] = [];
  const shared = new Map<string, ScoredPoll[]>();
  for (const candidate of candidates) {
    if ((candidate.knownUntil === null || candidate.isFailing) !== (purpose === "history")) continue;
    const rows = candidate.rate * Math.max(0, now - candidate.readsFrom);
    const { projectId, poll } = candidate.key;
    const isOwn = candidate.alone || !settings.sharing || rows > settings.pageSize * BUSY;
    const scored = { candidate, score: gathered(candidate, settings.roundMs, now) };
    if (isOwn) {
      lists.push([scored]);
      continue;
    }
    const name = `${poll} ${projectId}`;
    const list = shared.get(name);
    if (list === undefined) shared.set(name, [scored]);
    else list.push(scored);
  }
  const heads = [...lists, ...shared.values()].map((members) => {
    members.sort((a, b) => b.score - a.score || a.candidate.waitsSince - b.candidate.waitsSince);
    return chooseMembers(unitsOf(members, candidates, settings, now), purpose, settings, now);
  });
  return {
    take(): PlannedCall | null {
      let best: Chosen | null = null;
      let place = -1;
      for (const [index, head] of heads.entries()) {
        if (head === null || (best !== null && head.call.worth <= best.call.worth)) continue;
        best = head;
        place = index;
      }
      if (best === null) return null;
      heads[place] = chooseMembers(best.others, purpose, settings, now);
      return best.call;
    },
  };
}

interface Chosen {
  readonly call: PlannedCall;
  readonly others: readonly Unit[];
  /** No poll was left out for lack of pages: more pages would change nothing. */
  readonly isWhole: boolean;
}

/**
 * The polls of one project and kind as ids of an address. Groups are named only if the queries themselves do not fit
 * into it: they are other people's, and who is in them can change.
 */
function unitsOf(
  sorted: readonly ScoredPoll[],
  candidates: readonly Candidate[],
  settings: PlanSettings,
  now: Instant,
): readonly Unit[] {
  const [first] = sorted;
  const groups = settings.groups.get(first?.candidate.key.projectId ?? "") ?? [];
  if (first === undefined || groups.length === 0 || sorted.length <= settings.mostIds)
    return sorted.map(single);
  const { poll, projectId } = first.candidate.key;
  const scored = new Map(sorted.map((one) => [one.candidate.key.queryId, one]));
  const others = new Map<string, number>();
  for (const { key, rate } of candidates)
    if (key.poll === poll && key.projectId === projectId) others.set(key.queryId, rate);
  const usual = sorted.reduce((total, { candidate }) => total + candidate.rate, 0) / sorted.length;
  const surplus = new Map(
    groups.map(({ groupId, queryIds, surplusRate }) => {
      const known = queryIds.filter((id) => !scored.has(id)).map((id) => others.get(id));
      const unknown = known.filter((rate) => rate === undefined).length;
      const rate = known.reduce((total: number, one) => total + (one ?? 0), surplusRate ?? unknown * usual);
      return [groupId, rate];
    }),
  );
  const windowMs = now - (sorted[sorted.length >> 1] as ScoredPoll).candidate.readsFrom;
  const offers = groups.map(({ groupId, queryIds }) => {
    return { groupId, queryIds, surplusRows: (surplus.get(groupId) ?? 0) * windowMs };
  });
  const rowsPerId = (settings.pageSize * FULL) / settings.mostIds;
  const cover = coverQueries([...scored.keys()], offers, rowsPerId);
  const named = [...cover.groups].map(([groupId, queryIds]): Unit => {
    const members = queryIds.map((id) => scored.get(id) as ScoredPoll).sort((a, b) => b.score - a.score);
    const own = members.reduce((total, { candidate }) => total + candidate.rate, 0);
    const score = members.reduce((total, one) => total + one.score, 0);
    return { groupId, members, score, rate: own + (surplus.get(groupId) ?? 0) };
  });
  const singles = cover.singles.map((id) => single(scored.get(id) as ScoredPoll));
  return [...named, ...singles].sort((a, b) => b.score - a.score);
}

function single(one: ScoredPoll): Unit {
  return { groupId: null, members: [one], score: one.score, rate: one.candidate.rate };
}

/**
 * The best call for some of these. Further pages cost calls of their own, so each number of pages is weighed against what it
 * brings: if the overlap makes much be read again, two pages for everybody may be worth more than one for few.
 */
function chooseMembers(
  sorted: readonly Unit[],
  purpose: PlannedCall["purpose"],
  settings: PlanSettings,
  now: Instant,
): Chosen | null {
  let best: Chosen | null = null;
  for (let pages = 1; pages <= MOST_PAGES; pages++) {
    const chosen = fillPages(sorted, pages, purpose, settings, now);
    if (chosen === null) return null;
    if (best === null || chosen.call.worth > best.call.worth) best = chosen;
    if (chosen.isWhole) break;
  }
  return best;
}

const MOST_PAGES = 4;

/**
 * Adds members that fit, the best first. All are read from where the earliest begins, so one that is far behind would
 * make the busy ones read much again: it is left for a later call.
 */
function fillPages(
  sorted: readonly Unit[],
  pages: number,
  purpose: PlannedCall["purpose"],
  settings: PlanSettings,
  now: Instant,
): Chosen | null {
  const members: ScoredPoll[] = [];
  const others: Unit[] = [];
  const groupIds: string[] = [];
  const room = settings.pageSize * (pages - 1 + FULL);
  let [rate, from, worth, importance, ids, place] = [0, now, 0, 0, 0, 0];
  for (; place < sorted.length && ids < settings.mostIds; place++) {
    const unit = sorted[place] as Unit;
    const nextRate = rate + unit.rate;
    const left: ScoredPoll[] = [];
    for (const one of unit.members) {
      const { candidate } = one;
      const nextFrom = Math.min(from, candidate.readsFrom);
      if (members.length > 0 && nextRate * (now - nextFrom) > room) {
        left.push(one);
        continue;
      }
      members.push(one);
      rate = nextRate;
      from = nextFrom;
      worth += one.score;
      importance = Math.max(importance, candidate.importance);
    }
    const isTaken = left.length < unit.members.length;
    if (isTaken) ids += 1;
    if (isTaken && unit.groupId !== null) groupIds.push(unit.groupId);
    if (!isTaken) others.push(unit);
    else others.push(...left.map(single));
  }
  if (!members.some(({ candidate }) => candidate.isDue)) return null;
  const needed = Math.max(1, Math.ceil((rate * (now - from)) / settings.pageSize));
  const keys = members.map(({ candidate }) => candidate.key);
  return {
    call: { members: keys, groupIds, purpose, importance, worth: worth / needed },
    isWhole: others.length === 0,
    others: others.concat(sorted.slice(place)),
  };
}
