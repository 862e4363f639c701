import { defineCondition } from "../define-condition.ts";
import { Range } from "../params.ts";
import { inRange } from "../range-predicate.ts";

/** `reach: {atLeast: …, atMost: …}`, one of them or both. */
export const reach = defineCondition({
  type: "reach",
  params: Range.describe("How many people probably read the mention. Example: { atLeast: 20000 }"),
  compile: (range) => inRange("reach", "estimated readers", range, (mention) => mention.reach),
});
