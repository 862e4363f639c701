import type { Instant } from "../lib/instant.ts";

/** A change of the count of one series: `n` mentions of event bucket `bucket` that arrived in bucket `arrived`. */
export interface CountChange {
  readonly series: string;
  readonly arrived: Instant;
  readonly bucket: Instant;
  /** Negative when a mention changed and left what the series counts. */
  readonly n: number;
}

/** Width of a bucket. Windows are judged when one closes. */
export const BUCKET_MS = 5 * 60_000;
