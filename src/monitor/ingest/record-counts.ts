import type { CountChange } from "../model/judging.ts";
import type { Query } from "../model/query.ts";
import type { Facts } from "../store/stores.ts";
import {
  countDistinctAuthors,
  type DistinctAuthorChange,
  distinctAuthorKey,
} from "./count-distinct-authors.ts";

/** Writes the changes that mentions make to the counts of a query. The caller holds the query's lock. */
export async function recordCounts(
  facts: Pick<Facts, "counts" | "distinctAuthors">,
  { projectId, queryId }: Pick<Query, "projectId" | "queryId">,
  counts: readonly CountChange[],
  distinctAuthorChanges: readonly DistinctAuthorChange[],
): Promise<void> {
  await facts.counts.add(projectId, queryId, counts);
  if (distinctAuthorChanges.length === 0) return;
  const keys = new Map(distinctAuthorChanges.map(distinctAuthorKey).map((key) => [JSON.stringify(key), key]));
  const known = await facts.distinctAuthors.find(projectId, queryId, [...keys.values()]);
  const counted = countDistinctAuthors(known, distinctAuthorChanges);
  await facts.distinctAuthors.save(projectId, queryId, counted.distinctAuthors);
  await facts.counts.add(projectId, queryId, counted.counts);
}
