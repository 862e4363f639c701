import { type RawBuilder, sql } from "kysely";
import type { MentionField } from "../records/mention-fields.ts";

/** The field as SQL; `table` is the alias of `local_api.mention` where a statement needs one. */
export function fieldSql(field: MentionField, table?: string): RawBuilder<unknown> {
  return sql.ref(table === undefined ? columnOf(field) : `${table}.${columnOf(field)}`);
}

/** `twitterPostCount` -> `twitter_post_count`. */
export function columnOf(field: MentionField): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
