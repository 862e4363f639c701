import {
  findForgettable,
  type Database as LocalTables,
  rememberForgotten,
  tombstoneMentions,
} from "#listening-api";
import {
  type Actor,
  type AskedToForget,
  askedHash,
  createAssessor,
  eventAt,
  type FilesOutcome,
  forgetMentions,
  forgetSecret,
  type Mention,
  type Query,
  type Rule,
  type Stores,
  withoutAt,
} from "#monitor";
import type { Clock } from "../lib/clock.ts";
import { groupBy } from "../lib/group-by.ts";
import { uuid7 } from "../lib/uuid7.ts";

export interface ForgetParts {
  readonly stores: Stores;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly clock: Clock;
  /** Removes the copies of mentions that backtests keep for a day. */
  readonly removeCopies: () => Promise<unknown>;
  /** The tables of our own Listening API; null where the source is somebody else's. */
  readonly local: LocalTables | null;
}

/** What a request finds, or what was forgotten. */
export interface ForgetCounts {
  /** Stored mentions in the monitor; one that two queries found counts twice. */
  readonly mentions: number;
  /** Alerts that said something of them; null before it is done. */
  readonly alerts: number | null;
  /** Mentions in our own Listening API; null where it is not ours. */
  readonly localMentions: number | null;
  /** Silences whose matcher names the author. People wrote them, so people end them. */
  readonly silences: number;
  /** Entries on lists of authors that are this author. */
  readonly listed: number;
  /** Notes on incidents, mentions and listed authors that name it. People wrote them: the name is taken out, and the rest stays. */
  readonly notes: number;
  /** Whether the words are out of the files of the tables, too; null before it is done. */
  readonly files: FilesOutcome | null;
  /** Messages that were sent about alerts of these mentions, by receiver. */
  readonly sent: readonly { readonly receiver: string; readonly messages: number }[];
}

/** More than anybody writes; the rest is found by doing it again. */
const MOST = 100_000;
/** In one transaction: it holds the lock of a query. */
const AT_ONCE = 200;

/** Counts what a request would forget. Changes nothing. */
export async function findToForget(parts: ForgetParts, target: AskedToForget): Promise<ForgetCounts> {
  const exact = exactly(target);
  const found = await parts.stores.forgotten.findMentions(exact, MOST);
  const local = parts.local === null ? null : await findForgettable(parts.local, exact, MOST);
  const lists = await parts.stores.authorLists.countNaming(exact.value, exact.source);
  return {
    mentions: found.length,
    alerts: null,
    localMentions: local === null ? null : new Set(local.map(({ resourceId }) => resourceId)).size,
    silences: await parts.stores.forgotten.silencesNaming(exact.value),
    listed: lists.entries,
    notes:
      lists.notes +
      (await parts.stores.incidentNotes.countNaming(exact.value)) +
      (await parts.stores.mentionWorkflow.countNaming(exact.value)),
    files: null,
    sent: await parts.stores.forgotten.sentAbout(found),
  };
}

/**
 * Forgets all mentions of an author or an address, for a person's right: in our own Listening API first, so that it
 * sends nothing of them any more, then in the monitor. Stores who asked for it when, and a keyed hash of what was asked.
 * May be done again, and continues where it was interrupted.
 */
export async function forget(parts: ForgetParts, target: AskedToForget, actor: Actor): Promise<ForgetCounts> {
  const { stores, clock } = parts;
  const before = await findToForget(parts, target);
  const exact = exactly(target);
  const secret = await forgetSecret(stores);
  const request = {
    ...{ id: uuid7(clock.now()), at: clock.now(), actor, what: target.what },
    ...{ asked: askedHash(secret, target), ofOneSource: target.source !== null },
    ...{ mentions: before.mentions, alerts: 0, localMentions: before.localMentions, files: null },
  };
  // First: what arrives while this runs is refused already.
  await stores.forgotten.addRequest(request);
  if (parts.local !== null) {
    await rememberForgotten(parts.local, exact, request.at);
    await forgetLocally(parts.local, exact, clock);
  }
  let mentions = 0;
  const alerts = new Set<string>();
  for (;;) {
    const found = await stores.forgotten.findMentions(exact, MOST);
    const byQuery = groupBy(found, ({ projectId, mention }) => JSON.stringify([projectId, mention.queryId]));
    let forgotten = 0;
    for (const ofQuery of byQuery.values())
      for (let i = 0; i < ofQuery.length; i += AT_ONCE) {
        const done = await forgetInQuery(parts, ofQuery.slice(i, i + AT_ONCE));
        forgotten += done.mentions;
        for (const id of done.alerts) alerts.add(id);
      }
    mentions += forgotten;
    if (forgotten === 0) break;
  }
  await stores.incidentNotes.forget(exact.value);
  await stores.mentionWorkflow.forget(exact.value);
  await stores.authorLists.forget(exact.value, exact.source);
  // Copies can be made again.
  await parts.removeCopies();
  // Counts name authors and sites.
  await stores.mentionCounts.countStale();
  const files = await stores.forgotten.rewriteFiles();
  await stores.forgotten.countRequest(request.id, { mentions, alerts: alerts.size, files });
  return { ...before, mentions, alerts: alerts.size, files };
}

async function forgetInQuery(
  { stores, rulesFor, clock }: ForgetParts,
  ofQuery: readonly { readonly projectId: string; readonly mention: Mention }[],
): Promise<{ readonly mentions: number; readonly alerts: readonly string[] }> {
  const [first] = ofQuery;
  if (first === undefined) return { mentions: 0, alerts: [] };
  return stores.transaction(async (facts) => {
    const query = await facts.queries.lock(first.projectId, first.mention.queryId);
    if (query === null) return { mentions: 0, alerts: [] };
    const rules = rulesFor(query);
    return forgetMentions(
      facts,
      query,
      ofQuery.map(({ mention }) => ({ resourceId: mention.resourceId, eventAt: eventAt(mention) })),
      { rules, assess: createAssessor(rules), now: clock.now(), reason: "request" },
    );
  });
}

async function forgetLocally(local: LocalTables, target: AskedToForget, clock: Clock): Promise<void> {
  const found = await findForgettable(local, target, MOST);
  for (const [projectId, ofProject] of groupBy(found, ({ projectId }) => projectId)) {
    const ids = [...new Set(ofProject.map(({ resourceId }) => resourceId))];
    for (let i = 0; i < ids.length; i += AT_ONCE)
      await local.transaction().execute((db) =>
        tombstoneMentions(db, projectId, ids.slice(i, i + AT_ONCE), {
          at: clock.now(),
          reason: "a person asked to forget it",
        }),
      );
  }
}

function exactly(target: AskedToForget): AskedToForget {
  return target.what === "author" ? { ...target, value: withoutAt(target.value) } : target;
}
