import type { ParameterReader } from "../parameters/parameter-reader.ts";
import type { FieldOf } from "../records/mention-fields.ts";
import type { TimeUnit } from "./time-buckets.ts";

/** What the values of one dimension of a chart are, and where a mention says which of them are its own. */
export type Dimension =
  | { readonly kind: "time"; readonly unit: TimeUnit }
  | { readonly kind: "clock"; readonly part: "hourOfDay" | "dayOfWeek" }
  | { readonly kind: "queries" | "queryGroups" | "categories" | "parentCategories" | "tags" | "dateRanges" }
  | { readonly kind: "flag"; readonly field: FieldOf<"flag"> }
  /** A field that says one of these words or nothing. */
  | { readonly kind: "words"; readonly field: FieldOf<"text">; readonly vocabulary: readonly string[] }
  /**
   * An open field: its values are taken from the mentions. The `usual` words are shown in any case; `nameField` has the
   * name if the value is a code.
   */
  | {
      readonly kind: "values";
      readonly field: FieldOf<"text" | "texts">;
      readonly usual?: readonly string[];
      readonly nameField?: FieldOf<"text">;
    };

/**
 * Documented: the names. Chosen: a mention counts for every value it has (categories, tags, interests, professions)
 * and for none where it does not say; place ids are codes where there are codes.
 */
export const DIMENSIONS = {
  queries: { kind: "queries" },
  queryGroups: { kind: "queryGroups" },
  sentiment: { kind: "words", field: "sentiment", vocabulary: ["negative", "neutral", "positive"] },
  authors: { kind: "values", field: "author" },
  languages: { kind: "values", field: "language" },
  categories: { kind: "categories" },
  parentCategories: { kind: "parentCategories" },
  tags: { kind: "tags" },
  assignment: { kind: "values", field: "assignment" },
  checked: { kind: "flag", field: "checked" },
  priority: { kind: "words", field: "priority", vocabulary: ["high", "medium", "low"] },
  status: { kind: "words", field: "status", vocabulary: ["open", "pending", "closed"] },
  continents: { kind: "values", field: "continentCode", nameField: "continent" },
  countries: { kind: "values", field: "countryCode", nameField: "country" },
  regions: { kind: "values", field: "regionCode", nameField: "region" },
  cities: { kind: "values", field: "cityCode", nameField: "city" },
  months: { kind: "time", unit: "months" },
  weeks: { kind: "time", unit: "weeks" },
  days: { kind: "time", unit: "days" },
  hours: { kind: "time", unit: "hours" },
  minutes: { kind: "time", unit: "minutes" },
  hourOfDay: { kind: "clock", part: "hourOfDay" },
  dayOfWeek: { kind: "clock", part: "dayOfWeek" },
  dateRanges: { kind: "dateRanges" },
  accountTypes: { kind: "values", field: "accountType", usual: ["individual", "organisational"] },
  gender: { kind: "values", field: "gender", usual: ["female", "male"] },
  interest: { kind: "values", field: "interest" },
  profession: { kind: "values", field: "profession" },
  pageTypes: { kind: "values", field: "pageType" },
  domains: { kind: "values", field: "domain" },
} as const satisfies Readonly<Record<string, Dimension>>;

export type DimensionName = keyof typeof DIMENSIONS;
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as DimensionName[];

export function isDimensionName(name: string): name is DimensionName {
  return Object.hasOwn(DIMENSIONS, name);
}

/** The field of the wire record that a dimension makes readable; undefined where none is. */
export function recordFieldOf(name: DimensionName): string | undefined {
  const dimension: Dimension = DIMENSIONS[name];
  if (!("field" in dimension)) return undefined;
  return dimension.field === "profession" ? "professions" : dimension.field;
}

interface DimensionArguments {
  /** The values that the chart is to show; none: all. */
  readonly given: readonly string[];
  readonly limit: number | undefined;
}

/** Fields whose values may hold a comma: their arguments are only ever repeated. */
const WITH_COMMAS: readonly string[] = ["author", "assignment", "interest", "profession"];

/**
 * `dim1Args` and `dim1Limit` (or 2). Clients give several arguments by repeating the parameter or with commas. Only a
 * dimension that may have any number of values takes a limit.
 */
export function readDimensionArguments(
  parameters: ParameterReader,
  name: DimensionName,
  position: 1 | 2,
): DimensionArguments {
  const dimension: Dimension = DIMENSIONS[name];
  const isOpen = dimension.kind === "values";
  const texts = parameters.texts(`dim${position}Args`);
  const isWhole = isOpen && WITH_COMMAS.includes(dimension.field);
  const given = isWhole ? texts : texts.flatMap((text) => text.split(",").map((part) => part.trim()));
  const limit = parameters.integer(`dim${position}Limit`, { min: 1, max: 1_000 });
  if (limit !== undefined && !isOpen)
    parameters.fault(`dim${position}Limit: expected none for ${name}, all of its values are shown.`);
  return { given: given.filter((text) => text !== ""), limit };
}
