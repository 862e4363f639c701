import { sql } from "kysely";
import { forget as forgetPerson } from "../../src/admin/forget.ts";
import { DAY, MINUTE } from "../../src/lib/instant.ts";
import { createLog } from "../../src/lib/log.ts";
import type { AlertAction } from "../../src/monitor/model/alert-action.ts";
import { BUCKET_MS } from "../../src/monitor/model/judging.ts";
import { type Query, sourceOfProject } from "../../src/monitor/model/query.ts";
import { reconcile } from "../../src/monitor/polling/reconcile-counts.ts";
import { refreshGroups } from "../../src/monitor/polling/refresh-groups.ts";
import { writeNext } from "../../src/monitor/polling/write-corrections.ts";
import type { JobContext } from "../../src/monitor/queue/worker.ts";
import { pruneTables } from "../../src/monitor/store/prune-tables.ts";
import type { Stores } from "../../src/monitor/store/stores.ts";
import { type Corrected, correctMention as correct } from "../crash-points/correct-mention.ts";
import { ROOM, withSources } from "../crash-points/loops.ts";
import { SHARING } from "../crash-points/upkeep-chapter.ts";
import { type Work, workOnMentions } from "../crash-points/work-on-mention.ts";
import type { Process } from "./process.ts";
import type { Task } from "./task.ts";

export type MonitorTask = Task<Process>;

const ANN = { via: "page", login: "ann", typed: null } as const;
const BO = { via: "page", login: "bo", typed: null } as const;

function context(): JobContext {
  return { signal: new AbortController().signal, attempt: 1 };
}

export const poll = (query: string, which: "added" | "updated" = "added"): MonitorTask => ({
  name: which === "added" ? `poll of ${query}` : `poll for changes of ${query}`,
  prepare: async ({ stores: look }) => {
    const { projectId, queryId } = await queryNamed(look, query);
    return ({ version }) => version.handlers["poll-query"]({ projectId, queryId, poll: which }, context());
  },
});

export const closeWindows = (query: string): MonitorTask => ({
  name: `windows of ${query}`,
  prepare: async ({ stores: look }) => {
    const { projectId, queryId } = await queryNamed(look, query);
    return ({ version }) => version.handlers["close-windows"]({ projectId, queryId }, context());
  },
});

/** What a sweep does with windows in which nothing can happen. A process that has begun since they rest leaves them. */
export const closeAsleep = (query: string): MonitorTask => ({
  name: `closing of resting windows of ${query}`,
  prepare: async ({ stores: look }) => {
    const resting = await queryNamed(look, query);
    return ({ stores }) =>
      stores.transaction(({ queries }) =>
        queries.closeAsleep([resting], { version: null, since: 0, bucketMs: BUCKET_MS }),
      );
  },
});

export const decide = (query: string): MonitorTask => ({
  name: `decision of ${query}`,
  prepare: async ({ stores: look }) => {
    const { projectId, queryId } = await queryNamed(look, query);
    return ({ version }) => version.handlers["reconsider-alerts"]({ projectId, queryId }, context());
  },
});

/** A person corrects a mention of the account. */
export const correctMention = (
  resourceId: string,
  to: Corrected,
  who: "ann" | "bo" = "ann",
): MonitorTask => ({
  name: `${"sentiment" in to ? `sentiment ${to.sentiment}` : "category"} of ${resourceId} by ${who}`,
  prepare:
    async () =>
    ({ stores, clock }) =>
      correct(stores, resourceId, to, { now: clock.now(), who }),
});

/** The oldest correction that is due goes to the account. */
export const writeCorrection: MonitorTask = {
  name: "writing of a correction",
  prepare: async () => writeToAccount,
};

/** Gives what became of it, where there is an account that takes corrections. */
export async function writeToAccount({ database, clock, config }: Process): Promise<string> {
  let became = "NothingDue";
  const sources = config.sources.filter(({ writeCorrections }) => writeCorrections);
  await withSources({ db: database.db, clock, sources }, async (parts) => {
    became = await writeNext(parts);
  });
  return became;
}

/** A turn at the groups of queries in the account. */
export const keepGroups: MonitorTask = {
  name: "keeping of groups",
  prepare: async () => keepGroupsOnce,
};

/** The turn of whoever is held in it is over by then. */
export async function keepGroupsOnce({ database, clock, config }: Process): Promise<void> {
  await sql`select harness.put_forward(2)`.execute(database.db);
  const sources = config.sources.filter(({ mayCreateGroups }) => mayCreateGroups);
  await withSources({ db: database.db, clock, sources }, (parts) => refreshGroups(parts, parts.source, ROOM));
}

/** Polls all queries of the project by one call that names the groups of the account. */
export const pollByGroup: MonitorTask = {
  name: "poll by groups",
  prepare: async ({ stores: look }) => {
    const [query] = (await look.queries.active()).filter(({ name }) => name.startsWith("groups"));
    const { projectId } = required(query, "a query of groups");
    const all = (await look.queries.active()).filter((one) => one.projectId === projectId);
    const groups = (await look.queryGroups.of(sourceOfProject(projectId))).map(({ groupId }) => groupId);
    const queryIds = all.map(({ queryId }) => queryId);
    return ({ version }) =>
      version.handlers["poll-together"]({ projectId, queryIds, poll: "added", groupIds: groups }, context());
  },
};

/** The server has shown that one call may be about several queries. */
export const shareCalls: MonitorTask = {
  name: "calls are shared",
  prepare:
    async () =>
    ({ database }) =>
      sql.raw(SHARING).execute(database.db),
};

/** The oldest notification to a receiver that is due. */
export const deliver = (receiver: string): MonitorTask => ({
  name: `delivery to ${receiver}`,
  prepare: async ({ stores: look }) => {
    const next = required(await look.notifications.nextDue([receiver]), `a notification to ${receiver}`);
    return ({ version }) => version.handlers.deliver(next, context());
  },
});

export const edit = (receiver: string): MonitorTask => ({
  name: `edit at ${receiver}`,
  prepare: async ({ stores: look }) => {
    const [key] = await look.alertMessages.due([receiver], 1);
    return ({ version }) =>
      version.handlers["update-message"](required(key, `a message to edit at ${receiver}`), context());
  },
});

/** The oldest to a receiver: those that are due at one moment have no order. */
export const correctMessage = (receiver: string): MonitorTask => ({
  name: `correction at ${receiver}`,
  prepare: async ({ stores: look }) => {
    const due = await look.dueWork.find(NOTHING_ELSE);
    const keys = [];
    for (const key of due.corrections)
      if ((await look.notifications.receiverOf(key.projectId, key.notificationId)) === receiver)
        keys.push(key);
    const [oldest] = keys.sort((a, b) => a.notificationId.localeCompare(b.notificationId));
    const key = required(oldest, `a message to correct at ${receiver}`);
    return ({ version }) => version.handlers["correct-message"](key, context());
  },
});

const NOTHING_ELSE = {
  ...{ now: 0, bucketMs: BUCKET_MS, liveReceivers: [], unplanned: [] },
  ...{ mostPolls: 1, mostDeliveries: 1, mostEdits: 10 },
};

export const buildDigest = (name: string, localDate: string): MonitorTask => ({
  name: `digest ${name}`,
  prepare:
    async () =>
    ({ version }) =>
      version.handlers["build-digest"]({ name, localDate }, context()),
});

export const unsubscribe = (digest: string, receiver: string): MonitorTask => ({
  name: `${receiver} leaves the digest`,
  prepare:
    async () =>
    ({ stores }) =>
      stores.digests.setSubscribed(digest, receiver, false),
});

export const sweep: MonitorTask = {
  name: "sweep",
  prepare:
    async () =>
    ({ version }) =>
      version.sweep(),
};

/** What a reload and the round of every ten minutes do. */
export const refresh: MonitorTask = {
  name: "refresh of the queries",
  prepare:
    async () =>
    ({ version }) =>
      version.refreshQueries(),
};

/** The source does not list the query any more. */
export const leaveOut = (query: string): MonitorTask => ({
  name: `${query} is left out`,
  prepare: async ({ stores: look }) => {
    const left = await queryNamed(look, query);
    return async ({ stores, clock }) => {
      const others = (await stores.queries.active()).filter(({ queryId }) => queryId !== left.queryId);
      await stores.queries.register(others, clock.now(), clock.now());
    };
  },
});

/** Another version of the configuration is opened. */
export const reload: MonitorTask = {
  name: "reload",
  prepare:
    async () =>
    ({ stores, clock }) =>
      stores.deadLetters.forgetRules(clock.now()),
};

const press = (query: string, action: AlertAction, rule?: string): MonitorTask => ({
  name: `${action.do} in ${query}`,
  prepare: async ({ stores: look }) => {
    const id = await alertIn(look, query, rule);
    return ({ actions }) => actions.act(id, action, action.do === "resolve" ? BO : ANN);
  },
});

export const acknowledge = (query: string, rule?: string): MonitorTask =>
  press(query, { do: "acknowledge" }, rule);
export const resolve = (query: string, rule?: string): MonitorTask => press(query, { do: "resolve" }, rule);

/** Slack reports one press; it may do so twice. */
export const pressOnce = (query: string): MonitorTask => ({
  name: `press of a button in ${query}`,
  prepare: async ({ stores: look }) => {
    const id = await alertIn(look, query);
    return ({ actions }) => actions.once("one press", (within) => within.act(id, { do: "acknowledge" }, ANN));
  },
});

/** Somebody follows a link in a mail that acts once. */
export const followLink = (query: string, action: AlertAction): MonitorTask => ({
  name: `link that does ${action.do} in ${query}`,
  prepare: async ({ stores: look }) => {
    const id = await alertIn(look, query);
    return ({ actions }) =>
      actions.useLink("one link", 1, async (within) => {
        const acted = await within.act(id, action, BO);
        return acted?.outcome === "Refused" ? acted.because : null;
      });
  },
});

export const silence = (query: string): MonitorTask => ({
  name: `silence in ${query}`,
  prepare: async ({ stores: look }) => {
    const id = await alertIn(look, query);
    return ({ actions }) => actions.silenceAlert(id, 30 * MINUTE, ANN);
  },
});

export const endSilence: MonitorTask = {
  name: "end of the silence",
  prepare: async ({ stores: look }) => {
    const [known] = await look.silences.list(0, true);
    return ({ actions }) => actions.expireSilence(required(known, "a silence").id, BO);
  },
};

export const split = (query: string, rule: string): MonitorTask => ({
  name: `split of ${query}`,
  prepare: async ({ stores: look }) => {
    const id = await alertIn(look, query, rule);
    return ({ actions }) => actions.splitAlert(id, ANN);
  },
});

/** Somebody joins the incident of one rule's alert to that of another. */
export const merge = (query: string, into: string, from: string): MonitorTask => ({
  name: `merge into ${into} in ${query}`,
  prepare: async ({ stores: look }) => {
    const { projectId } = await queryNamed(look, query);
    const incidentOf = async (rule: string): Promise<string> => {
      const alertId = await alertIn(look, query, rule);
      const found = (await look.incidents.ofAlerts(projectId, [alertId])).get(alertId);
      return required(found, `an incident of ${rule}`).id;
    };
    const [intoId, fromId] = [await incidentOf(into), await incidentOf(from)];
    return ({ actions }) => actions.mergeIncidents(intoId, fromId, ANN);
  },
});

/** What is older than the retention goes, and the next days get their tables. */
export const prune: MonitorTask = {
  name: "pruning",
  prepare:
    async () =>
    ({ stores, database, clock }) =>
      pruneTables({ stores, db: database.db, retentionMs: DAY, clock, log: createLog({ level: "silent" }) }),
};

export const forget = (author: string): MonitorTask => ({
  name: `forget ${author}`,
  prepare:
    async () =>
    ({ stores, version, clock }) =>
      forgetPerson(
        {
          // Writing the files of tables anew changes no fact, and waits for every transaction that goes on.
          stores: { ...stores, forgotten: { ...stores.forgotten, rewriteFiles: async () => "Partly" } },
          ...{ clock, local: null, removeCopies: async () => {} },
          rulesFor: () => version.files.rules,
        },
        { what: "author", value: author, source: null },
        BO,
      ),
});

/** The source counts more mentions than are stored: two rounds, which ask, and compare. */
export const reconcileCounts: MonitorTask = {
  name: "reconciliation",
  prepare:
    async () =>
    async ({ stores, clock }) => {
      const parts = { stores, historyMs: DAY, mostQueries: async () => 1, countAt: async () => 99 };
      await reconcile(parts, clock.now());
      await reconcile(parts, clock.now());
    },
};

/** Somebody works on the mentions of Ann. */
export const work = (what: Work, who: "ann" | "bo" = "ann"): MonitorTask => ({
  name: `${what} of mentions by ${who}`,
  prepare:
    async () =>
    ({ stores, clock }) =>
      workOnMentions(stores, what, clock.now(), who),
});

export const replay: MonitorTask = {
  name: "replay of dead letters",
  prepare:
    async () =>
    ({ stores, clock }) =>
      stores.deadLetters.replay("all", clock.now()),
};

export const redeliver = (receiver: string): MonitorTask => ({
  name: `redelivery to ${receiver}`,
  prepare:
    async () =>
    ({ stores }) =>
      stores.notifications.redeliver(receiver, 0),
});

async function queryNamed(look: Stores, name: string): Promise<Query> {
  const all = await look.queries.active();
  return required(
    all.find((query) => query.name === name),
    `a query ${name}`,
  );
}

async function alertIn(look: Stores, query: string, rule?: string): Promise<string> {
  const { projectId, queryId } = await queryNamed(look, query);
  const open = await look.alerts.openOfQuery(projectId, queryId);
  const found = open.filter((alert) => rule === undefined || alert.rule === rule);
  return required(found.sort((a, b) => a.openedAt - b.openedAt)[0], `an alert in ${query}`).id;
}

function required<T>(value: T | null | undefined, what: string): T {
  if (value == null) throw new Error(`there is not ${what}`);
  return value;
}
