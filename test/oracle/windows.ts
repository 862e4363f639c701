import type { Context, Verdict } from "./grammar.ts";
import { show } from "./times.ts";
import { type Bounds, DAY, HOUR, MINUTE, type Moment, type Slice } from "./world.ts";

/** Counts are taken in buckets of five minutes. */
export const BUCKET = 5 * MINUTE;

/** The windows of a width that end at a bucket in [from, to], with the bounds of their counts. */
export function windowsIn(
  { recount, message }: Pick<Context, "recount" | "message">,
  slice: Slice,
  widthMs: number,
  from: Moment,
  to: Moment,
): readonly (Bounds & { readonly end: Moment })[] {
  const windows: (Bounds & { end: Moment })[] = [];
  for (let end = Math.ceil(from / BUCKET) * BUCKET; end <= to; end += BUCKET)
    windows.push({ end, ...recount.bounds(slice, end - widthMs, end, message.at) });
  return windows;
}

/** As before, with what was known when each ended: a message may repeat what an earlier one said. */
export function windowsAsSaid(
  context: Pick<Context, "recount" | "message">,
  slice: Slice,
  widthMs: number,
  from: Moment,
  to: Moment,
): readonly (Bounds & { readonly end: Moment })[] {
  return windowsIn(context, slice, widthMs, from, to).map(({ end, least, most }) => {
    const then = context.recount.bounds(slice, end - widthMs, end, Math.min(end, context.message.at));
    return { end, least: Math.min(least, then.least), most: Math.max(most, then.most) };
  });
}

/** True if one of the windows holds so many. */
export function judgeAny(
  context: Context,
  count: number,
  slice: Slice,
  widthMs: number,
  [from, to]: readonly [Moment, Moment],
): Verdict {
  const windows = windowsAsSaid(context, slice, widthMs, from, to);
  if (windows.some(({ least, most }) => count >= least && count <= most)) return null;
  const near = windows.reduce<(typeof windows)[number] | null>(
    (best, one) => (best === null || away(one, count) < away(best, count) ? one : best),
    null,
  );
  const { timezone } = context.recount.world;
  return near === null
    ? `no window of ${widthMs / MINUTE} min ends between ${show(from, timezone)} and ${show(to, timezone)}`
    : `no window of ${widthMs / MINUTE} min that ends from ${show(from, timezone)} to ${show(to, timezone)} has ${count}; the nearest has ${range(near)}, to ${show(near.end, timezone)}`;
}

/** The largest count of all windows of a width. */
export function largestIn(
  context: Context,
  slice: Slice,
  widthMs: number,
  [from, to]: readonly [Moment, Moment],
): Bounds & { readonly end: Moment } {
  return windowsIn(context, slice, widthMs, from, to).reduce(
    (best, one) => ({
      least: Math.max(best.least, one.least),
      most: Math.max(best.most, one.most),
      end: one.most > best.most ? one.end : best.end,
    }),
    { least: 0, most: 0, end: from },
  );
}

export function judgeBounds(count: number, bounds: Bounds, what: string): Verdict {
  return count >= bounds.least && count <= bounds.most ? null : `${what}: ${range(bounds)}`;
}

export function range({ least, most }: Bounds): string {
  return least === most ? String(least) : `${least} to ${most}`;
}

function away({ least, most }: Bounds, count: number): number {
  return Math.max(0, least - count, count - most);
}

/**
 * What is usual in a window that ends at `end`: the mean of windows at that hour of the days before, an hour around.
 * Null before there were two days.
 */
export function usualIn(context: Context, slice: Slice, widthMs: number, end: Moment): number | null {
  const { recount } = context;
  const rates: number[] = [];
  for (let day = 1; day <= 14; day++) {
    const middle = end - day * DAY;
    if (middle - 2 * HOUR < recount.first) break;
    rates.push(
      recount.in(slice, middle - 2 * HOUR, middle + 2 * HOUR, context.message.at).length / (4 * HOUR),
    );
  }
  if (rates.length < 2) return null;
  return (rates.reduce((sum, rate) => sum + rate, 0) / rates.length) * widthMs;
}
