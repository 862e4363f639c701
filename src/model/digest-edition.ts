import type { Instant } from "../lib/instant.ts";

interface Period {
  readonly from: Instant;
  readonly to: Instant;
}

/** One edition of a digest, identified by its name and the local date (and time) at which it is due. */
export interface DigestEdition {
  readonly name: string;
  /** `2026-03-29`, in the digest's own zone; with the time if there are several a day: `2026-03-29-1800`. */
  readonly localDate: string;
  readonly dueAt: Instant;
  /** The period that it reports. */
  readonly period: Period;
  /** The period that it compares with. */
  readonly before: Period;
}

/** Digests span projects; this value fills the project column of tables. */
export const ALL_PROJECTS = "all";
