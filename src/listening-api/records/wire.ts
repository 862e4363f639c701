import { type Instant, toIso } from "../../lib/instant.ts";
import type { ListPaging } from "../parameters/list-parameters.ts";

/** The API's own form of a moment: `2026-02-17T07:36:05.000+0000`. */
export function wireTime(at: Instant): string {
  return `${toIso(at).slice(0, -1)}+0000`;
}

interface ListEnvelope<Item> {
  readonly resultsTotal: number;
  readonly resultsPage: number;
  readonly resultsPageSize: number;
  readonly results: readonly Item[];
}

/** The envelope of lists: -1 means "not paged". */
export function listEnvelope<Item>(results: readonly Item[], paging?: ListPaging): ListEnvelope<Item> {
  if (paging === undefined)
    return { resultsTotal: results.length, resultsPage: -1, resultsPageSize: -1, results };
  const { page, pageSize } = paging;
  return {
    resultsTotal: results.length,
    resultsPage: page,
    resultsPageSize: pageSize,
    results: results.slice(page * pageSize, (page + 1) * pageSize),
  };
}

/** The same for lists that are not counted, categories and tags: -1 for the total too. */
export function uncountedEnvelope<Item>(results: readonly Item[], paging?: ListPaging): ListEnvelope<Item> {
  return { ...listEnvelope(results, paging), resultsTotal: -1 };
}
