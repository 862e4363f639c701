import { DAY, HOUR, type Instant, MINUTE } from "../../../lib/instant.ts";

/** How many mentions arrived in how much time. Both decay, so they need not be whole numbers. */
export interface ArrivalCount {
  readonly mentions: number;
  readonly ms: number;
}

/** The arrival rates of one poll of one query. */
export interface ArrivalHistory {
  /** The last weeks, all hours together. */
  readonly total: ArrivalCount;
  /** By hour of the week (see `hourOfWeek`); hours without observations are missing. */
  readonly hours: ReadonlyMap<number, ArrivalCount>;
  /** The last minutes, with a half-life of ten. */
  readonly recent: ArrivalCount & { readonly until: Instant };
}

export const NOTHING_OBSERVED: ArrivalHistory = {
  total: { mentions: 0, ms: 0 },
  hours: new Map(),
  recent: { mentions: 0, ms: 0, until: 0 },
};

/** One finished poll: it found this many new (or changed) mentions, which arrived in [from, to). */
export interface Arrivals {
  readonly mentions: number;
  readonly from: Instant;
  readonly to: Instant;
}

/** 0 is the hour from midnight to one on Monday, UTC. */
export function hourOfWeek(at: Instant): number {
  // The epoch was a Thursday.
  return (((Math.floor(at / HOUR) - 4 * 24) % HOURS) + HOURS) % HOURS;
}

const HOURS = 168;
const MEMORY_MS = 28 * DAY;
const HOUR_MEMORY_MS = 4 * HOUR;
const RECENT_HALF_LIFE_MS = 10 * MINUTE;

/**
 * The history after a poll. Arrivals are spread evenly over the interval, since their own moments are not known here.
 */
export function learnArrivals(history: ArrivalHistory, seen: Arrivals): ArrivalHistory {
  const ms = seen.to - seen.from;
  if (ms <= 0) return history;
  const hours = new Map(history.hours);
  for (const [hour, share] of hoursOf(seen)) {
    const before = hours.get(hour) ?? NOTHING_OBSERVED.total;
    hours.set(hour, add(before, { mentions: (seen.mentions * share) / ms, ms: share }, HOUR_MEMORY_MS));
  }
  const faded = 0.5 ** (Math.max(0, seen.to - history.recent.until) / RECENT_HALF_LIFE_MS);
  // A long interval says little about its last minutes.
  const trust = Math.min(1, (3 * RECENT_HALF_LIFE_MS) / ms);
  const recent = {
    mentions: history.recent.mentions * faded + seen.mentions * trust,
    ms: history.recent.ms * faded + ms * trust,
    until: Math.max(seen.to, history.recent.until),
  };
  return { total: add(history.total, { mentions: seen.mentions, ms }, MEMORY_MS), hours, recent };
}

/** Expected mentions per millisecond at `now`. `rhythm`: how busy this hour is for all queries, 1 as usual. */
export function expectedRate(history: ArrivalHistory, rhythm: number, now: Instant): number {
  const { total, recent } = history;
  const usual = ((total.mentions + PRIOR_MENTIONS) / (total.ms + PRIOR_MS)) * rhythm;
  const hour = history.hours.get(hourOfWeek(now));
  const thisHour = hour === undefined ? usual : blend(hour, usual, HOUR_DOUBT);
  const faded = 0.5 ** (Math.max(0, now - recent.until) / RECENT_HALF_LIFE_MS);
  return blend({ mentions: recent.mentions * faded, ms: recent.ms * faded }, thisHour, RECENT_DOUBT);
}

/** How busy the hour of `now` is compared with all hours, from the sums over all queries. */
export function rhythmOf(hour: ArrivalCount, total: ArrivalCount): number {
  if (hour.mentions + total.mentions < LEAST_FOR_RHYTHM || hour.ms <= 0 || total.ms <= 0) return 1;
  const usual = total.mentions / total.ms;
  return Math.min(10, Math.max(0.1, blend(hour, usual, LEAST_FOR_RHYTHM) / usual));
}

/** A query without observations is assumed to have one mention in six hours. */
const PRIOR_MENTIONS = 0.25;
const PRIOR_MS = 1.5 * HOUR;
/** How many mentions an observation needs to weigh as much as the earlier estimate. */
const HOUR_DOUBT = 20;
const RECENT_DOUBT = 4;
const LEAST_FOR_RHYTHM = 100;

function blend(seen: ArrivalCount, believed: number, doubt: number): number {
  return (seen.mentions + doubt) / (seen.ms + doubt / Math.max(believed, Number.MIN_VALUE));
}

function add(before: ArrivalCount, more: ArrivalCount, memoryMs: number): ArrivalCount {
  const sum = { mentions: before.mentions + more.mentions, ms: before.ms + more.ms };
  const kept = sum.ms > memoryMs ? memoryMs / sum.ms : 1;
  return { mentions: sum.mentions * kept, ms: sum.ms * kept };
}

/** The hours that an interval touches, with its milliseconds in each. Longer than a week: every hour equally. */
function hoursOf({ from, to }: Arrivals): Map<number, number> {
  const shares = new Map<number, number>();
  if (to - from >= HOURS * HOUR) {
    for (let hour = 0; hour < HOURS; hour++) shares.set(hour, (to - from) / HOURS);
    return shares;
  }
  for (let at = from; at < to; ) {
    const end = Math.min(to, (Math.floor(at / HOUR) + 1) * HOUR);
    const hour = hourOfWeek(at);
    shares.set(hour, (shares.get(hour) ?? 0) + end - at);
    at = end;
  }
  return shares;
}
