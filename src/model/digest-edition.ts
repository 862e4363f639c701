import type { Instant } from "../lib/instant.ts";

interface Period {
  readonly from: Instant;
  readonly to: Instant;
}

/** One edition of a digest, known by its name and the local date (and time) at which it is due. */
export interface DigestEdition {
  readonly name: string;
  /** `2026-03-29`, in the digest's own zone; with the time where there are several a day: `2026-03-29-1800`. */
  readonly localDate: string;
  readonly dueAt: Instant;
  /** What it tells of. */
  readonly period: Period;
  /** What that is compared with. */
  readonly before: Period;
}

/** Digests span projects; where a table leads with one, this stands for all. */
export const ALL_PROJECTS = "all";
