import { DAY, type Instant } from "../lib/instant.ts";
import type { SourceClient } from "../source/source-client.ts";
import type { Stores } from "../store/stores.ts";

/** How many mentions the source has of each watched query, by id. One call for each query. */
export async function totalsOf(
  source: SourceClient,
  stores: Stores,
  lookbackMs: number,
  now: Instant,
): Promise<ReadonlyMap<string, number>> {
  const totals = new Map<string, number>();
  for (const { projectId, queryId, watchFrom } of await stores.queries.active()) {
    const range = { startDate: watchFrom - lookbackMs, endDate: now + DAY };
    const page = await source.mentionsPage({ projectId, queryIds: [queryId], ...range, pageSize: 1 });
    totals.set(queryId, page.total ?? 0);
  }
  return totals;
}
