import { z } from "zod";
import { Duration } from "../../lib/duration.ts";
import { HOUR, MINUTE } from "../../lib/instant.ts";

/** One value or a list of them; a list either way. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item).min(1))
    .meta({ oneOrMany: true });
}

/** Text that is not blank. Accepts a number as its text, because ids are often written without quotes. */
export const Word = z
  .preprocess(
    (value) => (typeof value === "number" || typeof value === "bigint" ? String(value) : value),
    z
      .string()
      .trim()
      .refine((text) => text !== "", "expected text, got nothing"),
  )
  .meta({ type: ["string", "number"], pattern: "\\S", patternErrorMessage: "expected text, got nothing" });

/** `{atLeast, atMost}`, one of them or both. */
export const Range = z
  .strictObject({
    atLeast: z.number().exactOptional().describe("This number or more."),
    atMost: z.number().exactOptional().describe("This number or less."),
  })
  .refine((range) => range.atLeast !== undefined || range.atMost !== undefined, "expected atLeast or atMost")
  .refine(
    (range) => (range.atLeast ?? Number.NEGATIVE_INFINITY) <= (range.atMost ?? Number.POSITIVE_INFINITY),
    "atLeast is above atMost, so nothing can match",
  )
  .meta({ minProperties: 1 });
export type Range = z.output<typeof Range>;

/** `40%` → 0.4. */
export const Share = z
  .unknown()
  .transform((value, context) => {
    const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(typeof value === "string" ? value.trim() : "")?.[1];
    const share = Number(percent) / 100;
    if (share > 0 && share <= 1) return share;
    context.addIssue({
      code: "custom",
      message: `expected a share such as 40%, got ${JSON.stringify(value) ?? "nothing"}`,
      params: suggestedShare(value),
    });
    return z.NEVER;
  })
  .meta({
    type: "string",
    pattern: "^\\s*(?!0*(\\.0+)?\\s*%)0*(\\d{1,2}(\\.\\d+)?|100(\\.0+)?)\\s*%\\s*$",
    patternErrorMessage: "expected a share such as 40%, above 0% and up to 100%",
  });

function suggestedShare(value: unknown): { suggestion?: string } {
  if (typeof value !== "number" || value <= 0 || value > 100) return {};
  return { suggestion: `${value <= 1 ? value * 100 : value}%` };
}

/** The length of a window: whole buckets of five minutes, at most a day, so that its state stays small. */
export const WindowLength = Duration.refine(
  (ms) => ms >= 5 * MINUTE && ms <= 24 * HOUR && ms % (5 * MINUTE) === 0,
  "expected a multiple of 5m from 5m to 24h",
).meta({ bounds: "A multiple of 5m from 5m to 24h" });
