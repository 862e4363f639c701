import type { Instant } from "../lib/instant.ts";
import type { Mention } from "./mention.ts";

/** All mentions of a period that tell one story of one query, summed up. A story may have one mention. */
export interface PeriodStory {
  readonly story: string;
  /** The mention that is shown for it. */
  readonly topMention: Mention;
  readonly mentions: number;
  readonly negative: number;
  /** Different authors; those whom the source withholds count one each. */
  readonly distinctAuthors: number;
  /** How many people its mentions may have reached, added up. */
  readonly audience: number;
  readonly firstAt: Instant;
}
