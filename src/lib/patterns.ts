import { z } from "zod";

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

/**
 * Whether the whole of `text` matches `pattern`, where `*` stands for any characters and `?` for one. Ignores case. At
 * most pattern × text steps, because the text may be hostile.
 */
export function fitsGlob(pattern: string, text: string): boolean {
  const wanted = [...pattern.toLowerCase()];
  const given = [...text.toLowerCase()];
  let p = 0;
  let t = 0;
  let star = -1;
  let starAt = 0;
  while (t < given.length) {
    if (wanted[p] === "*") {
      star = p++;
      starAt = t;
    } else if (p < wanted.length && (wanted[p] === "?" || wanted[p] === given[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++starAt;
    } else {
      return false;
    }
  }
  while (wanted[p] === "*") p++;
  return p === wanted.length;
}
