import { defineCondition } from "../define-condition.ts";
import { Range } from "../params.ts";
import { inRange } from "../range-predicate.ts";

/** `followers: {atLeast: …, atMost: …}`, one of them or both. */
export const followers = defineCondition({
  type: "followers",
  params: Range.describe("How many followers the author has. Example: { atLeast: 10000 }"),
  compile: (range) => inRange("followers", "followers", range, (mention) => mention.followers),
});
