import { stableHash } from "../lib/stable-hash.ts";
import type { Predicate } from "./predicate.ts";
import type { Series } from "./window-condition.ts";

/** The mentions that a window condition looks at, with the words for them. */
export interface Slice {
  readonly predicate: Predicate;
  readonly series: Series;
  /** "mentions", "negative mentions", "matching mentions". */
  readonly subject: string;
}

/** The slice of the mentions that pass `predicate`; of all mentions without one. */
export function sliceOf(predicate: Predicate, isEverything: boolean): Slice {
  return {
    predicate,
    series: { key: stableHash({ slice: 1, form: predicate.form }), counts: predicate.matches },
    subject: isEverything ? "mentions" : `${predicate.adjective ?? "matching"} mentions`,
  };
}
