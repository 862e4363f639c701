import { fitsGlob } from "../lib/patterns.ts";

/** Names or ids, with `*` for any characters, of what is watched at the source. */
export interface Watched {
  readonly projects: readonly string[];
  readonly queries: readonly string[];
}

/** Whether one of these patterns is the id, or fits the name. */
export function isNamed(patterns: readonly string[], id: string, name: string): boolean {
  return patterns.some((pattern) => pattern === id || fitsGlob(pattern, name));
}
