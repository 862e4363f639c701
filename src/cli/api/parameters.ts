import { type ApiCall, formatWireInstant, type Places, parseWireInstant, toWireId } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { parseDuration } from "../../lib/duration.ts";
import { UserError } from "../../lib/errors.ts";
import { DAY, type Instant } from "../../lib/instant.ts";

export type Pair = readonly [name: string, value: string];

/** The `--param` values, split into path segments and query parameters. */
interface GivenParameters {
  readonly places: Places;
  readonly pairs: readonly Pair[];
}

const PLACES: Readonly<Record<string, keyof Places>> = {
  project: "projectId",
  projectId: "projectId",
  project_id: "projectId",
  aggregate: "aggregate",
  dim1: "dimension1",
  dimension1: "dimension1",
  dim2: "dimension2",
  dimension2: "dimension2",
};

/** Reads `NAME=VALUE` texts. Throws a UserError for anything else, and for a parameter that holds a secret. */
export function readParameters(texts: readonly string[]): GivenParameters {
  const places: { -readonly [place in keyof Places]: Places[place] } = {};
  const pairs: Pair[] = [];
  for (const text of texts) {
    const [, name, value] = /^([A-Za-z][\w.-]*)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new UserError(`--param ${text}: expected NAME=VALUE, such as --param sentiment=negative`);
    if (/^(?:access_token|password)$/i.test(name))
      throw new UserError(
        `--param ${name}: a secret does not belong there; earshot api --help says where to put it`,
      );
    const place = PLACES[name];
    if (place === undefined) pairs.push([name, value]);
    else if (place === "aggregate" && value.includes(",")) {
      // A chart of several aggregates has a different address.
      places.aggregate = "multiAggregate";
      pairs.push([name, value]);
    } else places[place] = value;
  }
  return { places, pairs };
}

/**
 * The parameters with a range, which every call about mentions needs; by default the last seven days, which
 * `description` then says in words. Throws a UserError.
 */
export function withRange(
  call: ApiCall,
  pairs: readonly Pair[],
  last: string | undefined,
  clock: Clock,
): { readonly pairs: readonly Pair[]; readonly description: string | null } {
  if (call.needs !== "mentions") {
    if (last !== undefined) throw new UserError(`--last: ${call.name} has no range`);
    return { pairs, description: null };
  }
  const start = pairs.find(([name]) => name === "startDate")?.[1];
  const end = pairs.find(([name]) => name === "endDate")?.[1];
  if (last !== undefined && (start ?? end) !== undefined)
    throw new UserError("--last: give a length or startDate and endDate, not both");
  if (start !== undefined && end !== undefined) return { pairs, description: null };
  const until = end === undefined ? clock.now() : momentOf(end);
  const from = start ?? formatWireInstant(until - lengthMs(last ?? "7d"));
  const to = end ?? formatWireInstant(until);
  const others = pairs.filter(([name]) => name !== "startDate" && name !== "endDate");
  return { pairs: [...others, ["startDate", from], ["endDate", to]], description: `from ${from} to ${to}` };
}

/** Builds the body of a new location list from `--param`s. Throws a UserError that names what is missing or unknown. */
export function locationList(call: ApiCall, pairs: readonly Pair[], projectId: string): unknown {
  const known = (call.parameters ?? []).map(([name]) => name);
  const unknown = pairs.find(([name]) => !known.includes(name));
  if (unknown !== undefined)
    throw new UserError(`--param ${unknown[0]}: ${call.name} knows ${known.join(", ")}`);
  const valuesOf = (name: string): string[] =>
    pairs.filter(([key]) => key === name).map(([, value]) => value);
  const [name = ""] = valuesOf("name");
  const locations = valuesOf("location");
  if (name.trim() === "") throw new UserError("--param name=…: expected a name for the new list");
  if (locations.length === 0)
    throw new UserError("--param location=…: expected the id of at least one location");
  const shared = valuesOf("sharedProjectIds").flatMap((value) => value.split(","));
  const sharedProjectIds = shared.length === 0 ? [projectId] : shared;
  return {
    name,
    locations: locations.map((id) => ({ id })),
    sharedProjectIds: sharedProjectIds.map(toWireId),
    shared: valuesOf("shared")[0] ?? "public",
  };
}

function lengthMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0 || ms > 3_650 * DAY)
    throw new UserError(`--last ${text}: expected a length such as 90m, 24h or 30d`);
  return ms;
}

function momentOf(text: string): Instant {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : (parseWireInstant(text) ?? Number.NaN);
  if (Number.isNaN(at))
    throw new UserError(`--param endDate=${text}: expected 2026-01-31 or 2026-01-31T08:00:00.000+0000`);
  return at;
}
