import { z } from "zod";
import { fitsGlob } from "./glob.ts";

/** Names in a file that people write: one pattern or several, of which any must match. `*` and `?` are wildcards. */
export const Patterns = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)], {
    error: `expected a pattern such as "United*", or a list of them`,
  })
  .transform((patterns) => (typeof patterns === "string" ? [patterns] : patterns));
export type Patterns = z.infer<typeof Patterns>;

export function fitsAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => fitsGlob(pattern, text));
}

/** By its name, or by its exact id. */
export function fitsQuery(
  patterns: readonly string[],
  query: { queryId: string; queryName: string },
): boolean {
  return fitsAny(patterns, query.queryName) || patterns.includes(query.queryId);
}
