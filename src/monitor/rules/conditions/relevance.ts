import { z } from "zod";
import { defineCondition } from "../define-condition.ts";
import { inRange } from "../range-predicate.ts";

const Score = z.number().min(0).max(1).exactOptional();

/** `relevance: { atLeast: 0.6 }`: what an analyser said; a mention that was not judged (yet) does not match. */
export const relevance = defineCondition({
  type: "relevance",
  params: z
    .strictObject({
      atLeast: Score.describe("This score or more, 0 to 1."),
      atMost: Score.describe("This score or less, 0 to 1."),
    })
    .refine(
      (range) => range.atLeast !== undefined || range.atMost !== undefined,
      "expected atLeast or atMost",
    )
    .refine(
      (range) => (range.atLeast ?? 0) <= (range.atMost ?? 1),
      "atLeast is above atMost, so nothing can match",
    )
    .meta({ minProperties: 1 })
    .describe(
      "How surely the mention is about what its query means (`about`), from 0 to 1. Needs an analyser. Example: { atLeast: 0.6 }",
    ),
  compile: (range) =>
    inRange("relevance", "relevance", range, (mention) => mention.relevance ?? null, String),
});
