import { type Instant, MINUTE, SECOND } from "../../../src/lib/instant.ts";
import type { RateLimit } from "../../../src/model/call-budget.ts";
import { lanesOf, MOST_MEMBERS, mostMembers, roundMs, spacingMs } from "../../../src/planner/allowance.ts";
import {
  type ArrivalHistory,
  expectedRate,
  hourOfWeek,
  learnArrivals,
  NOTHING_OBSERVED,
  rhythmOf,
} from "../../../src/planner/arrival-rate.ts";
import { isCrisis } from "../../../src/planner/importance.ts";
import { type Candidate, planCalls } from "../../../src/planner/plan-calls.ts";
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

function open(world: World, periodMs: number) {
  const delays = createDelays(periodMs);
  const walkers: Walker[] = world.queries.map(() => ({
    seen: 0,
    knownUntil: world.from,
    watermark: world.from,
  }));
  return {
    delays,
    walkers,
    /** What nobody has seen at the end has waited until then at least. */
    sum(): Delays {
      for (const [index, { arrivals, importance }] of world.queries.entries()) {
        for (const arrived of arrivals.subarray(walkers[index]?.seen ?? 0))
          if (arrived >= world.measuredFrom) delays.add(world.to - arrived, importance);
      }
      return delays.sum();
    },
    /** Queries are asked for together at `at`: rows read (from the earliest watermark less the overlap), new ones by query. */
    see(indexes: readonly number[], at: Instant): { rows: number; found: number[] } {
      const own = indexes.map((index) => walkers[index] as Walker);
      const since = Math.min(...own.map(({ watermark }) => watermark)) - OVERLAP_MS;
      let [rows, watermark] = [0, 0];
      const found = indexes.map((index) => {
        const { arrivals, importance } = world.queries[index] as World["queries"][number];
        const walker = walkers[index] as Walker;
        const before = walker.seen;
        for (; walker.seen < arrivals.length && (arrivals[walker.seen] as number) <= at; walker.seen++) {
          const arrived = arrivals[walker.seen] as number;
          if (arrived >= world.measuredFrom) delays.add(at - arrived, importance);
        }
        rows += walker.seen - firstAfter(arrivals, since);
        watermark = Math.max(watermark, walker.watermark, arrivals[walker.seen - 1] ?? 0);
        return walker.seen - before;
      });
      for (const walker of own) {
        walker.knownUntil = at;
        walker.watermark = watermark;
      }
      return { rows, found };
    },
  };
}

function firstAfter(arrivals: Float64Array, since: Instant): number {
  let [low, high] = [0, arrivals.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((arrivals[middle] as number) <= since) low = middle + 1;
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

/** Earshot's planner, with its lanes and places as the budget in the tables has them. */
export function earshot(world: World, limit: RateLimit, sharing: "none" | "short" | "long"): Delays {
  const { delays, walkers, see, sum } = open(world, limit.periodMs);
  const histories: ArrivalHistory[] = world.queries.map(() => NOTHING_OBSERVED);
  const places = new Float64Array(lanesOf(limit.limit).usable + 1).fill(Number.NEGATIVE_INFINITY);
  const spacing = spacingMs(limit, "crisis");
  const pooled = createPool();
  const keys = world.queries.map((_, index) => ({
    projectId: "p",
    queryId: String(index),
    walk: "added" as const,
  }));
  const members = sharing === "long" ? mostMembers(ID_LENGTH, spacing) : MOST_MEMBERS;
  const settings = {
    sharing: sharing !== "none",
    mostMembers: members,
    pageSize: PAGE,
    roundMs: roundMs(world.queries.length, limit, sharing === "none" ? 1 : members),
  };
  let turn = 0;
  const lanes = lanesOf(limit.limit).of;
  const takePlace = (at: Instant, crisis: boolean): boolean => {
    const lane = crisis ? lanes.crisis : lanes.live;
    for (let place = lane.to; place >= lane.from; place--) {
      if ((places[place] as number) > at) continue;
      places[place] = at + CALL_MS + limit.periodMs;
      delays.call(at);
      return true;
    }
    return false;
  };
  for (let at = world.from; at < world.to; at += spacing) {
    const rhythm = pooled.rhythm(at);
    const candidates = world.queries.map((query, index): Candidate => {
      const { knownUntil } = walkers[index] as Walker;
      const rate = expectedRate(histories[index] as ArrivalHistory, rhythm, at);
      return {
        key: keys[index] as Candidate["key"],
        importance: query.importance,
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
    const { rows, found } = see(indexes, at);
    for (const [nth, index] of indexes.entries()) {
      const arrivals = { mentions: found[nth] ?? 0, from: before[nth] ?? at, to: at };
      histories[index] = learnArrivals(histories[index] as ArrivalHistory, arrivals);
      pooled.learn(arrivals);
    }
    for (let more = PAGE; more < rows; more += PAGE) {
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
