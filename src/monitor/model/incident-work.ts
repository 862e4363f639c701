import type { Instant } from "../../lib/instant.ts";
import type { Actor } from "./alert-action.ts";

/**
 * What a person writes about an incident. A statement says where it stands, for everybody who has the link of its room;
 * a comment is for colleagues; a lesson is what was learned, for the review.
 */
export interface IncidentNote {
  readonly id: string;
  readonly projectId: string;
  readonly incidentId: string;
  readonly at: Instant;
  readonly kind: "statement" | "comment" | "lesson";
  /** A few words of whoever wrote a statement, such as `Holding statement out`; null for other kinds. */
  readonly status: string | null;
  readonly text: string;
  readonly actor: Actor;
  /** The reply in a thread of Slack that a comment came from: `channel thread message`. Null: the console. */
  readonly origin: string | null;
}

/** A link to an incident for people without an account. Moments are wall time. */
export interface CrisisRoom {
  readonly id: string;
  readonly projectId: string;
  readonly incidentId: string;
  readonly createdAt: Instant;
  readonly until: Instant;
  readonly actor: Actor;
  /** How often its page was opened, and when last. */
  readonly opened: number;
  readonly openedAt: Instant | null;
}
