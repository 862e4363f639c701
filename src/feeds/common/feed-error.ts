import { plainLine } from "../../lib/text.ts";

const LONGEST_PROBLEM = 500;

/** What a fetch found wrong, in words that say what to do. Words of a server in it are made harmless and storable. */
export class FeedError extends Error {
  override readonly name = "FeedError";
  /** The feed will not come back: it is not asked again until it is configured anew. */
  readonly isFinal: boolean;
  /** The server has said when to come back. */
  readonly retryAfterMs: number | null;
  /** It has said so of all of its addresses. Null: one that is broken leaves the others alone. */
  readonly hostPauseMs: number | null;
  constructor(
    message: string,
    how: { isFinal?: boolean; retryAfterMs?: number | null; hostPauseMs?: number | null } = {},
  ) {
    super(plainLine(message, LONGEST_PROBLEM));
    this.isFinal = how.isFinal ?? false;
    this.retryAfterMs = how.retryAfterMs ?? null;
    this.hostPauseMs = how.hostPauseMs === undefined ? this.retryAfterMs : how.hostPauseMs;
  }
}

/** What a stranger wrote cannot be read within its bounds of time and memory. It is tried again at growing intervals. */
export class UnreadableError extends FeedError {}
