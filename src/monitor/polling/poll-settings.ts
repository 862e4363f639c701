import { DAY, HOUR, type Instant } from "../../lib/instant.ts";
import type { PollKind } from "../model/poll.ts";
import { PLAIN_PATH, type PollPath, type PollState } from "../model/poll-state.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { ServerQuirks } from "../model/server-quirk.ts";
import type { Rule } from "../rules/rule.ts";
import type { SourceConfig } from "../source/source-config.ts";
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

/** How long after the start of a poll its query is due again, in domain time. */
export function everyMs({ pollEvery, updatesEvery }: SourceConfig, poll: PollKind): number {
  return poll === "added" ? pollEvery : updatesEvery;
}

/** A poll that is less behind than this ends before the order in which it reads matters. */
const NEWEST_FIRST_BEHIND_MS = HOUR;

/** The configured settings, adapted to the server's quirks. */
export function observedSettings(
  configured: PollSettings,
  quirks: ServerQuirks,
  poll: PollKind,
  now: Instant,
): PollSettings {
  const late = quirks.get("late-indexing")?.ms ?? 0;
  return {
    ...configured,
    // Half more than was ever seen: the next one may be later.
    overlapMs: Math.max(configured.overlapMs, Math.min(MOST_OVERLAP_MS, late * 1.5)),
    path: pathOf(quirks, poll, now),
  };
}

/** Beyond this overlap, reading known mentions again costs more than a count check (see reconcile). */
const MOST_OVERLAP_MS = 6 * HOUR;

function pathOf(quirks: ServerQuirks, poll: PollKind, now: Instant): PollPath {
  const withheld = withholdsSince(quirks, poll, now);
  const byNumber = mistrustsCursors(quirks, now);
  if (!withheld && !byNumber) return PLAIN_PATH;
  return {
    direction: withheld ? "desc" : "asc",
    since: withheld ? "withheld" : "sent",
    pages: byNumber ? "number" : "cursor",
  };
}

/** Servers change, and one refusal may have had another reason: it is tried again once a day. */
function withholdsSince(quirks: ServerQuirks, poll: PollKind, now: Instant): boolean {
  const since = quirks.get(`since-${poll}`);
  if (since === undefined || now - since.lastAt >= DAY) return false;
  return since.value === "ignored" || since.value === "refused";
}

/**
 * Page numbers do not reach far, so a refused cursor is tried again once a day. A cursor that expires may just have
 * been old. But if it was not, and many mentions share a moment, a poll that resumes from that moment would not
 * advance.
 */
function mistrustsCursors(quirks: ServerQuirks, now: Instant): boolean {
  const cursors = quirks.get("cursors");
  if (cursors === undefined) return false;
  const age = now - cursors.lastAt;
  return (cursors.value === "refused" && age < DAY) || (cursors.value === "expire" && age < HOUR);
}

/** A poll that began in a way which the server is now known to refuse cannot continue. */
export function isOutdated({ running }: PollState, { path = PLAIN_PATH }: PollSettings): boolean {
  if (running === null) return false;
  const begun = running.path ?? PLAIN_PATH;
  return begun.since !== path.since || (path.pages === "number" && begun.pages === "cursor");
}
