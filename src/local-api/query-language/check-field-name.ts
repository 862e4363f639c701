import { closestWord } from "../../lib/closest-word.ts";
import { FIELDS, FILTERS_NOT_FIELDS, GONE_FIELDS } from "./fields.ts";
import type { Problems, Span } from "./problem.ts";

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
