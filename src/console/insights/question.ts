import {
  chosenQueries,
  type InsightsQuestion,
  type Range,
  readRange,
  type Stores,
  type WatchedQuery,
} from "#monitor";
import { withParameter } from "../common/address.ts";
import type { Times } from "../common/times.ts";

/** The queries and the time that a question is about. */
export interface Scope {
  readonly question: InsightsQuestion;
  /** Those to choose from. */
  readonly queries: readonly WatchedQuery[];
  readonly chosen: readonly WatchedQuery[];
  readonly range: Range;
  /** Whether the chosen queries have several zones: then the days are those of the console. */
  readonly hasZones: boolean;
  /** What was asked for is longer: of these filters so much can be counted. */
  readonly isCut?: boolean;
  /** Whether the period before was counted; if absent, it was. */
  readonly isCompared?: boolean;
}

export async function readScope(
  { queries: store }: Pick<Stores, "queries">,
  times: Times,
  question: InsightsQuestion,
): Promise<Scope> {
  const { queries, chosen } = chosenQueries(await store.active(), question);
  const zones = [...new Set(chosen.map(({ timezone }) => timezone))];
  const zone = zones.length === 1 ? (zones[0] ?? times.zone) : times.zone;
  const range = readRange(question, times.now(), zone);
  return { question, queries, chosen, range, hasZones: zones.length > 1 };
}

/** The same question on another page. */
export function sameOn(path: string, address: string): string {
  const [, query] = withParameter(withParameter(address, "live", null), "part", null).split("?");
  return query === undefined ? path : `${path}?${query}`;
}
