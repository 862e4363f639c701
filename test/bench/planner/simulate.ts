import { type Instant, MINUTE, SECOND } from "../../../src/lib/instant.ts";
import type { RateLimit } from "../../../src/monitor/model/poll.ts";
import {
  MOST_IDS,
  mostIds,
  pollsPerCall,
  roundMs,
  slotsOf,
  spacingMs,
} from "../../../src/monitor/polling/planner/allowance.ts";
import {
  type ArrivalHistory,
  expectedRate,
  hourOfWeek,
  learnArrivals,
  NOTHING_OBSERVED,
  rhythmOf,
} from "../../../src/monitor/polling/planner/arrival-rate.ts";
import { CHANGE_WORTH, isCrisis } from "../../../src/monitor/polling/planner/importance.ts";
import { type Candidate, planCalls } from "../../../src/monitor/polling/planner/plan-calls.ts";
import type { AccountGroup } from "./account-groups.ts";
import { createDelays, type Delays } from "./delays.ts";
import type { World } from "./world.ts";

const OVERLAP_MS = 5 * MINUTE;
const PAGE = 5_000;
/** Digits of the ids of queries, which fill addresses. */
const ID_LENGTH = 10;
/** From the start of a call to its answer. */
const CALL_MS = SECOND;

interface Walker {
  /** Arrivals that have been seen. */
  seen: number;
  knownUntil: Instant;
  /** The last arrival that a call of its showed, its own or another's. */
  watermark: Instant;
}

/** What one poll of one query is shown. */
interface Track {
  readonly poll: "added" | "updated";
  readonly query: number;
  readonly importance: number;
  readonly moments: Float64Array;
}

/** Every mention changes once, so long after it came. */
const CHANGES_AFTER_MS = 10 * MINUTE;

/** A poll of changes is shown what is new, too: its `updated` is its `added` until something changes it. */
function tracksOf(world: World, withChanges: boolean): Track[] {
  const added = world.queries.map(({ importance, arrivals }, query): Track => {
    return { poll: "added", query, importance, moments: arrivals };
  });
  if (!withChanges) return added;
  const updated = added.map(({ query, importance, moments }): Track => {
    const changed = moments.map((at) => at + CHANGES_AFTER_MS).filter((at) => at < world.to);
    return {
      ...{ poll: "updated", query, importance: importance * CHANGE_WORTH },
      moments: Float64Array.from([...moments, ...changed]).sort(),
    };
  });
  return [...added, ...updated];
}

function open(world: World, periodMs: number, tracks: readonly Track[] = tracksOf(world, false)) {
  const delays = createDelays(periodMs);
  const walkers: Walker[] = tracks.map(() => ({
    seen: 0,
    knownUntil: world.from,
    watermark: world.from,
  }));
  /** Arrivals of each query that any poll has seen. */
  const shown = new Int32Array(world.queries.length);
  const show = (query: number, upTo: number, at: Instant): number => {
    const { arrivals, importance } = world.queries[query] as World["queries"][number];
    const before = shown[query] as number;
    for (let next = before; next < upTo; next++) {
      const arrived = arrivals[next] as number;
      if (arrived >= world.measuredFrom) delays.add(at - arrived, importance);
    }
    shown[query] = Math.max(before, upTo);
    return Math.max(0, upTo - before);
  };
  return {
    delays,
    walkers,
    /** What nobody has seen at the end has waited until then at least. */
    sum(): Delays {
      for (const [query, { arrivals }] of world.queries.entries()) show(query, arrivals.length, world.to);
      return delays.sum();
    },
    /** Polls are asked for together at `at`: rows read (from the earliest watermark less the overlap), what each found. */
    see(indexes: readonly number[], at: Instant): { rows: number; found: number[]; since: Instant } {
      const own = indexes.map((index) => walkers[index] as Walker);
      const since = Math.min(...own.map(({ watermark }) => watermark)) - OVERLAP_MS;
      let [rows, watermark] = [0, 0];
      const found = indexes.map((index) => {
        const { poll, query, moments } = tracks[index] as Track;
        const walker = walkers[index] as Walker;
        const before = walker.seen;
        walker.seen = firstAfter(moments, at);
        rows += walker.seen - firstAfter(moments, since);
        watermark = Math.max(watermark, walker.watermark, moments[walker.seen - 1] ?? 0);
        const fresh = show(
          query,
          firstAfter((world.queries[query] as World["queries"][number]).arrivals, at),
          at,
        );
        return poll === "added" ? fresh : walker.seen - before - fresh;
      });
      for (const walker of own) {
        walker.knownUntil = at;
        walker.watermark = watermark;
      }
      return { rows, found, since };
    },
  };
}

function firstAfter(moments: Float64Array, since: Instant): number {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle] as number) <= since) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** One call per query, in turn, evenly spaced with nothing kept back. */
export function inTurn(world: World, limit: RateLimit): Delays {
  const { delays, see, sum } = open(world, limit.periodMs);
  const spacing = limit.periodMs / limit.limit;
  let index = 0;
  for (let at = world.from; at < world.to; at += spacing) {
    const { rows } = see([index], at);
    delays.call(at);
    for (let more = PAGE; more < rows; more += PAGE) {
      at += spacing;
      delays.call(at);
    }
    index = (index + 1) % world.queries.length;
  }
  return sum();
}

/** Every query at its own phase of one fixed interval: as wanted (a minute), or as the limit allows less a fifth. */
export function atIntervals(world: World, limit: RateLimit): Delays {
  const { delays, see, sum } = open(world, limit.periodMs);
  const every = Math.max(MINUTE, (world.queries.length * limit.periodMs) / (limit.limit * 0.8));
  const step = every / world.queries.length;
  for (let turn = 0; world.from + turn * step < world.to; turn++) {
    const at = world.from + turn * step;
    see([(turn * 7_919) % world.queries.length], at);
    delays.call(at);
  }
  return sum();
}

/**
 * Earshot's planner, with the priorities and slots of the budget in the tables. `changes`: every query is polled
 * for what has changed, too, from the same budget.
 */
export function earshot(
  world: World,
  limit: RateLimit,
  sharing: "none" | "short" | "long",
  changes: "without changes" | "with changes" = "without changes",
  groups: readonly AccountGroup[] = [],
): Delays {
  const tracks = tracksOf(world, changes === "with changes");
  const { delays, walkers, see, sum } = open(world, limit.periodMs, tracks);
  const histories: ArrivalHistory[] = tracks.map(() => NOTHING_OBSERVED);
  const places = new Float64Array(slotsOf(limit.limit).usable + 1).fill(Number.NEGATIVE_INFINITY);
  const spacing = spacingMs(limit, "crisis");
  const pools = { added: createPool(), updated: createPool() };
  const keys = tracks.map(({ poll }, index) => ({ projectId: "p", queryId: String(index), poll }));
  const members = sharing === "long" ? mostIds(ID_LENGTH, tracks.length, limit) : MOST_IDS;
  const settings = {
    sharing: sharing !== "none",
    mostIds: members,
    groups: new Map([["p", groups]]),
    pageSize: PAGE,
    roundMs: roundMs(
      tracks.length,
      limit,
      sharing === "none"
        ? 1
        : pollsPerCall(
            members,
            keys.map(({ queryId }) => queryId),
            groups,
          ),
    ),
  };
  let turn = 0;
  const channelLimits = slotsOf(limit.limit).of;
  const takePlace = (at: Instant, crisis: boolean): boolean => {
    const slots = crisis ? channelLimits.crisis : channelLimits.live;
    for (let place = slots.to; place >= slots.from; place--) {
      if ((places[place] as number) > at) continue;
      places[place] = at + CALL_MS + limit.periodMs;
      delays.call(at);
      return true;
    }
    return false;
  };
  for (let at = world.from; at < world.to; at += spacing) {
    const rhythm = { added: pools.added.rhythm(at), updated: pools.updated.rhythm(at) };
    const candidates = tracks.map(({ poll, importance }, index): Candidate => {
      const { knownUntil } = walkers[index] as Walker;
      const rate = expectedRate(histories[index] as ArrivalHistory, rhythm[poll], at);
      return {
        key: keys[index] as Candidate["key"],
        importance,
        rate,
        knownUntil,
        waitsSince: knownUntil,
        readsFrom: (walkers[index] as Walker).watermark - OVERLAP_MS,
        isDue: true,
        alone: false,
        isFailing: false,
      };
    });
    const [call] = planCalls(candidates, settings, { calls: 1, turn, now: at });
    if (call === undefined) continue;
    // The sweep looks again a second later.
    while (!takePlace(at, isCrisis(call.importance))) at += SECOND;
    turn += 1;
    const indexes = call.members.map(({ queryId }) => Number(queryId));
    const before = indexes.map((index) => (walkers[index] as Walker).knownUntil);
    const { rows, found, since } = see(indexes, at);
    const named = new Set(call.members.map(({ queryId }) => queryId));
    const surplus = groups
      .filter(({ groupId }) => call.groupIds.includes(groupId))
      .map(({ queryIds, strangersPerMs }) => {
        const others = queryIds.filter((id) => !named.has(id)).map((id) => world.queries[Number(id)]);
        const seen = others.map((one) => {
          return one === undefined ? 0 : firstAfter(one.arrivals, at) - firstAfter(one.arrivals, since);
        });
        return seen.reduce((total, one) => total + one, strangersPerMs * (at - since));
      })
      .reduce((total, one) => total + one, 0);
    for (const [nth, index] of indexes.entries()) {
      const arrivals = { mentions: found[nth] ?? 0, from: before[nth] ?? at, to: at };
      histories[index] = learnArrivals(histories[index] as ArrivalHistory, arrivals);
      pools[(tracks[index] as Track).poll].learn(arrivals);
    }
    for (let more = PAGE; more < rows + surplus; more += PAGE) {
      at += spacing;
      takePlace(at, false);
    }
  }
  return sum();
}

function createPool() {
  const hours = new Map<number, { mentions: number; ms: number }>();
  const total = { mentions: 0, ms: 0 };
  return {
    learn({ mentions, from, to }: { mentions: number; from: Instant; to: Instant }): void {
      const hour = hourOfWeek(to);
      const sum = hours.get(hour) ?? { mentions: 0, ms: 0 };
      hours.set(hour, { mentions: sum.mentions + mentions, ms: sum.ms + to - from });
      total.mentions += mentions;
      total.ms += to - from;
    },
    rhythm: (at: Instant) => rhythmOf(hours.get(hourOfWeek(at)) ?? { mentions: 0, ms: 0 }, total),
  };
}
