import { sql } from "kysely";
import { TransientError } from "../../lib/retry.ts";
import { createAccessTokenStore } from "./access-tokens.ts";
import { createAlertMessageStore } from "./alert-messages.ts";
import { createAlertStore } from "./alerts.ts";
import { createAuditStore } from "./audit.ts";
import { createAuthorListStore } from "./author-lists.ts";
import { createChannelLimitStore } from "./channel-limits.ts";
import { createConditionStore, createDistinctAuthorStore, createSeenValueStore } from "./conditions.ts";
import { createCorrectionStore } from "./corrections.ts";
import { createArrivalStore, createCountStore } from "./counts.ts";
import { createCountCheckStore, createCoverageStore } from "./coverage.ts";
import { type Db, together } from "./database.ts";
import { createDeadLetterStore } from "./dead-letters.ts";
import { createDigestStore } from "./digests.ts";
import { createDueWorkStore } from "./due-work.ts";
import { createErasureStore } from "./erasures.ts";
import { createBounceStore, createFailureStore, createOutageStore } from "./failures.ts";
import { createFilteredCountStore } from "./filtered-counts.ts";
import { createForgottenStore } from "./forgotten.ts";
import { createWatchStore } from "./health.ts";
import { createIncidentNoteStore } from "./incident-notes.ts";
import { createIncidentStore } from "./incidents.ts";
import { createMentionCountStore } from "./mention-counts.ts";
import { createMentionWorkflowStore } from "./mention-workflow.ts";
import { createMentionStore } from "./mentions.ts";
import { createNotificationStore } from "./notifications.ts";
import { createOneTimeCodeStore } from "./one-time-codes.ts";
import { createPollStore } from "./polls.ts";
import { createProcessStore } from "./processes.ts";
import { createQueryStore } from "./queries.ts";
import { createQueryGroupStore } from "./query-groups.ts";
import { createRoomStore } from "./rooms.ts";
import { createRuleFloodStore } from "./rule-floods.ts";
import { createRulePageStore } from "./rule-pages.ts";
import { createSecondFactorStore } from "./second-factors.ts";
import { createSessionStore } from "./sessions.ts";
import { createSettingStore } from "./settings.ts";
import { createSilenceStore } from "./silences.ts";
import { createSlackPeopleStore } from "./slack-people.ts";
import { createSourceEditStore } from "./source-edits.ts";
import { createStoryStore } from "./stories.ts";
import { createInteractionStore } from "./used-once.ts";
import { createUserStore } from "./users.ts";
import { createViewStore } from "./views.ts";

/** The stores of all nouns, on one connection or in one transaction: every fact of Earshot. */
export type Facts = ReturnType<typeof createFacts>;

export interface Stores extends Facts {
  /**
   * Commits everything that `work` does through the given stores together, or not at all. `work` is repeated if another
   * transaction was in its way, so it changes nothing but these stores. `byKeys`: it asks for rows by their keys only,
   * and its statements are planned once for all keys.
   */
  transaction<T>(work: (stores: Facts) => Promise<T>, options?: { readonly byKeys?: boolean }): Promise<T>;
  /** The same; and all that `work` reads is as it was at its first statement, whatever others commit meanwhile. */
  snapshot<T>(work: (stores: Facts) => Promise<T>): Promise<T>;
}

export function createStores(db: Db): Stores {
  return {
    ...createFacts(db),
    transaction: (work, { byKeys = false } = {}) =>
      repeated(() =>
        db.transaction().execute((tx) =>
          together(tx, async (one) => {
            const planned = byKeys ? planOnce.execute(one) : undefined;
            const [result] = await Promise.all([work(createFacts(one)), planned]);
            return result;
          }),
        ),
      ),
    snapshot: (work) =>
      repeated(() =>
        db
          .transaction()
          .setIsolationLevel("repeatable read")
          .execute((tx) => together(tx, (one) => work(createFacts(one)))),
      ),
  };
}

/**
 * By itself PostgreSQL makes a plan for each key as long as a plan for all looks dearer. It counts every month of a table
 * for that one, though only the months of the key are read when it runs.
 */
const planOnce = sql`set local plan_cache_mode = force_generic_plan`;

/** Of two transactions that wait for each other PostgreSQL ends one, and of two that change a row of a snapshot the later. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      const isConflict = error instanceof TransientError && error.code === "Conflict";
      if (!isConflict || tries === MOST_TRIES) throw error;
    }
}

const MOST_TRIES = 5;

function createFacts(db: Db) {
  return {
    queries: createQueryStore(db),
    queryGroups: createQueryGroupStore(db),
    distinctAuthors: createDistinctAuthorStore(db),
    values: createSeenValueStore(db),
    polls: createPollStore(db),
    mentions: createMentionStore(db),
    filteredCounts: createFilteredCountStore(db),
    mentionCounts: createMentionCountStore(db),
    mentionWorkflow: createMentionWorkflowStore(db),
    counts: createCountStore(db),
    countChecks: createCountCheckStore(db),
    conditions: createConditionStore(db),
    coverage: createCoverageStore(db),
    arrivals: createArrivalStore(db),
    alerts: createAlertStore(db),
    incidents: createIncidentStore(db),
    incidentNotes: createIncidentNoteStore(db),
    rooms: createRoomStore(db),
    notifications: createNotificationStore(db),
    bounces: createBounceStore(db),
    alertMessages: createAlertMessageStore(db),
    corrections: createCorrectionStore(db),
    erasures: createErasureStore(db),
    forgotten: createForgottenStore(db),
    channelLimits: createChannelLimitStore(db),
    interactions: createInteractionStore(db),
    digests: createDigestStore(db),
    dueWork: createDueWorkStore(db),
    settings: createSettingStore(db),
    sessions: createSessionStore(db),
    users: createUserStore(db),
    accessTokens: createAccessTokenStore(db),
    secondFactors: createSecondFactorStore(db),
    oneTimeCodes: createOneTimeCodeStore(db),
    slackPeople: createSlackPeopleStore(db),
    audit: createAuditStore(db),
    views: createViewStore(db),
    authorLists: createAuthorListStore(db),
    failures: createFailureStore(db),
    deadLetters: createDeadLetterStore(db),
    health: createWatchStore(db),
    outages: createOutageStore(db),
    processes: createProcessStore(db),
    ruleFloods: createRuleFloodStore(db),
    rulePages: createRulePageStore(db),
    silences: createSilenceStore(db),
    sourceEdits: createSourceEditStore(db),
    stories: createStoryStore(db),
  };
}
