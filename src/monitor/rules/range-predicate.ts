import { formatNumber } from "../../lib/numbers.ts";
import type { Mention } from "../model/mention.ts";
import { outside } from "./miss.ts";
import type { Range } from "./params.ts";
import type { Predicate } from "./predicate.ts";

/** A number of the mention inside a range. `noun` follows the number: "with 120,000 followers (limit 10,000)". */
export function inRange(
  type: string,
  noun: string,
  range: Range,
  read: (mention: Mention) => number | null,
  format: (value: number) => string = formatNumber,
): Predicate {
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = range;
  const limits = [
    ...(range.atLeast === undefined ? [] : [`at least ${format(range.atLeast)}`]),
    ...(range.atMost === undefined ? [] : [`at most ${format(range.atMost)}`]),
  ].join(", ");
  const limit = range.atMost === undefined ? format(atLeast) : limits;
  return {
    form: { [type]: range },
    matches: (mention) => {
      const value = read(mention);
      return value !== null && value >= atLeast && value <= atMost;
    },
    explain: (mention) => `with ${format(read(mention) ?? Number.NaN)} ${noun} (limit ${limit})`,
    miss: (mention) => outside(type, noun, read(mention), range, format),
    label: `${limits} ${noun}`,
    attribute: `with ${limits} ${noun}`,
  };
}
