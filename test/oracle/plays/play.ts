import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import type { RawMessage, Recording } from "../message.ts";
import { linksIn, quotedAddresses, readMessage } from "../read-message.ts";
import { type Fact, MINUTE, type Moment, type World } from "../world.ts";
import {
  type AlertActions,
  createAlertActions,
  createClosing,
  createLocalApi,
  createLog,
  createManualClock,
  createMemoryInboxStore,
  type createStores,
  inventLocalSecrets,
  LOCAL_ACCOUNT,
  localConfig,
  migrate,
  migrateLocalApi,
  openPage,
  openPool,
  ROLES,
  type SlackInboxMessage,
  seedAccount,
  startEarshot,
  startLocalSlack,
} from "./earshot.ts";
import { startMailbox, startWebhook } from "./vendors.ts";

/** A world and how it is played: everything that is written, and what people do. */
export interface Play {
  readonly name: string;
  readonly timezone: string;
  /** Queries that must exist before anything is written. */
  readonly queries: readonly string[];
  /** Folder of the rules. */
  readonly rules: string;
  /** When the clock starts; older mentions are read as the past. */
  readonly from: Moment;
  readonly to: Moment;
  /** How much of the past is read, such as `14d`. */
  readonly history: string;
  /** Writes every mention into the Listening API, each visible from its own time on. */
  write(pool: Pool, projectId: number, queries: ReadonlyMap<string, number>): Promise<void>;
  /** How far the clock moves from here. */
  step(now: Moment): number;
  readonly deeds?: readonly {
    readonly at: Moment;
    do(actions: AlertActions, stores: Stores): Promise<void>;
  }[];
  /** Moments at which the pages of the console are read. */
  readonly reads?: readonly Moment[];
}

type Stores = ReturnType<typeof createStores>;

export interface Played {
  readonly world: World;
  readonly recording: Recording;
}

const TEMPLATES = "templates";

/** Plays a world on the real line: Listening API, polls, rules, alerts, routes, templates, and vendors that record. */
export async function play(
  { databaseUrl }: { readonly databaseUrl: string },
  plan: Play,
  onStep: (now: Moment) => void = () => {},
): Promise<Played> {
  const closing = createClosing();
  try {
    const clock = createManualClock(plan.from);
    const log = createLog({ level: "silent" });
    await migrate(databaseUrl);
    const pool = openPool({ url: databaseUrl, connections: 8, onError: () => {} });
    closing.add(() => pool.end());
    await migrateLocalApi(pool);
    const secrets = inventLocalSecrets();
    const account = await seedAccount(pool, {
      client: { name: "Oracle" },
      user: { username: LOCAL_ACCOUNT.username, password: secrets.password },
      project: { name: "Brands", timezone: plan.timezone },
      queries: plan.queries.map((name) => ({ name })),
      at: plan.from,
    });
    await plan.write(pool, account.projectId, account.queries);

    const messages: RawMessage[] = [];
    const now = () => clock.now();
    const slackStore = createMemoryInboxStore();
    const keep = (message: SlackInboxMessage, isEdit: boolean) =>
      messages.push({
        ...{ kind: "slack", at: now(), channel: message.channelName, ts: message.ts },
        ...{ threadTs: message.threadTs, isEdit, text: message.text, blocks: message.blocks },
      });
    const recorded = {
      ...slackStore,
      append: async (message: Parameters<typeof slackStore.append>[0]) => {
        if (message.kind === "slack") keep(message, false);
        await slackStore.append(message);
      },
      update: async (message: Parameters<typeof slackStore.update>[0]) => {
        if (message.kind === "slack") keep(message, true);
        await slackStore.update(message);
      },
    };
    const slack = await startLocalSlack({ store: recorded, clock, log }, { token: secrets.slackToken });
    closing.add(slack.close);
    const smtp = await startMailbox((to, raw) => messages.push({ kind: "email", at: now(), to, raw }));
    closing.add(smtp.close);
    const webhook = await startWebhook((body) => messages.push({ kind: "webhook", at: now(), body }));
    closing.add(webhook.close);
    const api = createLocalApi({ pool, clock, log, signingSecret: "of a play" });
    closing.add(api.close);
    const apiUrl = await api.listen({ host: "127.0.0.1", port: 0 });

    const base = await localConfig(
      { apiUrl, slackApiUrl: slack.apiUrl, smtp: { host: smtp.host, port: smtp.port }, secrets },
      {
        rules: plan.rules,
        templates: TEMPLATES,
        ...{ pollEvery: "5m", updatesEvery: "5m", history: plan.history, lookback: "30d" },
        ...{ timezone: plan.timezone, buttons: true },
      },
    );
    const config = {
      ...base,
      receivers: [
        ...base.receivers,
        {
          ...{ name: "program", quietHours: [], throttle: null },
          notifier: { kind: "webhook", url: webhook.url, allowPrivateAddress: true },
        },
      ],
      routes: base.routes.map((route) => ({ ...route, receivers: [...route.receivers, "program"] })),
    } as unknown as typeof base;
    let page: string | null = null;
    const settled = createSettled();
    const earshot = await startEarshot({
      ...{ config, databaseUrl, clock, log, roles: ROLES, sweepEveryMs: null, checksHealth: false },
      queue: { kind: "postgres", url: databaseUrl, schema: "earshot_queue" },
      watchFrom: plan.from,
      consoleUrl: () => page,
      onDone: settled.onDone,
    });
    closing.add(earshot.stop);
    const console = await openPage({
      ...{ databaseUrl, clock, log },
      settings: { host: "127.0.0.1", port: 0, timezone: plan.timezone },
      ...{ tryNextPort: false, hasLocalInbox: true, rules: earshot.rules, receivers: config.receivers },
    });
    closing.add(console.close);
    page = console.url;
    await earshot.refreshQueries();
    const actions = createAlertActions({ stores: earshot.stores, clock });

    const deeds = [...(plan.deeds ?? [])];
    const reads = [...(plan.reads ?? [])];
    const steps: Moment[] = [];
    for (let at = plan.from; ; at = Math.min(at + plan.step(at), plan.to)) {
      steps.push(at);
      clock.set(at);
      onStep(at);
      await settled.settle(earshot);
      for (let deed = deeds[0]; deed !== undefined && deed.at <= at; deed = deeds[0]) {
        deeds.shift();
        await deed.do(actions, earshot.stores);
        await settled.settle(earshot);
      }
      for (let read = reads[0]; read !== undefined && read <= at; read = reads[0]) {
        reads.shift();
        messages.push(...(await readPages(page, at)));
      }
      if (at >= plan.to) break;
    }
    messages.push(...(await readPages(page, plan.to)));
    const world: World = {
      ...{ name: plan.name, timezone: plan.timezone, from: plan.from, to: plan.to },
      brands: [...new Set((await queryNames(pool)).values())],
      facts: await readFacts(pool),
      ...{ lagMs: 11 * MINUTE, steps },
    };
    return { world, recording: { messages, answers: await openLinks(messages, world) } };
  } finally {
    await closing.close();
  }
}

/** Every address of a page, mail or message that is not a mention's own: opened while its server still runs. */
async function openLinks(
  messages: readonly RawMessage[],
  world: World,
): Promise<Readonly<Record<string, string>>> {
  const own = new Set<string | null>([
    ...world.facts.map(({ url }) => url),
    ...quotedAddresses(world.facts.flatMap(({ title, text }) => [title, text])),
  ]);
  const answers: Record<string, string> = {};
  for (const raw of messages) {
    const message = await readMessage(raw);
    for (const link of message.links) {
      if (own.has(link) || answers[link] !== undefined) continue;
      answers[link] = await fetch(link, { signal: AbortSignal.timeout(10_000) }).then(
        ({ status }) => String(status),
        ({ cause }: { cause?: unknown }) => String(cause),
      );
    }
  }
  return answers;
}

/** The pages that say something of alerts and mentions, and those that they lead to. */
async function readPages(url: string, at: Moment): Promise<RawMessage[]> {
  const pages: RawMessage[] = [];
  const seen = new Set<string>();
  const waiting = ["/", "/alerts"];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const answer = await fetch(new URL(path, url));
    const html = await answer.text();
    pages.push({ kind: "page", at, address: path, html });
    for (const link of linksIn(html)) {
      if (/^\/(alerts|incidents)\/[\w-]+$/.test(link)) waiting.push(link);
    }
  }
  return pages;
}

async function queryNames(pool: Pool): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ id: string; name: string }>("select id, name from local_api.query");
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** All that the Listening API showed, and from when until when. */
async function readFacts(pool: Pool): Promise<readonly Fact[]> {
  const names = await queryNames(pool);
  const { rows } = await pool.query<FactRow>(`
    select query_id, resource_id as id, extract(epoch from visible_at) * 1000 as "from",
      case when superseded_at < 'infinity' then extract(epoch from superseded_at) * 1000 end as "to",
      extract(epoch from date) * 1000 as at, sentiment, author, fullname as name,
      coalesce(weblog_title, domain) as site, domain, twitter_followers as followers, reach_estimate as reach,
      coalesce(twitter_verified, false) as verified, title, full_text, filled_fields, url,
      coalesce(insights_hashtag, '{}') as hashtags, resource_type, retweet_of
    from local_api.mention`);
  return rows.map((row) => {
    const fields = JSON.parse(`${row.filled_fields}}`) as {
      snippet?: string;
      instagramFollowerCount?: number;
      blueskyFollowers?: number;
      categoryDetails?: readonly { name?: string }[];
      authorVerifiedType?: string;
    };
    const number = (value: string | null) => (value === null ? null : Number(value));
    return {
      ...{ query: names.get(row.query_id) ?? row.query_id, id: row.id, sentiment: row.sentiment },
      ...{
        from: Number(row.from),
        to: number(row.to),
        at: Number(row.at),
        author: row.author,
        name: row.name,
      },
      followers: number(row.followers) ?? fields.instagramFollowerCount ?? fields.blueskyFollowers ?? null,
      ...{ site: row.site, domain: row.domain, reach: number(row.reach) },
      ...{ verified: row.verified, title: row.title, text: row.full_text ?? fields.snippet ?? null },
      ...{ url: row.url, hashtags: row.hashtags, isDeleted: row.resource_type === "deleted" },
      isRepost: row.retweet_of !== null,
      categories: (fields.categoryDetails ?? []).flatMap(({ name }) => name ?? []),
    };
  });
}

interface FactRow {
  readonly query_id: string;
  readonly id: string;
  readonly from: string;
  readonly to: string | null;
  readonly at: string;
  readonly sentiment: string | null;
  readonly author: string | null;
  readonly name: string | null;
  readonly site: string | null;
  readonly domain: string | null;
  readonly followers: string | null;
  readonly reach: string | null;
  readonly verified: boolean;
  readonly title: string | null;
  readonly full_text: string | null;
  readonly filled_fields: string;
  readonly url: string | null;
  readonly hashtags: readonly string[];
  readonly resource_type: string | null;
  readonly retweet_of: string | null;
}

/** Waits until the tables twice in a row show no due work. */
function createSettled() {
  let done = 0;
  return {
    onDone: () => {
      done += 1;
    },
    async settle(earshot: Awaited<ReturnType<typeof startEarshot>>): Promise<void> {
      const { polls, notifications, alertMessages } = earshot.stores;
      let seen = done;
      let idle = 0;
      for (let quiet = 0; quiet < 2; ) {
        const swept = await earshot.sweep();
        const due = Object.values(swept).reduce((sum, count) => sum + count, 0);
        const busy =
          (await polls.unsettled()) + (await notifications.unsettled()) + (await alertMessages.inHand());
        quiet = due + busy === 0 ? quiet + 1 : 0;
        if (quiet > 0) continue;
        const wanted = done + Math.max(1, due);
        for (let waited = 0; done < wanted && waited < 30; waited += 3) await delay(3);
        idle = done === seen ? idle + 1 : 0;
        seen = done;
        if (idle > 2_000) throw new Error(`nothing settles: ${JSON.stringify(swept)}`);
      }
    },
  };
}
