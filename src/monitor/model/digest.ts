import { type Instant, MINUTE } from "../../lib/instant.ts";
import type { Mention } from "./mention.ts";

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

/** How long digests wait for their queries. */
export const DIGEST_PATIENCE_MS = 30 * MINUTE;

/** The mentions of one story of one query in a period, summed up. A story may have one mention. */
export interface PeriodStory {
  readonly story: string;
  /** The mention that represents it. */
  readonly topMention: Mention;
  readonly mentions: number;
  readonly negative: number;
  /** Distinct authors; those that the source withholds count one each. */
  readonly distinctAuthors: number;
  /** How many people its mentions may have reached in total. */
  readonly audience: number;
  readonly firstAt: Instant;
}

/** An alert of which a receiver got messages in a period. Those of an incident are of the alert that began it. */
export interface SentAlert {
  readonly receiver: string;
  readonly rule: string;
  readonly alertId: string;
  /** How many messages the receiver got, its end included. */
  readonly messages: number;
  readonly isOver: boolean;
  /** Somebody acknowledged, took or resolved it, and nobody said that it was not relevant. */
  readonly acted: boolean;
  /** What it counted; null for alerts that count nothing that `atLeast` of a rule limits. */
  readonly count: number | null;
  /** The most followers that an author of its mentions has; null for alerts on counts, and if no author has any. */
  readonly followers: number | null;
}

/** A digest as people see it: when it comes, about what, and for whom. */
export interface ShownDigest {
  /** The key of its editions. */
  readonly name: string;
  readonly title: string;
  /** `every Monday at 07:30`. */
  readonly schedule: string;
  readonly timezone: string;
  /** Patterns of names of queries; `*` is all of them. */
  readonly queries: readonly string[];
  readonly receivers: readonly string[];
  /** Nothing is sent of a time in which nothing happened. */
  readonly skipQuiet: boolean;
  readonly nextAt: Instant;
}

/** An edition, and whether it was sent. */
export interface ShownEdition extends Pick<DigestEdition, "name" | "localDate" | "dueAt"> {
  readonly periodFrom: Instant;
  readonly periodTo: Instant;
  readonly state: "due" | "built" | "skipped";
  /** Who gets it, by name. */
  readonly readers: readonly {
    readonly receiver: string;
    readonly state: "due" | "sent" | "dead";
    readonly sentAt: Instant | null;
  }[];
}
