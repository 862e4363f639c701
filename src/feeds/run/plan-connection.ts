import { HOUR, type Instant, SECOND } from "../../lib/instant.ts";
import type { StreamRead } from "../common/define-feed.ts";

/** How far a stream has come, stored with its items. Positions: see `FeedStream`. */
export interface StreamPlace {
  /** Positions are those of this host. */
  readonly host: string;
  /** Every event before it is stored. */
  readonly from: number;
  /** The newest event that was stored. */
  readonly newest: number;
}

/** What went wrong since the last good connection. */
export interface StreamTrouble {
  /** Connections in a row that failed or ended soon. */
  readonly failures: number;
  /** Of these, connections in a row that a frame ended which is too large. */
  readonly tooLarge: number;
  /** Answers in a row that the position is too old. */
  readonly tooOld: number;
}

interface Connection {
  readonly host: string;
  /** Null: from now on. */
  readonly from: number | null;
  /** The first event may be this much later than the place, in microseconds. More is a gap. */
  readonly mayMiss: number;
}

/** Two failures may be chance. */
const FAILURES_FOR_NEXT_HOST = 2;
/** Below, positions are plain numbers and no times. */
const FIRST_TIME = 1e15;
const US = 1_000;
/** Of a second, in steps that double from a microsecond on, and some failures of another kind. */
const MOST_STEPS = 40;
/** Events do not always come in the order of their positions. */
const REWIND_US = 2 * SECOND * US;
/** Other hosts have other positions for the same events. */
const OTHER_HOST_REWIND_US = 30 * SECOND * US;
const MOST_STEP_BACK_US = 60 * SECOND * US;
/** Hosts keep events for 36 hours. */
const HOSTS_KEEP_MS = 35 * HOUR;

/**
 * Where the next connection is opened, and from which position. Positions are included and events are stored once, so
 * that it begins a little earlier rather than later.
 */
export function planConnection(
  hosts: readonly string[],
  place: StreamPlace | null,
  { failures, tooLarge, tooOld }: StreamTrouble,
  now: Instant,
): Connection {
  const first = Math.max(0, hosts.indexOf(place?.host ?? ""));
  // All hosts bring the same large frame.
  const turns = tooLarge > 0 && failures < MOST_STEPS ? 0 : Math.floor(failures / FAILURES_FOR_NEXT_HOST);
  const host = hosts[(first + turns) % hosts.length] ?? "";
  if (place === null) return { host, from: null, mayMiss: 0 };
  const isTime = place.from >= FIRST_TIME;
  const isSame = host === place.host;
  const mayMiss = (isSame ? SECOND : OTHER_HOST_REWIND_US / US) * US;
  if (tooOld > 0) {
    const oldest = (now - HOSTS_KEEP_MS) * US;
    return { host, from: tooOld === 1 && oldest > place.from ? oldest : null, mayMiss };
  }
  // The first time it may have been the connection. Then a step over it, twice as long each time; at another host anew.
  if (tooLarge > 1 && isSame)
    return {
      host,
      from: Math.min(place.newest + 2 ** (tooLarge - 2), Math.max(place.newest, now * US)),
      mayMiss: 0,
    };
  const rewind = isTime ? (isSame ? REWIND_US : OTHER_HOST_REWIND_US) : 0;
  return { host, from: Math.max(isTime ? FIRST_TIME : 0, place.from - rewind), mayMiss };
}

/** Time of which nothing came, by the first event of a connection; null: everything came. */
export function findGap(
  place: StreamPlace | null,
  first: number,
  { mayMiss, from }: Connection,
): { readonly from: Instant; readonly to: Instant } | null {
  if (place === null || place.from < FIRST_TIME || first < FIRST_TIME) return null;
  const isStep = from !== null && from > place.newest;
  if (!isStep && first - place.from <= mayMiss) return null;
  const to = Math.floor(first / US);
  return { from: Math.min(to, Math.floor(place.newest / US)), to };
}

/**
 * The place after a batch. An event that came too early does not take the place past those before it, and none takes it
 * past now: what happens meanwhile would be skipped.
 */
export function nextPlace(
  place: StreamPlace | null,
  host: string,
  positions: StreamRead["positions"],
  now: Instant,
): StreamPlace | null {
  if (positions.length === 0) return place;
  // One odd number must not send the stream back for days.
  const least = place === null || place.from < FIRST_TIME ? 0 : place.from - MOST_STEP_BACK_US;
  let [lowest, highest] = [Number.POSITIVE_INFINITY, 0];
  for (const position of positions) {
    if (position >= least && position < lowest) lowest = position;
    if (position > highest) highest = position;
  }
  // All of them may be so far back: then the host counts in another way, and the place follows it step by step.
  const from = lowest === Number.POSITIVE_INFINITY ? least : lowest;
  return { host, from: Math.min(from, now * US), newest: Math.min(highest, now * US) };
}

/** Whether the next connection steps over a frame: then it is opened soon, however many failed before it. */
export function isStepping({ tooLarge }: StreamTrouble): boolean {
  return tooLarge > 1 && tooLarge <= MOST_STEPS;
}

/** Until the next connection, in milliseconds: doubled with every failure, shorter for a host that does send. */
export function decideReconnect(
  {
    failures,
    hasBrought,
    retryAfterMs,
    firstMs = SECOND,
  }: { failures: number; hasBrought: boolean; retryAfterMs: number | null; firstMs?: number | undefined },
  random: number,
): number {
  const full = Math.min(firstMs * 2 ** Math.min(failures - 1, 10), firstMs * (hasBrought ? 4 : 60));
  return Math.max(Math.round(full * (1 - random / 2)), retryAfterMs ?? 0);
}
