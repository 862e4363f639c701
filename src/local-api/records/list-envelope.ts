export interface ListEnvelope<Item> {
  readonly resultsTotal: number;
  readonly resultsPage: number;
  readonly resultsPageSize: number;
  readonly results: readonly Item[];
}

/** The envelope of lists that are given whole: -1 stands for "not paged". */
export function listEnvelope<Item>(results: readonly Item[]): ListEnvelope<Item> {
  return { resultsTotal: results.length, resultsPage: -1, resultsPageSize: -1, results };
}
