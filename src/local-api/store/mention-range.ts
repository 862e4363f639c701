import { type RawBuilder, sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { MentionCondition } from "../filters/mention-condition.ts";
import { conditionSql } from "./condition-sql.ts";

/** The mentions of a call: dates are from (included) to (not included), and all conditions must hold. */
export interface MentionRange {
  readonly queryIds: readonly number[];
  readonly from: Instant;
  readonly to: Instant;
  readonly conditions: readonly MentionCondition[];
}

/** Dates and conditions; each statement adds the queries and the moment in its own way. */
export function rangeSql(range: MentionRange): RawBuilder<boolean> {
  return sql.join(
    [
      sql`date >= ${new Date(range.from)} and date < ${new Date(range.to)}`,
      ...range.conditions.map(conditionSql),
    ],
    sql` and `,
  );
}

/** The version of each mention that the API shows at the given moment. */
export function visibleSql(at: Instant): RawBuilder<boolean> {
  return sql`visible_at <= ${new Date(at)} and superseded_at > ${new Date(at)}`;
}
