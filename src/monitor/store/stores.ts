import { createAlertMessageStore } from "./alert-messages.ts";
import { createAlertStore } from "./alerts.ts";
import { createChannelLimitStore } from "./channel-limits.ts";
import { createConditionStore, createDistinctAuthorStore, createSeenValueStore } from "./conditions.ts";
import { createCorrectionStore } from "./corrections.ts";
import { createArrivalStore, createCountStore } from "./counts.ts";
import { createCountCheckStore, createCoverageStore } from "./coverage.ts";
import type { Db } from "./database.ts";
import { createDeadLetterStore } from "./dead-letters.ts";
import { createDigestStore } from "./digests.ts";
import { createDueWorkStore } from "./due-work.ts";
import { createErasureStore } from "./erasures.ts";
import { createBounceStore, createFailureStore, createOutageStore } from "./failures.ts";
import { createForgottenStore } from "./forgotten.ts";
import { createWatchStore } from "./health.ts";
import { createIncidentStore } from "./incidents.ts";
import { createMentionStore } from "./mentions.ts";
import { createNotificationStore } from "./notifications.ts";
import { createPollStore } from "./polls.ts";
import { createProcessStore } from "./processes.ts";
import { createQueryStore } from "./queries.ts";
import { createRulePageStore } from "./rule-pages.ts";
import { createSessionStore } from "./sessions.ts";
import { createSettingStore } from "./settings.ts";
import { createSilenceStore } from "./silences.ts";
import { createStoryStore } from "./stories.ts";
import { createInteractionStore } from "./used-once.ts";
import { createUserStore } from "./users.ts";

/** The stores of all nouns, on one connection or in one transaction: every fact of Earshot. */
export type Facts = ReturnType<typeof createFacts>;

export interface Stores extends Facts {
  /** Commits everything that `work` does through the given stores together, or not at all. */
  transaction<T>(work: (stores: Facts) => Promise<T>): Promise<T>;
}

export function createStores(db: Db): Stores {
  return {
    ...createFacts(db),
    transaction: (work) => db.transaction().execute((tx) => work(createFacts(tx))),
  };
}

function createFacts(db: Db) {
  return {
    queries: createQueryStore(db),
    distinctAuthors: createDistinctAuthorStore(db),
    values: createSeenValueStore(db),
    polls: createPollStore(db),
    mentions: createMentionStore(db),
    counts: createCountStore(db),
    countChecks: createCountCheckStore(db),
    conditions: createConditionStore(db),
    coverage: createCoverageStore(db),
    arrivals: createArrivalStore(db),
    alerts: createAlertStore(db),
    incidents: createIncidentStore(db),
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
    failures: createFailureStore(db),
    deadLetters: createDeadLetterStore(db),
    health: createWatchStore(db),
    outages: createOutageStore(db),
    processes: createProcessStore(db),
    rulePages: createRulePageStore(db),
    silences: createSilenceStore(db),
    stories: createStoryStore(db),
  };
}
