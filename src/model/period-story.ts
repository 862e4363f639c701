import type { Instant } from "../lib/instant.ts";
import type { Mention } from "./mention.ts";

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
