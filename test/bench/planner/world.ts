import { DAY, HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";

/** What happens at the source: for every query its importance and the moments at which mentions arrive, in order. */
export interface World {
  readonly from: Instant;
  /** Delays are measured from here on; before it, rates are learned. */
  readonly measuredFrom: Instant;
  readonly to: Instant;
  readonly perMinute: number;
  readonly queries: readonly { readonly importance: number; readonly arrivals: Float64Array }[];
}

export interface WorldSettings {
  readonly queries: number;
  /** Mentions of all queries together in an average minute. */
  readonly perMinute: number;
  readonly warmUpMs: number;
  readonly measuredMs: number;
  readonly seed: number;
}

/**
 * Rates fall by rank as Zipf's law has it; a day is four times as busy in its afternoon as in its night, at an hour of
 * the query's own; now and then a query bursts to twenty times its rate and fades within the hour. One query in twenty
 * is a crisis query, four in twenty warn.
 */
export function createWorld(settings: WorldSettings): World {
  const random = createRandom(settings.seed);
  const from = Date.UTC(2026, 2, 2);
  const measuredFrom = from + settings.warmUpMs;
  const to = measuredFrom + settings.measuredMs;
  let harmonic = 0;
  for (let rank = 1; rank <= settings.queries; rank++) harmonic += 1 / rank;
  const queries = Array.from({ length: settings.queries }, (_, index) => {
    const rate = settings.perMinute / harmonic / (index + 1) / MINUTE;
    const peak = random() * 6 * HOUR + 12 * HOUR;
    const bursts: Instant[] = [];
    const pause = () => -Math.log(1 - random()) * 2 * DAY;
    for (let at = from + pause(); at < to; at += pause()) bursts.push(at);
    const rateAt = (at: Instant): number => {
      const day = 1 + 0.6 * Math.cos((2 * Math.PI * (at - from - peak)) / DAY);
      let factor = day;
      for (const burst of bursts) if (at >= burst) factor += 20 * Math.exp((burst - at) / (20 * MINUTE));
      return rate * factor;
    };
    const most = rate * (1.6 + 21 * Math.min(2, Math.max(1, bursts.length)));
    const arrivals: number[] = [];
    for (let at = from; ; ) {
      at -= Math.log(1 - random()) / most;
      if (at >= to) break;
      if (random() * most < rateAt(at)) arrivals.push(at);
    }
    const lot = random();
    const importance = lot < 0.05 ? 10 : lot < 0.25 ? 3 : 1;
    return { importance, arrivals: Float64Array.from(arrivals) };
  });
  return { from, measuredFrom, to, queries, perMinute: settings.perMinute };
}

export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
