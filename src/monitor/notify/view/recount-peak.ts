import { HOUR } from "../../../lib/instant.ts";
import type { Alert, WindowCount } from "../../model/alert.ts";
import { BUCKET_MS } from "../../model/judging.ts";
import type { Rule } from "../../rules/rule.ts";
import type { Stores } from "../../store/stores.ts";
import { withPeakCount } from "../../templates/alert-words.ts";

/** Counts of five minutes, by the mentions' own time. */
export interface CountedBucket {
  readonly bucket: number;
  readonly n: number;
}

/**
 * The alert with its peak as the stored counts have it now: what came late is in, what was deleted or judged anew is out.
 * So a message, whenever it is written, has one peak.
 */
export async function recountPeak(
  { counts }: Pick<Stores, "counts">,
  alert: Alert,
  rule: Rule | undefined,
): Promise<Alert> {
  const series =
    rule?.kind === "window" && rule.window.type !== "absence" ? rule.window.series[0] : undefined;
  const widthMs = alert.windowTo - alert.windowFrom;
  if (series === undefined || widthMs < BUCKET_MS) return alert;
  const { projectId, queryId, openedAt, progress } = alert;
  const from = openedAt - Math.max(widthMs, progress?.peak?.windowMs ?? 0);
  const to = alert.resolvedAt ?? Math.max(alert.lastSeenAt, progress?.now?.at ?? 0);
  return withPeak(alert, await counts.byEvent(projectId, queryId, series.key, from, to), to);
}

/** `buckets`: of the alert's count, from the beginning of its first window until `to`. */
export function withPeak(alert: Alert, buckets: readonly CountedBucket[], to: number): Alert {
  const { progress, openedAt, windowFrom, windowTo } = alert;
  const known = progress?.peak;
  const peak =
    known === undefined ? undefined : { ...known, ...highest(buckets, known.windowMs, openedAt, to) };
  const progressed = peak === undefined ? alert : { ...alert, progress: { ...progress, peak } };
  const found = highest(buckets, windowTo - windowFrom, openedAt, to);
  // What is expected belongs to the hour of the sentence: for another hour it is not said.
  const isThere = Math.abs(found.at - windowTo) < HOUR;
  const because = withPeakCount(alert.because, found.count, isThere);
  if (because === null) return progressed;
  const { count: _, expected, ...values } = alert.values;
  return {
    ...progressed,
    because,
    values: isThere ? { ...values, count: found.count, ...(expected !== undefined && { expected }) } : values,
  };
}

/** The window with most mentions of those that end from `openedAt` to `to`. */
function highest(
  buckets: readonly CountedBucket[],
  widthMs: number,
  openedAt: number,
  to: number,
): Pick<WindowCount, "count" | "at"> {
  const counts = new Map(buckets.map(({ bucket, n }) => [bucket, n]));
  const first = Math.ceil(openedAt / BUCKET_MS) * BUCKET_MS;
  let most = { count: -1, at: first };
  for (let at = first; at <= Math.max(first, to); at += BUCKET_MS) {
    let count = 0;
    for (let bucket = at - widthMs; bucket < at; bucket += BUCKET_MS) count += counts.get(bucket) ?? 0;
    if (count > most.count) most = { count, at };
  }
  return most;
}
