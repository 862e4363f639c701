import type { VolumeCount } from "#monitor";
import { HOUR, type Instant } from "../../lib/instant.ts";
import { type ShownSentiment, sentimentOf } from "./mention-list.ts";

export interface HourVolume extends Readonly<Record<ShownSentiment, number>> {
  readonly hour: Instant;
  readonly total: number;
}

export interface QueryVolume {
  readonly projectId: string;
  readonly queryId: string;
  readonly queryName: string;
  /** Every hour of the span, oldest first, including empty ones. */
  readonly hours: readonly HourVolume[];
  readonly total: number;
  readonly negative: number;
  readonly peak: HourVolume;
}

/** Turns counts by hour into one row of hours per query, the busiest first. `from` is the start of an hour. */
export function buildVolume(
  counts: readonly VolumeCount[],
  from: Instant,
  hours: number,
): readonly QueryVolume[] {
  return [...groupByQuery(counts).values()]
    .flatMap((own) => {
      const [first] = own;
      return first === undefined ? [] : [queryVolume(first, own, from, hours)];
    })
    .sort((a, b) => b.total - a.total || a.queryName.localeCompare(b.queryName, "en"));
}

function groupByQuery(counts: readonly VolumeCount[]): Map<string, VolumeCount[]> {
  const groups = new Map<string, VolumeCount[]>();
  for (const count of counts) {
    const key = `${count.projectId} ${count.queryId}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [count]);
    else group.push(count);
  }
  return groups;
}

function queryVolume(
  query: VolumeCount,
  counts: readonly VolumeCount[],
  from: Instant,
  length: number,
): QueryVolume {
  const hours = Array.from({ length }, (_, index) => hourVolume(counts, from + index * HOUR));
  return {
    projectId: query.projectId,
    queryId: query.queryId,
    queryName: query.queryName,
    hours,
    total: sum(hours, "total"),
    negative: sum(hours, "negative"),
    peak: hours.reduce((highest, hour) => (hour.total > highest.total ? hour : highest)),
  };
}

function hourVolume(counts: readonly VolumeCount[], hour: Instant): HourVolume {
  const volume = { hour, negative: 0, neutral: 0, positive: 0, unknown: 0, total: 0 };
  for (const count of counts) {
    if (count.hour !== hour) continue;
    volume[sentimentOf(count.sentiment)] += count.n;
    volume.total += count.n;
  }
  return volume;
}

function sum(hours: readonly HourVolume[], what: "total" | "negative"): number {
  return hours.reduce((total, hour) => total + hour[what], 0);
}
