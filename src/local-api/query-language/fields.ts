import { addressFields } from "./fields/address-fields.ts";
import { authorFields } from "./fields/author-fields.ts";
import { defineField, type Field } from "./fields/field.ts";
import { placeFields } from "./fields/place-fields.ts";
import { postFields } from "./fields/post-fields.ts";

const title = defineField({ name: "title", kind: "title", meets: () => false });

/** Every field of the query language. */
export const FIELDS: readonly Field[] = [
  title,
  ...addressFields,
  ...authorFields,
  ...placeFields,
  ...postFields,
];

/** By its name in any case; undefined for what is text with a colon in it. */
export function fieldNamed(name: string): Field | undefined {
  return BY_NAME.get(name.toLowerCase());
}

const BY_NAME = new Map(FIELDS.map((field) => [field.name.toLowerCase(), field]));

/** Fields that the language once had, and what is written now. */
export const GONE_FIELDS: ReadonlyMap<string, string> = new Map([
  ["raw", "write {Word} to find upper case as it is written"],
  ["county", 'write region: or city:, such as region:usa.fl or city:"deu.berlin.berlin"'],
  ["state", "write region:, such as region:usa.fl"],
  ["at_mentions", "write the name with its sign, such as @name"],
  ["hashtags", "write the hashtag with its sign, such as #tag"],
]);

/** Filters of the calls that people write into queries, and how they are asked for. */
export const FILTERS_NOT_FIELDS: ReadonlyMap<string, string> = new Map([
  ["sentiment", "in a call, the filter sentiment=negative asks for it"],
  ["pagetype", "in a call, the filter pageType=news asks for it"],
]);
