import type { SourceConfig } from "../config/source-config.ts";
import { HOUR } from "../lib/instant.ts";
import type { PollKind } from "../model/poll.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { Rule } from "../rules/rule.ts";
import type { PollSettings } from "./watermark.ts";

/**
 * The configured settings of a poll of one query. New mentions are read back into history, for the baselines; changes
 * only from when the query is watched.
 */
export function pollSettings(
  source: SourceConfig,
  query: WatchedQuery,
  poll: PollKind,
  rules: readonly Pick<Rule, "catchUp">[],
): PollSettings {
  const newestFirst = rules.some(({ catchUp }) => catchUp === "newest-first");
  return {
    ...(newestFirst && { newestFirstBehindMs: NEWEST_FIRST_BEHIND_MS }),
    overlapMs: source.overlap,
    lookbackMs: source.lookback,
    settleMs: source.settle,
    historyFrom: poll === "added" ? query.watchFrom - source.history : query.watchFrom,
  };
}

/** A poll that is less behind than this ends before the order in which it reads matters. */
const NEWEST_FIRST_BEHIND_MS = HOUR;
