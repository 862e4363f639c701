import type { ParameterReader } from "../parameters/parameter-reader.ts";
import { AGGREGATE_NAMES, type AggregateName, isAggregateName } from "./aggregates.ts";

const MAX_AGGREGATES = 10;

/** `aggregate` of a chart of several: with commas, or repeated, at least one and at most ten. */
export function readAggregates(parameters: ParameterReader): AggregateName[] {
  const words = parameters
    .texts("aggregate")
    .flatMap((text) => text.split(","))
    .map((word) => word.trim())
    .filter((word) => word !== "");
  if (words.length === 0 || words.length > MAX_AGGREGATES)
    parameters.fault(
      `aggregate: expected 1 to ${MAX_AGGREGATES} of ${AGGREGATE_NAMES.join(", ")}, got ${words.length}.`,
    );
  for (const word of words.filter((word) => !isAggregateName(word)))
    parameters.fault(
      `aggregate: expected one of ${AGGREGATE_NAMES.join(", ")}, got ${JSON.stringify(word.slice(0, 60))}.`,
    );
  return [...new Set(words.filter(isAggregateName))];
}
