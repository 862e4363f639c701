import { type ApiCall, formatWireInstant, type Places, parseWireInstant } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { formatDuration, parseDuration } from "../../lib/duration.ts";
import { UserError } from "../../lib/errors.ts";
import { DAY, type Instant, toIso } from "../../lib/instant.ts";

export type Pair = readonly [name: string, value: string];

/** The `--param` values, split into path segments and query parameters. */
export interface GivenParameters {
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

/** The parameters with a range; a default range also in words. */
export interface Ranged {
  readonly pairs: readonly Pair[];
  readonly description: string | null;
}

/** Every call about mentions needs a range; default: the last seven days. */
export function withRange(
  call: ApiCall,
  pairs: readonly Pair[],
  last: string | undefined,
  clock: Clock,
): Ranged {
  if (call.needs !== "mentions") {
    if (last !== undefined) throw new UserError(`--last: ${call.name} has no range`);
    return { pairs, description: null };
  }
  const start = pairs.find(([name]) => name === "startDate")?.[1];
  const end = pairs.find(([name]) => name === "endDate")?.[1];
  if (last !== undefined && (start ?? end) !== undefined)
    throw new UserError("--last: give a length or startDate and endDate, not both");
  if (start !== undefined && end !== undefined) return { pairs, description: null };
  const lengthMs = readLength(last ?? "7d");
  const until = end === undefined ? clock.now() : momentOf(end);
  const from = start === undefined ? formatWireInstant(until - lengthMs) : start;
  const to = end ?? formatWireInstant(until);
  const others = pairs.filter(([name]) => name !== "startDate" && name !== "endDate");
  return {
    pairs: [...others, ["startDate", from], ["endDate", to]],
    description: describe(start, end, until, lengthMs),
  };
}

function describe(
  start: string | undefined,
  end: string | undefined,
  until: Instant,
  lengthMs: number,
): string {
  if (start !== undefined) return `from ${start} to now (${format(until)})`;
  const length = formatDuration(lengthMs);
  return end === undefined
    ? `the last ${length}, ${format(until - lengthMs)} to ${format(until)}`
    : `the ${length} before ${end}`;
}

function format(at: Instant): string {
  return `${toIso(at).slice(0, 16).replace("T", " ")} UTC`;
}

function readLength(text: string): number {
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
