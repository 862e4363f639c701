import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import type { RawMessage, Recording } from "../message.ts";
import { linksIn, quotedAddresses, readMessage } from "../read-message.ts";
import { type Attempt, type Fact, MINUTE, type Moment, type World } from "../world.ts";
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
  takeBounce,
} from "./earshot.ts";
import { type Answer, nameOf, reportOf, startMailbox, startWebhook } from "./vendors.ts";

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
  /** Who is notified; default: as where Earshot replays. */
  readonly configure?: typeof localConfig;
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
  /** What goes wrong. With it Earshot watches itself, and time passes for its retries, too. */
  readonly trouble?: {
    answer(receiver: string, at: Moment): Answer;
    /** Whether a mail that is taken comes back. */
    comesBack(receiver: string, at: Moment): boolean;
    /** Ids of mentions that cannot be stored begin so. */
    readonly unstorable: string;
  };
}

type Stores = ReturnType<typeof createStores>;

export interface PlayResult {
  readonly world: World;
  readonly recording: Recording;
}

const TEMPLATES = "templates";

/** Plays a world on the real line: Listening API, polls, rules, alerts, routes, templates, and vendors that record. */
export async function play(
  { databaseUrl }: { readonly databaseUrl: string },
  plan: Play,
  /** False: it ends here, and what was played is judged. */
  onStep: (now: Moment) => boolean = () => true,
): Promise<PlayResult> {
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
    const attempts: Attempt[] = [];
    const cameBack: { address: string; at: Moment }[] = [];
    const reports: string[] = [];
    const answerTo = (receiver: string, message: RawMessage): Answer => {
      const answer = plan.trouble?.answer(receiver, now()) ?? "taken";
      attempts.push({ receiver, message: nameOf(message), at: now(), answer });
      if (answer === "taken") messages.push(message);
      return answer;
    };
    const smtp = await startMailbox((to, raw) => {
      // Addresses begin with the name of their receiver.
      const [receiver = ""] = to.split("@");
      const answer = answerTo(receiver, { kind: "email", at: now(), to, raw });
      if (answer === "taken" && plan.trouble?.comesBack(receiver, now())) {
        cameBack.push({ address: to, at: now() });
        reports.push(reportOf(raw, to));
      }
      return answer;
    });
    closing.add(smtp.close);
    const webhook = await startWebhook((body) => answerTo("program", { kind: "webhook", at: now(), body }));
    closing.add(webhook.close);
    const api = createLocalApi({ pool, clock, log, signingSecret: "of a play" });
    closing.add(api.close);
    const apiUrl = await api.listen({ host: "127.0.0.1", port: 0 });

    const base = await (plan.configure ?? localConfig)(
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
    const settled = createSettled(plan.trouble !== undefined);
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
    if (plan.trouble !== undefined) await refuse(pool, plan.trouble.unstorable);
    const actions = createAlertActions({ stores: earshot.stores, clock });

    const deeds = [...(plan.deeds ?? [])];
    const reads = [...(plan.reads ?? [])];
    const steps: Moment[] = [];
    for (let at = plan.from; ; at = Math.min(at + plan.step(at), plan.to)) {
      steps.push(at);
      if (plan.trouble !== undefined) await passTime(pool, at - (steps.at(-2) ?? at));
      clock.set(at);
      const goesOn = onStep(at) && at < plan.to;
      await settled.settle(earshot);
      if (plan.trouble !== undefined) {
        for (const report of reports.splice(0))
          await takeBounce({ stores: earshot.stores, clock }, Buffer.from(report), null);
        await earshot.checkHealth();
      }
      for (let deed = deeds[0]; deed !== undefined && deed.at <= at; deed = deeds[0]) {
        deeds.shift();
        await deed.do(actions, earshot.stores);
        await settled.settle(earshot);
      }
      for (let read = reads[0]; read !== undefined && read <= at; read = reads[0]) {
        reads.shift();
        messages.push(...(await readPages(page, at)));
      }
      if (!goesOn) break;
    }
    const to = steps.at(-1) ?? plan.to;
    messages.push(...(await readPages(page, to)));
    const all = await readFacts(pool);
    const { unstorable } = plan.trouble ?? {};
    const isStorable = ({ id }: Fact) => unstorable === undefined || !id.startsWith(unstorable);
    const world: World = {
      ...{ name: plan.name, timezone: plan.timezone, from: plan.from, to },
      brands: [...new Set((await queryNames(pool)).values())],
      facts: all.filter(isStorable),
      ...{ lagMs: 11 * MINUTE, steps },
      ...(unstorable !== undefined && {
        trouble: {
          ...{ attempts, cameBack },
          unstorable: all.filter((fact) => !isStorable(fact)).map(({ from }) => from),
        },
      }),
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

/** Something is wrong with these mentions that no retry mends. */
async function refuse(pool: Pool, unstorable: string): Promise<void> {
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'out of ink'; end $$;
    create trigger refuse before insert on earshot.mentions for each row
      when (new.resource_id like '${unstorable}%') execute function refuse()`);
}

/** Retries and what is said of them run on the clock of the database. */
async function passTime(pool: Pool, ms: number): Promise<void> {
  const by = `make_interval(secs => ${ms / 1000})`;
  await pool.query(`
    update earshot.notifications set next_attempt_wall = next_attempt_wall - ${by} where state = 'due';
    update earshot.channel_limits set closed_until_wall = closed_until_wall - ${by}, counted_wall = counted_wall - ${by};
    update earshot.failures set since_wall = since_wall - ${by}, last_wall = last_wall - ${by};
    update earshot.deliveries set at_wall = at_wall - ${by}`);
}

/** Waits until the tables twice in a row show no due work. Where vendors refuse, what waits for its next try is not due. */
function createSettled(isTroubled: boolean) {
  let done = 0;
  return {
    onDone: () => {
      done += 1;
    },
    async settle(earshot: Awaited<ReturnType<typeof startEarshot>>): Promise<void> {
      const { notifications, dueWork } = earshot.stores;
      let seen = done;
      let idle = 0;
      for (let quiet = 0; quiet < 2; ) {
        const swept = await earshot.sweep();
        const due = Object.values(swept).reduce((sum, count) => sum + count, 0);
        const busy = (await dueWork.unsettled()) + (isTroubled ? 0 : await notifications.unsettled());
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
