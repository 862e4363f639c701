import { groupBy } from "../lib/group-by.ts";
import type { DigestMore, DigestView } from "./digest-view.ts";

export const NO_MORE: DigestMore = { alerts: 0, common: [], queries: 0, mentions: 0 };

/** Limits the lists; adds the number of removed entries to those removed before. */
export function shortenDigest<View extends Pick<DigestView, "alerts" | "perQuery" | "more">>(
  view: View,
  most: { readonly alerts: number; readonly queries: number },
): View {
  const { more } = view;
  const queries = view.perQuery.slice(most.queries);
  const alerts = view.alerts.slice(most.alerts);
  return {
    ...view,
    alerts: view.alerts.slice(0, most.alerts),
    perQuery: view.perQuery.slice(0, most.queries),
    more: {
      alerts: more.alerts + alerts.length,
      common: commonOf([
        ...more.common,
        ...alerts.map(({ rule, title, query }) => ({ rule, title, query, count: 1 })),
      ]),
      queries: more.queries + queries.length,
      mentions: queries.reduce((sum, { mentions }) => sum + mentions, more.mentions),
    },
  };
}

/** By rule and query, the most common first. */
function commonOf(rows: DigestMore["common"]): DigestMore["common"] {
  const groups = groupBy(rows, ({ rule, query }) => JSON.stringify([rule, query]));
  return [...groups.values()]
    .flatMap((its) =>
      its.slice(0, 1).map((one) => ({ ...one, count: its.reduce((n, { count }) => n + count, 0) })),
    )
    .sort((a, b) => b.count - a.count || compareText(a.query, b.query) || compareText(a.rule, b.rule))
    .slice(0, MOST_COMMON);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const MOST_COMMON = 3;
