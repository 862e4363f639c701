import { createHash } from "node:crypto";
import { floorTo, HOUR, type Instant } from "../../lib/instant.ts";
import {
  BUCKET_MS,
  type CountChange,
  type DistinctAuthor,
  type DistinctAuthorKey,
} from "../model/judging.ts";

/** Mentions of one author, new (`n` 1) or no longer in the slice (`n` -1). */
export interface DistinctAuthorChange {
  readonly series: string;
  readonly speaker: string;
  readonly arrivedAt: Instant;
  readonly eventAt: Instant;
  readonly n: 1 | -1;
}

/** An author counts once in this time. */
const SPAN_MS = 6 * HOUR;

/** The author and the span that a mention belongs to. */
export function distinctAuthorKey({ series, speaker, eventAt }: DistinctAuthorChange): DistinctAuthorKey {
  const digest = createHash("sha256").update(speaker).digest();
  // If all spans began at the same moment, everybody would count anew at that moment.
  const offset = digest.readUInt32LE(20) % SPAN_MS;
  return {
    series,
    author: digest.subarray(0, 12).toString("base64url"),
    span: floorTo(eventAt - offset, SPAN_MS) + offset,
  };
}

/**
 * Turns changes of single mentions into changes of distinct authors: an author is counted with the first mention in a
 * span and subtracted with the last. `known`: the stored authors of the same keys. The count does not depend on the
 * order of mentions; it is in the bucket of the one that came first.
 */
export function countDistinctAuthors(
  known: readonly DistinctAuthor[],
  changes: readonly DistinctAuthorChange[],
): { readonly distinctAuthors: readonly DistinctAuthor[]; readonly counts: readonly CountChange[] } {
  const distinctAuthors = new Map(known.map((author) => [nameOf(author), author]));
  const touched = new Map<string, DistinctAuthor>();
  const counts: CountChange[] = [];
  for (const change of changes) {
    const key = distinctAuthorKey(change);
    const before = distinctAuthors.get(nameOf(key));
    const had = before?.mentions ?? 0;
    const mentions = Math.max(0, had + change.n);
    const bucket = had > 0 && before !== undefined ? before.bucket : floorTo(change.eventAt, BUCKET_MS);
    const author = { ...key, bucket, mentions };
    distinctAuthors.set(nameOf(key), author);
    touched.set(nameOf(key), author);
    if (had > 0 === mentions > 0) continue;
    const arrived = floorTo(change.arrivedAt, BUCKET_MS);
    counts.push({ series: key.series, arrived, bucket, n: mentions > 0 ? 1 : -1 });
  }
  return { distinctAuthors: [...touched.values()], counts: summed(counts) };
}

function nameOf({ series, author, span }: DistinctAuthorKey): string {
  return `${series} ${author} ${span}`;
}

function summed(counts: readonly CountChange[]): CountChange[] {
  const sums = new Map<string, CountChange>();
  for (const count of counts) {
    const name = `${count.series} ${count.arrived} ${count.bucket}`;
    sums.set(name, { ...count, n: (sums.get(name)?.n ?? 0) + count.n });
  }
  return [...sums.values()].filter(({ n }) => n !== 0);
}
