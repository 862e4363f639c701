import type { ParameterReader } from "../parameters/parameter-reader.ts";
import { DIMENSIONS, type Dimension, type DimensionName } from "./dimensions.ts";

export interface DimensionArguments {
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
