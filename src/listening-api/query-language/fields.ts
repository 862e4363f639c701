import { closestWord } from "../../lib/closest-word.ts";
import { addressFields } from "./fields/address-fields.ts";
import { defineField, type Field } from "./fields/define-field.ts";
import { placeFields } from "./fields/place-fields.ts";
import { authorFields, postFields } from "./fields/post-fields.ts";
import type { Problems, Span } from "./problem.ts";

const title = defineField({ name: "title", kind: "title", meets: () => false });

/** Every field of the query language. */
const FIELDS: readonly Field[] = [title, ...addressFields, ...authorFields, ...placeFields, ...postFields];

/** By its name in any case; undefined for what is text with a colon in it. */
export function fieldNamed(name: string): Field | undefined {
  return BY_NAME.get(name.toLowerCase());
}

const BY_NAME = new Map(FIELDS.map((field) => [field.name.toLowerCase(), field]));

/** Fields that the language once had, and what is written now. */
const GONE_FIELDS: ReadonlyMap<string, string> = new Map([
  ["raw", "write {Word} to find upper case as it is written"],
  ["county", 'write region: or city:, such as region:usa.fl or city:"deu.berlin.berlin"'],
  ["state", "write region:, such as region:usa.fl"],
  ["at_mentions", "write the name with its sign, such as @name"],
  ["hashtags", "write the hashtag with its sign, such as #tag"],
]);

/** Filters of the calls that people write into queries, and how they are asked for. */
const FILTERS_NOT_FIELDS: ReadonlyMap<string, string> = new Map([
  ["sentiment", "in a call, the filter sentiment=negative asks for it"],
  ["pagetype", "in a call, the filter pageType=news asks for it"],
]);

/** Warns of a name with a colon that is no field but was one, or is close to one. */
export function checkFieldName(name: string, span: Span, problems: Problems): void {
  const instead = GONE_FIELDS.get(name.toLowerCase());
  if (instead !== undefined) {
    problems.add(
      "warning",
      "field-gone",
      span,
      `${name}: is no field any more and is taken as text; ${instead}.`,
    );
    return;
  }
  const filter = FILTERS_NOT_FIELDS.get(name.toLowerCase());
  if (filter !== undefined) {
    problems.add("warning", "field-unknown", span, `${name}: is no field and is taken as text; ${filter}.`);
    return;
  }
  const alike = FIELD_NAMES.filter((known) => known[0] === name[0]?.toLowerCase());
  const meant = name.length < 5 ? undefined : closestWord(name, alike);
  if (meant !== undefined) {
    problems.add(
      "warning",
      "field-unknown",
      span,
      `${name}: is no field and is taken as text; write ${meant}:.`,
    );
  }
}

const FIELD_NAMES = FIELDS.map((field) => field.name);
