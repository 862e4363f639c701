import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Config } from "../../src/admin/config/config.ts";
import { createManualClock, type ManualClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { parseDuration } from "../../src/lib/duration.ts";
import { createLog } from "../../src/lib/log.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { createLocalApi } from "../../src/listening-api/create-local-api.ts";
import { createAlertActions } from "../../src/monitor/alerts/actions/alert-actions.ts";
import type { AlertActions } from "../../src/monitor/model/alert-actions.ts";
import { type Earshot, startEarshot } from "../../src/monitor/monitor.ts";
import { ROLES, type Role } from "../../src/monitor/roles.ts";
import { type Database, openDatabase, openPool } from "../../src/monitor/store/database.ts";
import { type FakeSlack, startFakeSlack } from "../fakes/slack.ts";
import { type FakeSmtp, startFakeSmtp } from "../fakes/smtp.ts";
import { createTestDatabase } from "../postgres.ts";
import { countJobs, settle } from "./settle.ts";
import { type SourceWatch, watchSource } from "./source-watch.ts";
import { ACCOUNT, configOf, type StorySetting } from "./story-setting.ts";
import { storyTime } from "./story-time.ts";
import { createStream, type Stream } from "./stream.ts";

export interface Story extends Pick<Stream, "at" | "count"> {
  readonly clock: ManualClock;
  readonly earshot: Earshot;
  readonly config: Config;
  /** What people do. */
  readonly actions: AlertActions;
  readonly databaseUrl: string;
  readonly database: Database;
  /** The requests to the source, and its faults: those of the local API itself. */
  readonly source: SourceWatch;
  /** The vendors; they take faults, too. */
  readonly slack: FakeSlack;
  readonly smtp: FakeSmtp;
  /** Moves the clock to that time in steps (of five minutes); in each step, runs until nothing is due. */
  until(time: string, step?: string): Promise<void>;
  /** Waits until the tables say that nothing is due, no worker is busy and nothing waits for a retry. */
  settle(): Promise<void>;
  /** What was posted to a channel, in order: the plain texts, `↳ ` before those in a thread. */
  posted(channel: string): Promise<string[]>;
  /** Subjects of the mails that an address got, in order. */
  mailed(address: string): string[];
  /** Another process on the same facts. */
  join(roles?: readonly Role[]): Promise<Earshot>;
  query<Row>(sql: string): Promise<Row[]>;
  end(): Promise<void>;
}

/** Everything outside of Earshot is started, Earshot runs, and the clock waits at the beginning. */
export async function startStory(setting: StorySetting): Promise<Story> {
  const closing = createClosing();
  const from = storyTime(setting.from ?? "09:00");
  const clock = createManualClock(from);
  const log = createLog({ level: "silent" });
  const database = await createTestDatabase();
  closing.add(database.drop);
  const pool = openPool({ url: database.url, connections: 6, onError: () => {} });
  closing.add(() => pool.end());
  const reader = openDatabase({ url: database.url, connections: 2, onError: () => {} });
  closing.add(reader.close);
  const account = await seedAccount(pool, {
    client: { name: "Acme" },
    user: ACCOUNT,
    project: { name: "Brands" },
    queries: (setting.queries ?? ["Acme"]).map((name) => ({ name })),
    at: from,
  });
  const api = createLocalApi({ pool, clock, log, signingSecret: "for tests", strict: true });
  closing.add(api.close);
  const source = watchSource(api, pool);
  const sourceUrl = await api.listen({ host: "127.0.0.1", port: 0 });
  const slack = await startFakeSlack(setting.channels === undefined ? {} : { channels: setting.channels });
  closing.add(slack.close);
  const smtp = await startFakeSmtp();
  closing.add(smtp.close);
  const rules = await mkdtemp(join(tmpdir(), "earshot-story-"));
  closing.add(() => rm(rules, { recursive: true }));
  for (const [name, text] of Object.entries(setting.rules))
    await writeFile(join(rules, `${name}.yaml`), text);

  const config = await configOf(setting, { sourceUrl, slack, smtp, rules });
  const jobs = countJobs();
  const open = (roles: readonly Role[]): Promise<Earshot> =>
    startEarshot({
      config,
      databaseUrl: database.url,
      queue: setting.engine.backend(database.url),
      clock,
      log,
      roles,
      watchFrom: from,
      sweepEveryMs: setting.sweepEveryMs ?? null,
      onDone: jobs.onDone,
    });
  const earshot = await open(ROLES);
  closing.add(earshot.stop);
  await earshot.refreshQueries();
  const stream = createStream(pool, account.queries);
  const settleDown = () => settle(earshot, jobs);
  const query = async <Row>(sql: string) => (await pool.query(sql)).rows as Row[];

  return {
    clock,
    earshot,
    config,
    actions: createAlertActions({ stores: earshot.stores, clock }),
    databaseUrl: database.url,
    database: reader,
    source,
    slack,
    smtp,
    at: stream.at,
    count: stream.count,
    settle: settleDown,
    query,
    until: async (time, step = "5m") => {
      await stream.write();
      const end = storyTime(time);
      const stepMs = parseDuration(step) ?? 0;
      while (clock.now() < end) {
        clock.set(Math.min(clock.now() + stepMs, end));
        await settleDown();
      }
    },
    posted: (channel) => postedIn(slack, channel),
    mailed: (address) =>
      smtp.mails.filter(({ to }) => to.includes(address)).map(({ parsed }) => parsed.subject ?? ""),
    join: async (roles = ROLES) => {
      const other = await open(roles);
      closing.add(other.stop);
      return other;
    },
    end: closing.close,
  };
}

/** Messages are edited later; the posted text is what people were notified of. */
async function postedIn(slack: FakeSlack, channel: string): Promise<string[]> {
  const posted = slack.calls.filter(({ method }) => method === "chat.postMessage");
  // A reply that only adds details to a message is no message of its own.
  const kept = (await slack.messages()).filter(
    ({ channelName, metadata }) =>
      `#${channelName}` === channel && metadata !== null && metadata.payload["part"] === undefined,
  );
  return kept.map(({ metadata, threadTs, text }) => {
    const id = metadata?.payload["notification_id"];
    const call = posted.find(({ fields }) => fields["metadata"]?.includes(String(id)) === true);
    return `${threadTs === null ? "" : "↳ "}${call?.fields["text"] ?? text}`;
  });
}

/** Throws unless every mention is stored once, whatever faults happened. */
export async function expectEveryMentionOnce(story: Story): Promise<void> {
  const [facts] = await story.query<{ rows: string; mentions: string }>(
    `select count(*) as rows, count(distinct (query_id, resource_id)) as mentions from earshot.mentions`,
  );
  const made = String(story.count());
  if (facts?.rows !== made || facts.mentions !== made) {
    throw new Error(`${made} mentions were made, ${facts?.mentions} are stored in ${facts?.rows} rows`);
  }
}

/** The rules of the story count all negative mentions: their counts equal the negative mentions in the tables. */
export async function expectCountedOnce(story: Story): Promise<void> {
  const [facts] = await story.query<{ counted: string; stored: string }>(
    `select (select coalesce(sum(n), 0) from earshot.counts) as counted,
      (select count(*) from earshot.mentions where sentiment = 'negative') as stored`,
  );
  if (facts?.counted !== facts?.stored) {
    throw new Error(`${facts?.stored} negative mentions are stored, ${facts?.counted} are counted`);
  }
}

/** Runs one statement on a connection of its own, as an administrator of the database would. */
export async function asAdministrator(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
