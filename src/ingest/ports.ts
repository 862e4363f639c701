import type { Instant } from "../lib/instant.ts";
import type { Alert } from "../model/alert.ts";
import type { AlertEvent } from "../model/alert-event.ts";
import type { ConditionState } from "../model/condition-state.ts";
import type { CountChange } from "../model/count-change.ts";
import type { CoverageInterval } from "../model/coverage-interval.ts";
import type { DeadLetterKind, NewDeadLetter } from "../model/dead-letter.ts";
import type { DistinctAuthor, DistinctAuthorKey } from "../model/distinct-author.ts";
import type { Match } from "../model/match.ts";
import type { Mention } from "../model/mention.ts";
import type { GroupFlush, PendingNotification, ReceiverEntry } from "../model/notification.ts";
import type { PollKey } from "../model/poll.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { SeenValue } from "../model/seen-value.ts";
import type { Severity } from "../model/severity.ts";
import type { Silence } from "../model/silence.ts";
import type { PageOutcome, PageRows, StoredMention, StoryMention } from "../model/stored-mention.ts";
import type { StoryFacts } from "./fold-stories.ts";
import type { RejectedRow } from "./source-page.ts";

/** What ingest reads and writes. Everything done inside one `transaction` is committed together. */
export interface IngestFacts {
  readonly queries: {
    find(projectId: string, queryId: string): Promise<WatchedQuery | null>;
    lock(projectId: string, queryId: string): Promise<WatchedQuery | null>;
    setTickedUntil(projectId: string, queryId: string, until: Instant): Promise<void>;
  };
  readonly polls: {
    claim(key: PollKey, now: Instant): Promise<{ lease: string; state: unknown; failures: number } | null>;
    renew(key: PollKey, lease: string): Promise<void>;
    advance(key: PollKey, lease: string, state: unknown): Promise<void>;
    finish(
      key: PollKey,
      lease: string,
      end: { completeUntil: Instant | null; polledAt: Instant; nextAt: Instant },
    ): Promise<void>;
    fail(key: PollKey, lease: string, error: string, retryAfterMs: number): Promise<void>;
    postpone(key: PollKey, lease: string, retryAfterMs: number): Promise<void>;
    completeUntil(projectId: string, queryId: string): Promise<Instant | null>;
  };
  readonly mentions: {
    rowsOf(page: readonly StoredMention[]): PageRows;
    storePage(
      projectId: string,
      page: PageRows,
      seenAt: Instant,
      folded?: ReadonlyMap<number, string>,
    ): Promise<PageOutcome>;
    byArrival(projectId: string, queryId: string): AsyncGenerator<StoryMention[]>;
    storySizes(
      projectId: string,
      queryId: string,
      stories: readonly string[],
      since: Instant,
    ): Promise<ReadonlyMap<string, number>>;
  };
  readonly counts: {
    add(projectId: string, queryId: string, changes: readonly CountChange[]): Promise<void>;
    arrivals(
      projectId: string,
      queryId: string,
      from: Instant,
      to: Instant,
      series?: readonly string[],
    ): Promise<CountChange[]>;
    series(projectId: string, queryId: string): Promise<Set<string>>;
    addSeries(projectId: string, queryId: string, series: readonly string[]): Promise<void>;
    leaveSeries(projectId: string, queryId: string, series: readonly string[]): Promise<void>;
    clear(projectId: string, queryId: string, series: readonly string[]): Promise<void>;
  };
  readonly distinctAuthors: {
    find(projectId: string, queryId: string, keys: readonly DistinctAuthorKey[]): Promise<DistinctAuthor[]>;
    save(projectId: string, queryId: string, distinctAuthors: readonly DistinctAuthor[]): Promise<void>;
  };
  readonly values: {
    find(projectId: string, queryId: string, series: string, values: readonly string[]): Promise<SeenValue[]>;
    save(projectId: string, queryId: string, values: readonly SeenValue[]): Promise<void>;
  };
  readonly conditions: {
    states(projectId: string, queryId: string): Promise<ConditionState[]>;
    save(projectId: string, queryId: string, states: readonly ConditionState[]): Promise<void>;
    remove(projectId: string, queryId: string, conditions: readonly string[]): Promise<void>;
    removeStopped(
      projectId: string,
      queryId: string,
      baselines: readonly string[],
      before: Instant,
    ): Promise<void>;
    firstArrival(projectId: string, queryId: string): Promise<Instant | null>;
  };
  readonly coverage: {
    record(interval: CoverageInterval): Promise<void>;
    deadLetters(
      projectId: string,
      queryId: string,
      when: Instant,
      rejected: readonly RejectedRow[],
    ): Promise<void>;
  };
  readonly deadLetters: {
    add(one: NewDeadLetter, now: Instant): Promise<void>;
    wanted(
      projectId: string,
      queryId: string,
    ): Promise<readonly { id: string; kind: DeadLetterKind; body: unknown }[]>;
    settle(projectId: string, ids: readonly string[], now: Instant): Promise<void>;
    failedAgain(projectId: string, id: string, reason: string): Promise<void>;
  };
  readonly alerts: AlertFacts;
  readonly notifications: NotificationFacts;
  readonly stories: StoryFacts;
  readonly silences: { active(now: Instant): Promise<Silence[]> };
}

export interface AlertFacts {
  findMany(projectId: string, ids: readonly string[]): Promise<Alert[]>;
  openOfQuery(projectId: string, queryId: string): Promise<Alert[]>;
  openOfProject(projectId: string): Promise<Alert[]>;
  latest(projectId: string, fingerprints: readonly string[]): Promise<Alert[]>;
  save(alerts: readonly Alert[]): Promise<void>;
  alreadyMatched(
    projectId: string,
    matches: readonly { rule: string; mention: Mention }[],
  ): Promise<Set<string>>;
  addMatches(projectId: string, matches: readonly Match[]): Promise<void>;
  addEvents(projectId: string, events: readonly AlertEvent[]): Promise<void>;
}

export interface NotificationFacts {
  lockNotifications(projectId: string): Promise<void>;
  addPending(notifications: readonly PendingNotification[]): Promise<void>;
  entries(projectId: string, alertIds: readonly string[]): Promise<ReceiverEntry[]>;
  saveEntries(entries: readonly ReceiverEntry[]): Promise<void>;
  alertsToReconsider(projectId: string, queryId: string, now: Instant): Promise<string[]>;
  flushes(projectId: string): Promise<GroupFlush[]>;
  saveFlushes(flushes: readonly GroupFlush[]): Promise<void>;
  wake(projectId: string, reason: string, now: Instant): Promise<number>;
  decidedSince(receiver: string, since: Instant): Promise<{ at: Instant; severity: Severity }[]>;
}

export interface IngestStore extends IngestFacts {
  transaction<T>(work: (facts: IngestFacts) => Promise<T>): Promise<T>;
}
