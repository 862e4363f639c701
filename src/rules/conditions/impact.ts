import { defineCondition } from "../define-condition.ts";
import { Range } from "../params.ts";
import { inRange } from "../range-predicate.ts";

/** `impact: {atLeast: …, atMost: …}`, one of them or both. */
export const impact = defineCondition({
  type: "impact",
  params: Range,
  compile: (range) => inRange("impact", "points of impact", range, (mention) => mention.impact),
});
