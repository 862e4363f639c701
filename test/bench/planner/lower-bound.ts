import type { Instant } from "../../../src/lib/instant.ts";
import type { RateLimit } from "../../../src/monitor/model/poll.ts";
import type { World } from "./world.ts";

/**
 * No plan of calls can have a smaller mean delay than this, whatever it knows. The oracle knows every arrival, asks for
 * all queries with every call, has pages without end, uses the limit to its last call, and gets one call for nothing at
 * the end of every window: so windows can be solved one by one. In each, the best moments for `limit` calls are those
 * of arrivals; the price of a call is raised until no more than `limit` are bought (weak duality: what that costs, less
 * the price of `limit` calls, is below the best plan).
 */
export function lowerBound(world: World, { limit, periodMs }: RateLimit): { mean: number; weighted: number } {
  const events: { at: Instant; weight: number }[] = [];
  for (const { importance, arrivals } of world.queries)
    for (const at of arrivals) if (at >= world.measuredFrom) events.push({ at, weight: importance });
  events.sort((a, b) => a.at - b.at);
  let [delay, weightedDelay, weight] = [0, 0, 0];
  for (let first = 0; first < events.length; ) {
    const windowEnd =
      world.measuredFrom +
      (Math.floor(((events[first]?.at ?? 0) - world.measuredFrom) / periodMs) + 1) * periodMs;
    let last = first;
    while (last < events.length && (events[last]?.at ?? 0) < windowEnd) last += 1;
    const block = events.slice(first, last);
    const end = Math.min(windowEnd, world.to);
    const times = block.map(({ at }) => at);
    delay += leastDelay(
      times,
      times.map(() => 1),
      end,
      limit,
    );
    const weights = block.map((event) => event.weight);
    weightedDelay += leastDelay(times, weights, end, limit);
    for (const one of weights) weight += one;
    first = last;
  }
  return { mean: delay / events.length, weighted: weightedDelay / weight };
}

function leastDelay(
  times: readonly number[],
  weights: readonly number[],
  end: Instant,
  limit: number,
): number {
  if (times.length <= limit) return 0;
  let [low, high, best] = [0, 0, 0];
  for (const [index, at] of times.entries()) high += (end - at) * (weights[index] ?? 0);
  for (let round = 0; round < 50; round++) {
    const price = (low + high) / 2;
    const { cost, calls } = solve(times, weights, end, price);
    best = Math.max(best, cost - price * limit);
    if (calls > limit) low = price;
    else high = price;
  }
  return best;
}

/** The least of delays plus `price` for every call, by the lower envelope of lines. */
function solve(times: readonly number[], weights: readonly number[], end: Instant, price: number) {
  const origin = times[0] ?? 0;
  const lines: { slope: number; height: number; calls: number }[] = [{ slope: 0, height: 0, calls: 0 }];
  let head = 0;
  let [weight, moment] = [0, 0];
  const ask = (x: number) => {
    const at = (index: number) => {
      const line = lines[index];
      return line === undefined ? Number.POSITIVE_INFINITY : line.height - line.slope * x;
    };
    while (at(head + 1) <= at(head)) head += 1;
    return { value: at(head), calls: lines[head]?.calls ?? 0 };
  };
  for (const [index, time] of times.entries()) {
    const x = time - origin;
    const own = weights[index] ?? 0;
    // All that arrived up to here, this one included, may be seen by a call at this moment.
    weight += own;
    moment += own * x;
    const found = ask(x);
    const cost = x * weight - moment + price + found.value;
    const line = { slope: weight, height: cost + moment, calls: found.calls + 1 };
    while (lines.length - head >= 2 && isBelow(lines[lines.length - 2], lines[lines.length - 1], line))
      lines.pop();
    lines.push(line);
  }
  const x = end - origin;
  const found = ask(x);
  return { cost: x * weight - moment + found.value, calls: found.calls };
}

type Line = { slope: number; height: number };

/** Whether the middle line is nowhere the lowest. Slopes rise, and are subtracted. */
function isBelow(first: Line | undefined, middle: Line | undefined, last: Line): boolean {
  if (first === undefined || middle === undefined) return false;
  return (
    (last.height - first.height) * (middle.slope - first.slope) <=
    (middle.height - first.height) * (last.slope - first.slope)
  );
}
