import { describeError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { isTransient } from "../../lib/retry.ts";
import { commitPage } from "../ingest/commit-page.ts";
import { preparePage } from "../ingest/prepare-page.ts";
import { prepareSeries } from "../ingest/prepare-series.ts";
import type { Mention } from "../model/mention.ts";
import type { PendingNotification } from "../model/notification.ts";
import type { PollKey } from "../model/poll.ts";
import { NEW_POLL, type PageBody, type PollRequest, type PollState } from "../model/poll-state.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { Rule } from "../rules/rule.ts";
import type { WantedReplay } from "../store/dead-letters.ts";
import type { PollParts } from "./poll-parts.ts";
import { isOutdated, observedSettings } from "./poll-settings.ts";
import { createRepeatCounter } from "./shared-pages.ts";
import { abandonPoll, beginAgain, nextCall, type PollSettings } from "./watermark.ts";

export type PollOutcome =
  /** Another worker polls it, or polled it meanwhile. */
  | { readonly outcome: "NotDue" }
  | CompletePoll
  /** No call could be made for it now; nothing has failed. */
  | { readonly outcome: "Postponed"; readonly because: string }
  /** Committed pages stay; the poll resumes from there later. */
  | { readonly outcome: "BrokenOff"; readonly error: string; readonly retryable: boolean };

/** A poll that has ended. */
export interface CompletePoll {
  readonly outcome: "Complete";
  readonly pages: number;
  readonly added: number;
  readonly changed: number;
  /** A bucket has closed that is not evaluated yet. */
  readonly windowsDue: boolean;
  readonly startedAt: Instant;
}

/** A poll whose lease is held: only it can commit pages of its query. */
export interface LeasedPoll {
  readonly key: PollKey;
  readonly query: WatchedQuery;
  readonly lease: string;
  readonly startedAt: Instant;
  /** The stored state; null before the first page. */
  readonly claimed: PollState | null;
  /** Failures in a row before this run. */
  readonly failures: number;
  /** It begins here at the latest, because calls by a group may have brought nothing of it since; null: no reason to. */
  readonly rereadFrom: Instant | null;
}

/** What one run of a poll found. */
interface PollCounts {
  pages: number;
  added: number;
  changed: number;
  rejected: number;
  repeated: number;
  /** How far behind the watermark a new mention was. */
  lateMs: number;
  /** Known mentions that came with a newer `added`. */
  restamped: number;
}

/** A poll that takes part in a call. `commitPart` alone changes it. */
export interface PollMember extends LeasedPoll {
  readonly rules: readonly Rule[];
  readonly settings: PollSettings;
  /** What it would ask for alone. */
  readonly request: PollRequest;
  /** The state before the first page of this run. */
  readonly stored: PollState;
  /** The state after the last page that was committed. */
  state: PollState;
  readonly counts: PollCounts;
  readonly repeats: ReturnType<typeof createRepeatCounter>;
}

/** A claimed poll, and what is stored of its query that it begins with. */
interface ClaimedPoll {
  readonly poll: LeasedPoll;
  readonly wanted: readonly WantedReplay[];
  /** Series that are counted. */
  readonly series: readonly string[];
}

/**
 * Claims polls of one project, and reads what they begin with, in few statements for all. Left out are those that
 * another worker has, that are not due, or whose query is gone. `onClaimed` is called as soon as they are held.
 */
export async function claimPolls(
  parts: PollParts,
  keys: readonly PollKey[],
  onClaimed: (held: readonly { readonly key: PollKey; readonly lease: string }[]) => void,
): Promise<readonly ClaimedPoll[]> {
  const { store } = parts;
  const startedAt = parts.clock.now();
  const claims = await store.polls.claimAll(keys, startedAt);
  const known = new Map(keys.map((key) => [key.queryId, key]));
  onClaimed(claims.map(({ queryId, lease }) => ({ key: known.get(queryId) as PollKey, lease })));
  if (claims.length === 0) return [];
  const found = await store.queries.forPolls(claims);
  const byId = new Map(found.map((one) => [one.query.queryId, one]));
  return claims.flatMap(({ queryId, lease, state, failures, rereadFrom }) => {
    const [key, stored] = [known.get(queryId), byId.get(queryId)];
    if (key === undefined || stored === undefined) return [];
    const { query, ...rest } = stored;
    const claimed = state as PollState | null;
    return [{ poll: { key, query, lease, startedAt, claimed, failures, rereadFrom }, ...rest }];
  });
}

/** Replays dead letters first, then decides what the poll asks for. */
export async function startMember(
  parts: PollParts,
  { poll, wanted, series }: ClaimedPoll,
): Promise<PollMember> {
  const { key, query, claimed, startedAt, rereadFrom } = poll;
  const rules = parts.rulesFor(query);
  const [quirks] = await Promise.all([
    parts.source.quirkLog.quirks(),
    prepareSeries(parts.store, query, rules, series),
  ]);
  const replayed = await replayDeadLetters(parts, poll, rules, claimed ?? NEW_POLL, wanted);
  if (replayed.pending.length > 0) await parts.onPending(replayed.pending);
  const settings = observedSettings(parts.settings(query, key.poll), quirks, key.poll, startedAt);
  const reached = isOutdated(replayed.state, settings)
    ? abandonPoll(replayed.state, settings)
    : replayed.state;
  const stored = rereadFrom === null ? reached : beginAgain(reached, rereadFrom, settings);
  const { request, state } = nextCall(key.poll, stored, settings, startedAt);
  const counts = { pages: 0, added: 0, changed: 0, rejected: 0, repeated: 0, lateMs: 0, restamped: 0 };
  return { ...poll, rules, settings, request, stored, state, counts, repeats: createRepeatCounter() };
}

/**
 * Replays the dead mentions of a query one by one, under the lease of its poll; one that fails again stays a dead
 * letter. A page is replayed by a poll that begins where the page's poll began. Returns the pending notifications, and
 * the state from which the poll continues.
 */
async function replayDeadLetters(
  parts: PollParts,
  run: LeasedPoll,
  rules: readonly Rule[],
  state: PollState,
  wanted: readonly WantedReplay[],
): Promise<{ readonly pending: readonly PendingNotification[]; readonly state: PollState }> {
  const { key, lease } = run;
  const { projectId } = key;
  const { deadLetters } = parts.store;
  const pending: PendingNotification[] = [];
  let begun = state;
  for (const { id, kind, body } of wanted) {
    if (kind === "page") {
      const { poll, from } = body as PageBody;
      if (poll !== key.poll) continue;
      begun = { ...abandonPoll(begun), gap: { from: Math.min(from, begun.gap?.from ?? from), tries: 0 } };
      await parts.store.polls.advance(key, lease, begun);
      await deadLetters.settle(projectId, [id], parts.clock.now());
      continue;
    }
    if (kind !== "mention" || key.poll !== "added") continue;
    try {
      // We wrote it, from what the source client had accepted.
      const mentions = [body as Mention];
      const page = { mentions, rejected: [], nextCursor: null, total: null, pageSize: null };
      const prepared = preparePage(rules, parts.store.mentions.rowsOf, page);
      const committed = await commitPage(parts, run, prepared, begun);
      pending.push(...committed.pending);
      await deadLetters.settle(projectId, [id], parts.clock.now());
    } catch (error) {
      if (isTransient(error)) throw error;
      await deadLetters.failedAgain(
        projectId,
        id,
        `it could not be stored: ${describeError(error).slice(0, 200)}`,
      );
    }
  }
  return { pending, state: begun };
}
