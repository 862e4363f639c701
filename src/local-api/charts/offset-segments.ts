import { IANAZone } from "luxon";
import { DAY, type Instant } from "../../lib/instant.ts";

/** A stretch of time in which the clocks of a zone keep one distance from UTC. */
export interface OffsetSegment {
  readonly from: Instant;
  /** Not included. */
  readonly to: Instant;
  readonly offsetMs: number;
}

/** The stretches of [from, to), in order and without gaps. Zones change at most once in two days. */
export function offsetSegments(zone: string, from: Instant, to: Instant): OffsetSegment[] {
  const offset = offsetIn(zone);
  const segments: OffsetSegment[] = [];
  let start = from;
  for (let known = from; known < to; ) {
    const next = Math.min(known + DAY, to);
    if (offset(next) === offset(known)) {
      known = next;
      continue;
    }
    const change = firstWith(offset, offset(next), known, next);
    if (change >= to) break;
    segments.push({ from: start, to: change, offsetMs: offset(start) });
    start = change;
    known = next;
  }
  if (start < to) segments.push({ from: start, to, offsetMs: offset(start) });
  return segments;
}

/** Milliseconds that the clocks of the zone are ahead of UTC at a moment. */
export function offsetIn(zone: string): (at: Instant) => number {
  const iana = IANAZone.create(zone);
  return (at) => iana.offset(at) * 60_000;
}

/** The first instant in (low, high] with the wanted offset; `high` has it. */
function firstWith(offset: (at: Instant) => number, wanted: number, low: Instant, high: Instant): Instant {
  let [before, after] = [low, high];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offset(middle) === wanted) after = middle;
    else before = middle;
  }
  return after;
}
