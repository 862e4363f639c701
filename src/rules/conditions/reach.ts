import { defineCondition } from "../define-condition.ts";
import { Range } from "../params.ts";
import { inRange } from "../range-predicate.ts";

/** `reach: {atLeast: …, atMost: …}`, one of them or both. */
export const reach = defineCondition({
  type: "reach",
  params: Range,
  compile: (range) => inRange("reach", "estimated readers", range, (mention) => mention.reach),
});
