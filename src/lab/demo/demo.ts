import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "#admin";
import { DEMO_CLIENT, inventLocalSecrets, LOCAL_ACCOUNT } from "#console";
import {
  CRISIS_LASTS_MS,
  type Crisis,
  createStream,
  migrateLocalApi,
  type Stream,
  seedAccount,
} from "#listening-api";
import {
  type BackendOptions,
  createSettingStore,
  type Earshot,
  migrate,
  openDatabase,
  openPool,
  ROLES,
  SLACK_PATH,
  startEarshot,
  sweepEveryMs,
} from "#monitor";
import { type Clock, createScaledClock, systemClock } from "../../lib/clock.ts";
import { openTogether } from "../../lib/closing.ts";
import { describeError } from "../../lib/errors.ts";
import { DAY, floorTo, HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { type LocalParts, localConfig, startLocalParts } from "../local/local-parts.ts";

/** One minute is one hour of the demo, so that a day's rhythm and a crisis fit into a coffee break. */
const DEMO_SPEED = 60;

/** Days of the stream before the demo begins, from which the baselines learn. */
const HISTORY_DAYS = 4;
/** From the start to the first crisis, in the demo's time: a minute and a half of ours. */
const FIRST_CRISIS_MS = 90 * MINUTE;
const CRISIS_EVERY_MS = 31 * HOUR;
const SEED = "earshot-demo";
/** Brands with crises, in turn. */
const STRUCK = ["Parcelwing", "Velorra", "Lumabox"] as const;

export interface Demo {
  readonly clock: Clock;
  readonly earshot: Earshot;
  readonly local: LocalParts;
  /** The current crisis, or the next one, in the demo's time. */
  crisis(): { readonly brand: string; readonly at: Instant };
  /** The receivers, some of which have buttons in their messages. */
  readonly receivers: Config["receivers"];
  /** True if it continues an earlier run. */
  readonly isContinued: boolean;
  stop(): Promise<void>;
}

/**
 * Everything on this machine: a Listening API with a generated stream, the monitor with the shipped rules, a Slack and
 * a mailbox. The database stores its settings and progress, so the next start continues from there.
 */
export async function startDemo(options: {
  databaseUrl: string;
  queue: BackendOptions;
  rules: string;
  templates: string;
  log: Logger;
  /** The console's address, which also receives clicks on buttons. */
  consoleUrl: () => string | null;
  /** Aborts a start that waits for something. */
  signal?: AbortSignal;
  /** Called for every hour of the stream that is written before the start. */
  onProgress?: (hour: Instant) => void;
}): Promise<Demo> {
  const { databaseUrl, log } = options;
  const onError = (error: Error) =>
    log.warn({ error: describeError(error) }, "a database connection of the demo broke");
  return openTogether(async (closing) => {
    await migrate(databaseUrl);
    const book = openDatabase({ url: databaseUrl, connections: 5, onError });
    closing.add(book.close);
    const pool = openPool({ url: databaseUrl, connections: 8, onError });
    closing.add(() => pool.end());
    await migrateLocalApi(pool);
    const settings = createSettingStore(book.db);
    const stored = (await settings.get("demo")) as World | null;
    const world = stored ?? newWorld();
    await settings.put("demo", world);
    const secrets = inventLocalSecrets();
    const stream = await openStream(pool, world, secrets.password);
    await stream.fillUntil(world.at + AHEAD_MS, options.onProgress);
    // Start the clock when everything is ready to be seen.
    const clock = createScaledClock({ startAt: world.at, speed: DEMO_SPEED });
    const { rules, templates, queue, consoleUrl } = options;
    const interactionsUrl = () => {
      const url = consoleUrl();
      return url === null ? null : new URL(SLACK_PATH, url).href;
    };
    const local = await startLocalParts({ pool, db: book.db, clock, log, secrets, interactionsUrl });
    closing.add(local.close);
    const config = await demoConfig(local, { rules, templates });
    const earshot = await startEarshot({
      config,
      databaseUrl,
      queue,
      clock,
      log,
      roles: ROLES,
      watchFrom: world.from,
      sweepEveryMs: sweepEveryMs(clock),
      consoleUrl,
      signal: options.signal,
    });
    closing.add(earshot.stop);
    closing.add(() => settings.put("demo", { ...world, at: clock.now() }));
    const stopping = new AbortController();
    const living = liveOn({ stream, clock, settings, world, log, signal: stopping.signal });
    closing.add(async () => {
      stopping.abort();
      await living;
    });
    return {
      clock,
      earshot,
      local,
      receivers: config.receivers,
      isContinued: stored !== null,
      crisis: () => crisisIn(world, clock.now()),
      stop: closing.close,
    };
  });
}

/** What the demo monitors and whom it notifies. */
export function demoConfig(...[local, more]: Parameters<typeof localConfig>): Promise<Config> {
  return localConfig(local, { history: `${HISTORY_DAYS}d`, ...more, buttons: true, team: true });
}

/** The world of a demo that runs. */
export async function readWorld(settings: ReturnType<typeof createSettingStore>): Promise<World> {
  const world = (await settings.get("demo")) as World | null;
  if (world === null) throw new Error("no demo runs on this database");
  return world;
}

/** The current crisis, or the next one. */
export function crisisIn(world: World, now: Instant): { readonly brand: string; readonly at: Instant } {
  const known = crises(world, now + 2 * CRISIS_EVERY_MS);
  return known.find(({ at }) => at > now - CRISIS_LASTS_MS) ?? { brand: STRUCK[0], at: now };
}

/** The stored progress of the demo: when its time began, and how far it has come. */
interface World {
  readonly from: Instant;
  readonly at: Instant;
}

/** It begins yesterday morning, so that its dates are current and never far in the future. */
function newWorld(): World {
  const from = floorTo(systemClock.now(), DAY) - DAY + 9 * HOUR;
  return { from, at: from };
}

function crises(world: World, until: Instant): Crisis[] {
  const known: Crisis[] = [];
  for (let at = world.from + FIRST_CRISIS_MS; at <= until; at += CRISIS_EVERY_MS) {
    known.push({ at, brand: STRUCK[known.length % STRUCK.length] ?? STRUCK[0] });
  }
  return known;
}

/** The stream is written this far ahead of the clock; the API shows a mention only from its time on. */
const AHEAD_MS = 6 * HOUR;

async function openStream(
  pool: Parameters<typeof seedAccount>[0],
  world: World,
  password: string,
): Promise<Stream> {
  const { projectId } = await seedAccount(pool, {
    client: { name: DEMO_CLIENT },
    user: { username: LOCAL_ACCOUNT.username, password },
    project: { name: "Brands" },
    at: world.from,
  });
  const startAt = world.from - HISTORY_DAYS * DAY;
  return createStream({ pool, projectId, seed: SEED, startAt, crises: crises(world, world.at + 365 * DAY) });
}

async function liveOn(parts: {
  stream: Stream;
  clock: Clock;
  settings: ReturnType<typeof createSettingStore>;
  world: World;
  log: Logger;
  signal: AbortSignal;
}): Promise<void> {
  while (!parts.signal.aborted) {
    try {
      const now = parts.clock.now();
      await parts.settings.put("demo", { ...parts.world, at: now });
      await parts.stream.fillUntil(now + AHEAD_MS);
    } catch (error) {
      parts.log.warn({ error: describeError(error) }, "the demo's stream could not be written; trying again");
    }
    await delay(2_000, undefined, { signal: parts.signal }).catch(() => {});
  }
}

/** The crisis that runs, or when the next one comes: for people. */
export function whatHappensNext({ clock, crisis }: Pick<Demo, "clock" | "crisis">): string {
  const { brand, at } = crisis();
  const seconds = Math.round((at - clock.now()) / DEMO_SPEED / 1000);
  if (seconds <= 0)
    return `A crisis is going on at ${brand}: its alert opens seconds after the start, and is resolved by itself.`;
  const when = seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `The next crisis starts in about ${when}, at ${brand}: an alert opens within seconds, and is resolved by itself.`;
}
