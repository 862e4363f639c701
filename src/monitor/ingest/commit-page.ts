import type { Clock } from "../../lib/clock.ts";
import type { Instant } from "../../lib/instant.ts";
import { matchKey } from "../model/judging.ts";
import type { Mention, PageOutcome } from "../model/mention.ts";
import type { PendingNotification } from "../model/notification.ts";
import type { PollKey } from "../model/poll.ts";
import type { PollState } from "../model/poll-state.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { NotifyConfig } from "../notify/decide/decide-notifications.ts";
import type { Rule } from "../rules/rule.ts";
import type { Refusals } from "../store/forgotten.ts";
import type { Facts, Stores } from "../store/stores.ts";
import type { AlertObservation } from "./apply-observations.ts";
import { type AssessedMention, storyOfMention } from "./assess-mention.ts";
import { foldStories, type StoryCache } from "./fold-stories.ts";
import { eraseEdited, forgetMentions } from "./forget-mentions.ts";
import { askedToForget } from "./forget-requests.ts";
import {
  judgePage,
  type MentionChange,
  type MentionEvidence,
  mentionObservations,
  storiesToCount,
} from "./judge-page.ts";
import type { PreparedPage } from "./prepare-page.ts";
import { readAlertsOnce } from "./read-alerts-once.ts";
import { recordCounts } from "./record-counts.ts";
import { recordIncidents } from "./record-incidents.ts";
import { recordNotifications } from "./record-notifications.ts";
import { recordObservations } from "./record-observations.ts";
import { recordValues } from "./record-values.ts";

export interface CommitParts {
  readonly store: Pick<Stores, "mentions" | "transaction">;
  readonly notifyConfig: NotifyConfig;
  readonly clock: Clock;
  /** Saves reading texts that this process knows; the stories are the same without it. */
  readonly stories?: StoryCache;
}

export interface CommittedPage {
  readonly added: number;
  readonly changed: number;
  /** Changed mentions that came with a newer `added`. */
  readonly restamped: number;
  /** The earliest `added` of the new ones; null if there are none. */
  readonly earliestAdded: Instant | null;
  /** Notifications that the page caused and that are due now. */
  readonly pending: readonly PendingNotification[];
}

/**
 * Commits one page in one transaction: its mentions, their counts, the alerts they cause, the notifications of those,
 * and the state of the poll. Either all of it is stored or nothing.
 */
export async function commitPage(
  parts: CommitParts,
  run: { readonly key: PollKey; readonly query: WatchedQuery; readonly lease: string },
  prepared: PreparedPage,
  state: PollState,
): Promise<CommittedPage> {
  const { key, query, lease } = run;
  let keepStories = (): void => {};
  const committed = await parts.store.transaction(
    async (facts) => {
      // The lock comes first: counts go to buckets that are still open, and one worker at a time changes alerts.
      const locked = (await facts.queries.lock(key.projectId, key.queryId)) ?? query;
      const seenAt = parts.clock.now();
      const [refusals, counted] = await Promise.all([
        facts.forgotten.refusals(key.projectId, key.queryId),
        facts.counts.series(key.projectId, key.queryId),
        facts.polls.advance(key, lease, state),
      ]);
      const read = await forgetAndRefuse(facts, locked, prepared, refusals, seenAt);
      const { page, rows, rules, assessed, stories } = read;
      const { folded, append, done } = await foldStories(facts.stories, parts.stories, key, stories);
      keepStories = done;
      const [outcome] = await Promise.all([
        facts.mentions.storePage(key.projectId, rows, seenAt, folded),
        append(),
        facts.coverage.deadLetters(key.projectId, key.queryId, seenAt, page.rejected),
      ]);
      const changes = changesIn(read, outcome, folded);
      await eraseReplaced(facts, locked, read, outcome);
      const judged = judgePage(locked, counted, changes, { seenAt, behindMs: page.behindMs ?? 0 });
      const added = outcome.added.map((index) => at(assessed, index).mention);
      const [matched, valued] = await Promise.all([
        notYetMatched(facts, locked, judged.evidence, storiesOf(assessed, folded)),
        recordValues(facts, locked, rules, counted, added),
        recordCounts(facts, key, judged.counts, judged.distinctAuthors),
      ]);
      const pending = await recordOutcome(parts, facts, locked, rules, [...matched, ...valued]);
      return {
        added: outcome.added.length,
        changed: outcome.changed.length,
        restamped: changes.filter(isRestamped).length,
        earliestAdded: earliestOf(added),
        pending,
      };
    },
    { byKeys: true },
  );
  keepStories();
  return committed;
}

/** The alerts and incidents that follow from what was observed, and the notifications of those. */
async function recordOutcome(
  parts: CommitParts,
  facts: Facts,
  query: WatchedQuery,
  rules: readonly Rule[],
  observations: readonly AlertObservation[],
): Promise<readonly PendingNotification[]> {
  const { inhibitions, floodAt } = parts.notifyConfig;
  const floods = floodAt == null ? null : { floods: facts.ruleFloods, limit: floodAt };
  const recorded = await recordObservations(facts.alerts, query, observations, floods);
  const read = readAlertsOnce(facts);
  const transitions = await recordIncidents(read, query, { rules, inhibitions }, recorded, null);
  return recordNotifications(read, parts, query, transitions);
}

/**
 * Forgets what the page says was deleted, and leaves out what was forgotten before: an old version that comes late, a
 * replay, a dead letter that is tried again.
 */
async function forgetAndRefuse(
  facts: Facts,
  query: WatchedQuery,
  prepared: PreparedPage,
  refusals: Refusals,
  now: Instant,
): Promise<PreparedPage> {
  const { rules, assess, deleted, assessed, page } = prepared;
  await forgetMentions(facts, query, deleted, { rules, assess, now, reason: "source" });
  const { projectId, queryId } = query;
  const mentions = assessed.map(({ mention }) => mention);
  const forgotten =
    refusals.requests.length === 0 ? [] : await askedToForget(facts, refusals.requests, mentions);
  await forgetMentions(facts, query, forgotten, { rules, assess, now, reason: "request" });
  if (!refusals.hasTombstones && deleted.length + forgotten.length === 0) return prepared;
  const ids = [...mentions, ...page.rejected].flatMap(({ resourceId }) => resourceId ?? []);
  const refused = await facts.forgotten.among(projectId, queryId, ids);
  if (refused.size === 0) return prepared;
  // What was tried here may be a dead letter, which has all of it.
  await facts.forgotten.removeDeadLetters(projectId, queryId, [...refused]);
  return prepared.without(refused);
}

/** Each mention that the page added or changed, as it was stored before and as it is now. */
function changesIn(
  { assessed, assess }: PreparedPage,
  { added, changed }: PageOutcome,
  folded: ReadonlyMap<number, string>,
): readonly MentionChange[] {
  const after = (index: number) => storyOfMention(at(assessed, index), folded.get(index));
  return [
    ...added.map((index) => ({ before: null, after: after(index) })),
    ...changed.map(({ index, before, story }) => ({
      before: storyOfMention(assess(before), story),
      after: after(index),
    })),
  ];
}

/** Erases what earlier versions said where this page replaces them, and dead letters of versions that were not stored. */
async function eraseReplaced(
  facts: Facts,
  query: WatchedQuery,
  { assessed, rows, rules }: PreparedPage,
  { added, changed }: PageOutcome,
): Promise<void> {
  const { projectId, queryId } = query;
  const mentionAt = (index: number) => at(assessed, index).mention;
  const replaced = added
    .filter((index) => rows.edited.has(index))
    .map((index) => mentionAt(index).resourceId);
  if (replaced.length > 0) await facts.forgotten.removeDeadLetters(projectId, queryId, replaced);
  const edited = changed.map(({ index, ...one }) => ({ ...one, after: mentionAt(index) }));
  await eraseEdited(facts, query, rules, edited);
}

/** Stories of mentions that are near-duplicates of others. */
function storiesOf(
  assessed: readonly AssessedMention[],
  folded: ReadonlyMap<number, string>,
): ReadonlyMap<Mention, string> {
  return new Map([...folded].map(([place, story]) => [at(assessed, place).mention, story]));
}

function isRestamped({ before, after }: MentionChange): boolean {
  return before !== null && after !== null && after.mention.addedAt > before.mention.addedAt;
}

function earliestOf(mentions: readonly Mention[]): Instant | null {
  let earliest: Instant | null = null;
  for (const { addedAt } of mentions) if (earliest === null || addedAt < earliest) earliest = addedAt;
  return earliest;
}

function at(assessed: readonly AssessedMention[], index: number): AssessedMention {
  const one = assessed[index];
  if (one === undefined) throw new RangeError(`the store speaks of mention ${index} of ${assessed.length}`);
  return one;
}

/** Evidence in order of time, without mentions that the rule has alerted on before. */
async function notYetMatched(
  facts: Facts,
  query: WatchedQuery,
  evidence: readonly MentionEvidence[],
  stories: ReadonlyMap<Mention, string>,
): Promise<readonly AlertObservation[]> {
  const known = await facts.alerts.alreadyMatched(
    query.projectId,
    evidence.map(({ rule, mention }) => ({ rule: rule.name, mention })),
  );
  const fresh = evidence
    .filter(({ rule, mention }) => !known.has(matchKey(rule.name, mention)))
    .sort((a, b) => a.at - b.at);
  const counted = storiesToCount(fresh, stories);
  const sizes =
    counted === null
      ? new Map<string, number>()
      : await facts.mentions.storySizes(query.projectId, query.queryId, counted.stories, counted.since);
  return mentionObservations(query, fresh, stories, sizes);
}
