import { type RawBuilder, sql } from "kysely";
import type { Alternatives } from "../query-language/required-terms.ts";
import { fieldSql } from "./mention-fields.ts";

/**
 * A rough filter that lets nothing through that matters: text of ASCII alone has the words that are required as they
 * stand; in every other text, letters may be written in more than one way, so it is left to the matcher.
 */
export function requiredSql(required: readonly Alternatives[]): RawBuilder<boolean> {
  const terms = required.filter((alternatives) => alternatives.length <= MOST_ALTERNATIVES);
  if (terms.length === 0) return sql`true`;
  const text = sql`concat_ws(' ', ${fieldSql("title")}, full_text)`;
  const demands = terms.map((alternatives) => {
    const words = alternatives.map(({ folded }) => `%${folded.replaceAll(/[\\%_]/g, "\\$&")}%`);
    return sql`lower(${text} collate "C") like any(${words}::text[])`;
  });
  return sql`(octet_length(${text}) <> char_length(${text}) or (${sql.join(demands, sql` and `)}))`;
}

const MOST_ALTERNATIVES = 200;
