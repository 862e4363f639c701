import type { Instant } from "../../lib/instant.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";
import type { StoredCategory } from "../records/labels.ts";
import { type FieldOf, MENTION_FIELDS } from "../records/mention-fields.ts";
import { type Axis, type AxisKey, CLOCK_KEYS, FLAG_KEYS, type KeySource, type TopKey } from "./axis.ts";
import { DIMENSIONS, type Dimension, type DimensionName, readDimensionArguments } from "./dimensions.ts";
import { bucketLabel, timeBuckets } from "./time-buckets.ts";

/** An axis as far as the request and the project say. */
export interface AxisPlan {
  readonly source: KeySource;
  /** In the order of the chart. */
  readonly keys: readonly AxisKey[];
  /** How many values that are found among the mentions are added. */
  readonly findUpTo: number;
  readonly nameField: FieldOf<"text"> | undefined;
}

/** What a chart may know of the project and of the mentions it is made of. */
interface ChartScope {
  /** IANA zone of the buckets. */
  readonly zone: string;
  readonly from: Instant;
  readonly to: Instant;
  /** Asked for, by id or through a group. */
  readonly queryIds: readonly number[];
  /** Asked for by id. */
  readonly queryGroupIds: readonly number[];
  /** All of the project. */
  readonly queries: readonly NamedThing[];
  queryGroups(): Promise<readonly (NamedThing & { readonly queries: readonly { readonly id: number }[] })[]>;
  categories(): Promise<readonly StoredCategory[]>;
  tags(): Promise<readonly NamedThing[]>;
  /** Those that the chart is to show. */
  readonly dateRanges: readonly (NamedThing & { readonly from: Instant; readonly to: Instant })[];
}

interface NamedThing {
  readonly id: number;
  readonly name: string;
}

/** Values of a field that may say anything, when the request names no limit, and at most. */
const DEFAULT_VALUES = 100;
const MAX_VALUES = 1_000;
const MAX_BUCKETS = 20_000;

/** Reads dimension 1 or 2 of a chart with its `dim1Args` or `dim2Args` and its limit. */
export async function readAxis(
  name: DimensionName,
  position: 1 | 2,
  parameters: ParameterReader,
  scope: ChartScope,
): Promise<AxisPlan> {
  const dimension: Dimension = DIMENSIONS[name];
  const { given, limit } = readDimensionArguments(parameters, name, position);
  const among = (keys: readonly AxisKey[], what: string) => chosen(keys, given, what, parameters, position);
  switch (dimension.kind) {
    case "time":
      if (given.length > 0) parameters.fault(`dim${position}Args: expected none for ${name}.`);
      return timeAxis(name, dimension.unit, parameters, scope);
    case "clock":
      return closed(
        { kind: "clock", part: dimension.part, zone: scope.zone },
        among(CLOCK_KEYS[dimension.part], name),
      );
    case "queries": {
      const queries = scope.queries.filter((query) => scope.queryIds.includes(query.id));
      return closed({ kind: "query" }, among(queries.map(named), "query of this request"));
    }
    case "queryGroups":
      return groupAxis(scope, among);
    case "categories": {
      const parents = await scope.categories();
      const children = parents.flatMap((parent) => parent.children).map(named);
      const childIds = given.flatMap((id) => childrenOf(id, parents));
      return closed(
        { kind: "ids", field: "categories" },
        chosen(children, childIds, "category", parameters, position),
      );
    }
    case "parentCategories": {
      const parents = (await scope.categories()).map(named);
      return closed({ kind: "ids", field: "parentCategories" }, among(parents, "parent category"));
    }
    case "tags":
      return closed({ kind: "ids", field: "tags" }, among((await scope.tags()).map(named), "tag"));
    case "dateRanges": {
      const { dateRanges } = scope;
      return closed({ kind: "range", ranges: dateRanges }, among(dateRanges.map(named), "date range"));
    }
    case "flag":
      return closed({ kind: "flag", field: dimension.field }, among(FLAG_KEYS, name));
    case "words":
      return closed(
        { kind: "text", field: dimension.field },
        among(dimension.vocabulary.map(word), `${name}, expected ${dimension.vocabulary.join(", ")}`),
      );
    case "values":
      return openAxis(valueSource(dimension.field), given, limit, dimension.usual ?? [], dimension.nameField);
  }
}

function timeAxis(
  name: DimensionName,
  unit: Extract<Dimension, { readonly kind: "time" }>["unit"],
  parameters: ParameterReader,
  scope: ChartScope,
): AxisPlan {
  const starts = timeBuckets(unit, scope, scope.zone, MAX_BUCKETS);
  if (starts === undefined)
    parameters.fault(`endDate: expected at most ${MAX_BUCKETS} ${name} after startDate.`);
  const keys = (starts ?? []).map((at, index) => ({ key: String(index), ...bucketLabel(at, scope.zone) }));
  return closed({ kind: "bucket", starts: starts ?? [] }, keys);
}

/** The id of a parent means its children. */
function childrenOf(id: string, parents: Awaited<ReturnType<ChartScope["categories"]>>): readonly string[] {
  const parent = parents.find((candidate) => String(candidate.id) === id);
  return parent === undefined ? [id] : parent.children.map((child) => String(child.id));
}

/** Without a group in the request: every group of the project that has one of the queries. */
async function groupAxis(
  scope: ChartScope,
  among: (keys: readonly AxisKey[], what: string) => readonly AxisKey[],
): Promise<AxisPlan> {
  const all = await scope.queryGroups();
  const isAsked = (group: (typeof all)[number]) =>
    scope.queryGroupIds.length > 0
      ? scope.queryGroupIds.includes(group.id)
      : group.queries.some((query) => scope.queryIds.includes(query.id));
  const groups = all.filter(isAsked);
  const members = groups.flatMap((group) =>
    group.queries.map((query) => ({ group: group.id, query: query.id })),
  );
  return closed({ kind: "group", members }, among(groups.map(named), "query group of this request"));
}

function closed(source: KeySource, keys: readonly AxisKey[]): AxisPlan {
  return { source, keys, findUpTo: 0, nameField: undefined };
}

function openAxis(
  source: KeySource,
  given: readonly string[],
  limit: number | undefined,
  usual: readonly string[],
  nameField?: FieldOf<"text">,
): AxisPlan {
  const words = given.length > 0 ? given : usual;
  return {
    source,
    keys: [...new Set(words)].map(word),
    findUpTo: given.length > 0 ? 0 : Math.min(limit ?? DEFAULT_VALUES, MAX_VALUES),
    nameField,
  };
}

function valueSource(field: FieldOf<"text" | "texts">): KeySource {
  return MENTION_FIELDS[field] === "texts"
    ? { kind: "texts", field: field as FieldOf<"texts"> }
    : { kind: "text", field: field as FieldOf<"text"> };
}

/** The keys that the arguments name, in their order; all when there are none. */
function chosen(
  keys: readonly AxisKey[],
  given: readonly string[],
  what: string,
  parameters: ParameterReader,
  position: 1 | 2,
): readonly AxisKey[] {
  if (given.length === 0) return keys;
  const byKey = new Map(keys.map((key) => [key.key, key]));
  return [...new Set(given)].flatMap((asked) => {
    const key = byKey.get(asked);
    if (key === undefined)
      parameters.fault(`dim${position}Args: ${JSON.stringify(asked.slice(0, 60))} is no ${what}.`);
    return key ?? [];
  });
}

function word(text: string): AxisKey {
  return { key: text, id: text, name: text };
}

function named({ id, name }: NamedThing): AxisKey {
  return { key: String(id), id, name };
}

/** Completes a plan with the values that mentions have; `find` gives the most frequent ones. */
export async function findKeys(
  plan: AxisPlan,
  find: (plan: AxisPlan, limit: number, among: readonly string[] | undefined) => Promise<readonly TopKey[]>,
): Promise<Axis> {
  const needsNames = plan.nameField !== undefined && plan.keys.length > 0;
  const limit = plan.findUpTo + plan.keys.length;
  const among = plan.findUpTo > 0 ? undefined : plan.keys.map((key) => key.key);
  const found = plan.findUpTo > 0 || needsNames ? await find(plan, limit, among) : [];
  const names = new Map(found.map(({ key, name }) => [key, name]));
  const known = new Set(plan.keys.map((key) => key.key));
  const added = found.filter(({ key }) => !known.has(key)).slice(0, plan.findUpTo);
  const keys: AxisKey[] = [
    ...plan.keys.map((key) => ({ ...key, name: names.get(key.key) ?? key.name })),
    ...added.map(({ key, name }) => ({ key, id: key, name: name ?? key })),
  ];
  return { source: plan.source, keys };
}
