import { defineCondition } from "../define-condition.ts";
import { Range } from "../params.ts";
import { inRange } from "../range-predicate.ts";

/** `impact: {atLeast: …, atMost: …}`, one of them or both. */
export const impact = defineCondition({
  type: "impact",
  params: Range.describe("The impact of the mention, in points of the source. Example: { atLeast: 50 }"),
  compile: (range) => inRange("impact", "points of impact", range, (mention) => mention.impact),
});
