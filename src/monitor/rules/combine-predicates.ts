import { canonicalJson, type JsonValue } from "../../lib/json.ts";
import { firstOf, isExcluded, lacks, nearestOf } from "./miss.ts";
import type { Predicate } from "./predicate.ts";

/** Every mention passes. */
export const everyMention: Predicate = {
  form: "every mention",
  matches: () => true,
  explain: () => "every mention",
  miss: () => lacks("when", "every mention matches"),
  label: "every mention",
};

/** All parts have to match. */
export function allOf(parts: readonly Predicate[]): Predicate {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const adjectives = parts.map((part) => part.adjective);
  const adjective = adjectives.includes(undefined) ? undefined : adjectives.join(", ");
  // A negated part is no reason to alert, unless there is no other.
  const positive = parts.filter((part) => part.excludes !== true);
  const reasons = positive.length > 0 ? positive : parts;
  // Most mentions pass what they must not be, and lack what they must be: that is the shorter way to a no.
  const checked = [...positive, ...parts.filter((part) => part.excludes === true)];
  return {
    form: { all: ordered(parts) },
    matches: (mention) => {
      for (const part of checked) if (!part.matches(mention)) return false;
      return true;
    },
    explain: (mention) => reasons.map((part) => part.explain(mention)).join(", "),
    miss: (mention) =>
      firstOf(parts.filter((part) => !part.matches(mention)).map((part) => part.miss(mention))),
    label: parts.map((part) => part.label).join(", "),
    ...(adjective === undefined ? {} : { adjective }),
    ...subjectOf(parts),
  };
}

/** `negative mentions in category "Safety"`; undefined if a part fits neither before nor after "mentions". */
function subjectOf(parts: readonly Predicate[]): { readonly subject?: string } {
  const isSaid = parts.every(
    ({ adjective, attribute }) => adjective !== undefined || attribute !== undefined,
  );
  if (!isSaid) return {};
  const before = parts.flatMap(({ adjective }) => adjective ?? []).join(", ");
  const behind = parts.flatMap(({ adjective, attribute }) =>
    adjective === undefined ? (attribute ?? []) : [],
  );
  return { subject: [before, "mentions", ...behind].join(" ").trim() };
}

/** One part has to match; the explanation names every part that does. */
export function anyOf(parts: readonly Predicate[]): Predicate {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return {
    form: { any: ordered(parts) },
    matches: (mention) => {
      for (const part of parts) if (part.matches(mention)) return true;
      return false;
    },
    explain: (mention) =>
      parts
        .filter((part) => part.matches(mention))
        .map((part) => part.explain(mention))
        .join(" and "),
    miss: (mention) => nearestOf(parts.map((part) => part.miss(mention))),
    label: parts.map((part) => part.label).join(" or "),
  };
}

/** The part must not match. A missing field counts as no match. */
export function noneOf(part: Predicate): Predicate {
  const label = /[ ,]/.test(part.label) ? `not (${part.label})` : `not ${part.label}`;
  return {
    form: { not: part.form },
    matches: (mention) => !part.matches(mention),
    explain: () => label,
    miss: (mention) => isExcluded(part.explain(mention)),
    label,
    excludes: true,
  };
}

/** Sorted, because the order in a file does not change what a rule counts. */
function ordered(parts: readonly Predicate[]): JsonValue {
  const forms = new Map(parts.map((part) => [canonicalJson(part.form), part.form]));
  return [...forms].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, form]) => form);
}
