import { setTimeout as delay } from "node:timers/promises";
import { inventLocalSecrets, LOCAL_ACCOUNT } from "#console";
import { createLocalApi, seedAccount } from "#listening-api";
import {
  type Actor,
  type Alert,
  alertNames,
  createAlertActions,
  createConsoleStore,
  createStores,
  type Db,
  type DecisionsLeft,
  definitionOf,
  type Earshot,
  ensurePartitions,
  type LocalVendors,
  type MentionWhy,
  type MonitorConfig,
  OWN_QUERY,
  openDatabase,
  openPool,
  type PngRenderer,
  type Renderer,
  ROLES,
  type Rule,
  type SourceConfig,
  type SweepOptions,
  startEarshot,
  whyMention,
} from "#monitor";
import { createManualClock, type ManualClock, monotonicMs } from "../../lib/clock.ts";
import { type Closing, openTogether } from "../../lib/closing.ts";
import { UserError } from "../../lib/errors.ts";
import { DAY, type Instant, MINUTE } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { createForecast, type Forecast } from "./forecast.ts";
import { type LocalReceivers, startLocalReceivers } from "./local-receivers.ts";
import type { Observations, ObservedAlert, ObservedEvent } from "./observed.ts";
import { type StoryQueries, writeBaseline, writeStory } from "./stage.ts";
import { baselineOf, type Story, type StoryAction, startOf, storyOf } from "./story.ts";
import type { RuleTest } from "./test-file.ts";

interface RuleTestParts {
  /** Its receivers, routes, rules and templates; the source and the vendors are replaced by local ones. */
  readonly config: MonitorConfig;
  readonly rules: readonly Rule[];
  readonly renderer: Renderer;
  readonly pictures: PngRenderer;
  /** A database with the tables, the account of the test and its baseline, for this test alone. */
  readonly databaseUrl: string;
  readonly queries: StoryQueries;
  /** Whether the explanations are wanted: those of a test that passes are of no use. */
  readonly wantsWhy: (observed: Observations) => boolean;
  /** Also the times at which nothing happens, as the rules say in memory. */
  readonly everyStop: boolean;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** What a story led to. */
export interface RuleTestRun {
  readonly story: Story;
  readonly observed: Observations;
  /** The last mention that the story names, by every rule; empty unless it was wanted. */
  readonly why: readonly MentionWhy[];
}

/** The tables show something else than the rules in memory: the test must be played at every stop. */
export const FORECAST_WRONG = "forecast wrong";

const ACCOUNT_PASSWORD = "for rule tests only";

/**
 * Prepares the tables of a test: the account at the local API, and the mentions of the days before. Tests with the same
 * queries and the same usual share a copy.
 */
export async function prepareTables(
  databaseUrl: string,
  test: Pick<RuleTest, "start" | "usual">,
  names: readonly string[],
): Promise<StoryQueries> {
  return openTogether(async (closing) => {
    const { db, pool } = openTables(databaseUrl, closing);
    const start = startOf(test);
    await ensurePartitions(db, start);
    const { projectId, queries } = await seedAccount(pool, {
      client: { name: "Rule tests" },
      user: { username: LOCAL_ACCOUNT.username, password: ACCOUNT_PASSWORD },
      project: { name: "Rule tests", timezone: test.start.zone },
      queries: names.map((name) => ({ name })),
      at: start,
    });
    const source = { projectId: String(projectId), ids: queries };
    await writeBaseline(createStores(db), baselineOf(test, names), source, start);
    await closing.close();
    return source;
  });
}

function openTables(url: string, closing: Closing) {
  const database = openDatabase({ url, connections: 2, onError: () => {} });
  closing.add(database.close);
  const pool = openPool({ url, connections: 4, onError: () => {} });
  closing.add(() => pool.end());
  return { db: database.db, pool };
}

/**
 * Plays a story on the real line, the clock moved by hand: local API, poll, store, rules, alerts, routes, templates, and
 * the vendors as local servers. Returns what people could see, and when; or that stops were left out that count.
 */
export async function runRuleTest(
  parts: RuleTestParts,
  test: RuleTest,
): Promise<RuleTestRun | typeof FORECAST_WRONG> {
  const { databaseUrl, queries, log } = parts;
  const story = storyOf(test, [...queries.ids.keys()]);
  const clock = createManualClock(story.start);
  return openTogether(async (closing) => {
    const { db, pool } = openTables(databaseUrl, closing);
    await writeStory(pool, story, queries);
    const secrets = inventLocalSecrets();
    const receivers = await startLocalReceivers(clock, secrets.slackToken, log);
    closing.add(receivers.close);
    const api = createLocalApi({ pool, clock, log, signingSecret: secrets.signingSecret });
    closing.add(api.close);
    const apiUrl = await api.listen({ host: "127.0.0.1", port: 0 });
    // Messages tell the time of the story, as the test and its report do.
    const inZone = { ...parts.config, timezone: test.start.zone };
    const config = rehearsed(inZone, receivers.vendors, {
      baseUrl: apiUrl,
      // Where nothing changes, the polls for changes would be half of the work.
      updatesEvery: story.changes.length === 0 ? DAY : MINUTE,
      history: (test.usual?.days ?? 0) * DAY,
    });
    const earshot = await startEarshot({
      config,
      files: { config, rules: parts.rules, renderer: parts.renderer },
      pictures: parts.pictures,
      databaseUrl,
      queue: { kind: "in-process" },
      clock,
      log,
      roles: ROLES,
      watchFrom: story.start,
      sweepEveryMs: null,
      checksHealth: false,
    });
    closing.add(earshot.stop);
    await earshot.refreshQueries();
    const observer = createObserver(earshot, db, receivers, config);
    const isAsForecast = await play(earshot, parts, story, { clock, look: observer.look });
    if (!isAsForecast) {
      await closing.close();
      return FORECAST_WRONG;
    }
    const observed = await observer.observed();
    const last = story.mentions.findLast(({ resourceId }) => resourceId.startsWith("story-"));
    const facts = createConsoleStore(db);
    const why =
      last !== undefined && parts.wantsWhy(observed)
        ? await whyMention({ stores: earshot.stores, facts, rules: earshot.rules }, last.resourceId)
        : [];
    await closing.close();
    return { story, observed, why };
  });
}

/**
 * Moves the clock from stop to stop. Leaves out those at which nobody is notified: no news, and no decision about an
 * alert is due. Slack messages are edited only where the test looks at them. Returns false if the tables show that a stop
 * was left out wrongly.
 */
async function play(
  earshot: Earshot,
  { queries, signal, everyStop }: RuleTestParts,
  story: Story,
  { clock, look }: { clock: ManualClock; look: (at: Instant) => Promise<readonly Alert[]> },
): Promise<boolean> {
  let forecast: Forecast | null = everyStop ? ALWAYS_NEWS : null;
  let left: DecisionsLeft = { nextAt: null, waitsForEvidence: false };
  let messagesAreOld = true;
  for (const at of story.stops) {
    const expected = forecast?.expectedAt(at) ?? "News";
    const readsSlack = story.readsSlackAt.has(at);
    messagesAreOld ||= expected !== "Nothing";
    const isPlayed =
      expected === "News" ||
      (expected === "Growth" && left.waitsForEvidence) ||
      (left.nextAt !== null && left.nextAt <= at) ||
      (readsSlack && messagesAreOld) ||
      at === story.end;
    if (!isPlayed) continue;
    clock.set(at);
    await act(earshot, story, at, clock.now);
    await settle(earshot, signal, { editsMessages: readsSlack });
    left = await earshot.stores.dueWork.decisionsLeft();
    messagesAreOld = !readsSlack;
    const alerts = await look(at);
    forecast ??= await openForecast(earshot, queries, story, at);
    if (!forecast.agreesWith(alerts)) return false;
  }
  return true;
}

const ALWAYS_NEWS: Forecast = { expectedAt: () => "News", agreesWith: () => true };

async function openForecast(
  { stores, rules }: Earshot,
  queries: StoryQueries,
  story: Story,
  at: Instant,
): Promise<Forecast> {
  const watched = (await stores.queries.active()).filter(({ queryId }) => queryId !== OWN_QUERY.queryId);
  const learned = await Promise.all(
    watched.map(async (query) => ({
      query,
      states: await stores.conditions.states(query.projectId, query.queryId),
    })),
  );
  const forecast = createForecast(story, rules, queries, learned);
  forecast.expectedAt(at);
  return forecast;
}

/** The configuration with local servers in place of the source and of every vendor; without digests, which no rule sends. */
function rehearsed(
  config: MonitorConfig,
  vendors: LocalVendors,
  server: Pick<SourceConfig, "baseUrl" | "updatesEvery" | "history">,
): MonitorConfig {
  const { sources, receivers } = config;
  const { platformClientId: _, ...rest } = sources[0];
  return {
    ...config,
    sources: [
      {
        ...rest,
        ...server,
        ...LOCAL_ACCOUNT,
        name: "account",
        password: ACCOUNT_PASSWORD,
        projects: ["*"],
        queries: ["*"],
        pollEvery: MINUTE,
      },
    ],
    receivers: receivers.map((receiver) => {
      const { rehearse } = definitionOf(receiver.notifier);
      if (rehearse === undefined)
        throw new UserError(`rule tests cannot send to ${receiver.name}: its kind has no local server`);
      return {
        ...receiver,
        notifier: rehearse.config(receiver.notifier, vendors) as typeof receiver.notifier,
      };
    }),
    digests: [],
  };
}

/**
 * Does all that is due at this moment. Messages are edited when the rest is done: what they show does not depend on which
 * job was faster.
 */
async function settle(
  earshot: Earshot,
  signal: AbortSignal,
  { editsMessages }: Required<SweepOptions>,
): Promise<void> {
  await doAll(earshot, signal, { editsMessages: false });
  if (editsMessages) await doAll(earshot, signal, { editsMessages: true });
}

/** The tables say what is due, and the queue of this process when it is done. */
async function doAll(earshot: Earshot, signal: AbortSignal, options: SweepOptions): Promise<void> {
  const startedAt = monotonicMs();
  for (;;) {
    signal.throwIfAborted();
    // Asked before the sweep: what becomes due between the two is waited for here, or is found there.
    const busy = await earshot.stores.dueWork.unsettled();
    const due = Object.values(await earshot.sweep(options)).reduce((sum, count) => sum + count, 0);
    while ((await earshot.queueCounts()).some(({ waiting, active }) => waiting + active > 0)) await delay(1);
    if (due > 0) continue;
    if (busy === 0) return;
    if (monotonicMs() - startedAt > STUCK_MS)
      throw new Error("there is work that fails again and again; LOG_LEVEL=warn shows why");
    await delay(20);
  }
}

const STUCK_MS = 60_000;

const SOMEBODY: Actor = { via: "page", login: null, typed: "Test" };

/** Does what people do at this moment of the story. */
async function act(earshot: Earshot, { actions }: Story, at: Instant, now: () => Instant): Promise<void> {
  const { stores, rules } = earshot;
  const people = createAlertActions({ stores, clock: { now, speed: 0 }, names: alertNames(rules) });
  for (const action of actions.filter((one) => one.at === at)) {
    if (action.do === "silence") {
      await people.addSilence({
        match: { rule: [action.rule] },
        by: SOMEBODY,
        comment: "rule test",
        lengthMs: action.lengthMs,
      });
      continue;
    }
    const alert = await openAlertOf(earshot, action);
    const acted = await people.act(alert, { do: action.do }, SOMEBODY);
    if (acted?.outcome === "Refused")
      throw new UserError(`${action.do} at the alert of ${action.rule} is refused: ${acted.because}`);
  }
}

async function openAlertOf(earshot: Earshot, { do: what, rule }: StoryAction): Promise<string> {
  const alerts = await allAlerts(earshot);
  const alert = alerts
    .filter((one) => one.rule === rule && (what === "not-relevant" || one.resolvedAt === null))
    .at(-1);
  if (alert === undefined) throw new UserError(`${what}: there is no open alert of ${rule} at this moment`);
  return alert.id;
}

function allAlerts({ stores }: Earshot) {
  return stores.alerts.openedBetween(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
}

/** Notes the state of the alerts at each moment where the clock stops. */
function createObserver(
  earshot: Earshot,
  db: Db,
  local: LocalReceivers,
  { receivers }: Pick<MonitorConfig, "receivers">,
) {
  const kinds = new Map(receivers.map(({ name, notifier }) => [name, definitionOf(notifier)]));
  const alerts = new Map<
    string,
    ObservedAlert & { readonly projectId: string; seen: ObservedAlert["seen"][number][] }
  >();
  return {
    look: async (at: Instant): Promise<readonly Alert[]> => {
      const all = await allAlerts(earshot);
      for (const { id, projectId, rule, queryName: query, state, severity } of all) {
        const known = alerts.get(id) ?? { id, projectId, rule, query, seen: [] };
        alerts.set(id, known);
        const last = known.seen.at(-1);
        const incident = (await earshot.stores.incidents.ofAlerts(projectId, [id])).get(id)?.status;
        if (last?.state !== state || last.severity !== severity || last.incident !== incident)
          known.seen.push({ at, state, severity, incident });
      }
      return all;
    },
    observed: async (): Promise<Observations> => {
      const facts = createConsoleStore(db);
      const history: ObservedEvent[] = [];
      const owners = new Map<string, { receiver: string; alertIds: string[] }>();
      for (const { id, projectId } of alerts.values()) {
        history.push(...(await facts.alertEvents(projectId, id, MOST)));
        for (const one of await facts.alertNotifications(projectId, id, MOST)) {
          const owner = owners.get(one.id) ?? { receiver: one.receiver, alertIds: [] };
          owner.alertIds.push(id);
          owners.set(one.id, owner);
        }
      }
      const messages = local.received.flatMap(({ request, ...message }) => {
        const owner = [...owners].find(
          ([id, { receiver }]) => kinds.get(receiver)?.rehearse?.isOf(request, id) === true,
        )?.[1];
        return owner === undefined
          ? []
          : [{ ...message, ...owner, kind: kinds.get(owner.receiver)?.kind ?? "" }];
      });
      const joined = await joinedAlerts(earshot, [...alerts.values()]);
      return {
        alerts: [...alerts.values()],
        // An edit shows the alerts that have joined the incident; a message is about the one that began it.
        messages: messages.map((one) =>
          one.isEdit ? { ...one, alertIds: [...one.alertIds, ...joined(one)] } : one,
        ),
        history: history.sort((a, b) => a.at - b.at),
      };
    },
  };
}

const MOST = 1_000;

/** The alerts that had joined the incident of a message by the time of the message. */
async function joinedAlerts(
  { stores }: Earshot,
  alerts: readonly { readonly id: string; readonly projectId: string }[],
): Promise<(message: { readonly at: Instant; readonly alertIds: readonly string[] }) => string[]> {
  const joined = new Map<string, { alertId: string; joinedAt: Instant }[]>();
  for (const { id, projectId } of alerts) {
    const incident = (await stores.incidents.ofAlerts(projectId, [id])).get(id);
    if (incident?.leaderId === id) joined.set(id, await stores.incidents.members(projectId, [incident.id]));
  }
  return ({ at, alertIds }) =>
    alertIds.flatMap((id) => joined.get(id) ?? []).flatMap((one) => (one.joinedAt <= at ? one.alertId : []));
}
