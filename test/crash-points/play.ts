import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { openDatabase } from "../../src/monitor/store/database.ts";
import { until } from "../chaos/until.ts";
import { storyTime } from "../flows/story-time.ts";
import { accountOf, type Chapter, type Happening } from "./chapter.ts";
import { type Ending, readEnding } from "./facts.ts";
import type { Point, SeenStep } from "./gate.ts";
import type { Order } from "./orders.ts";
import { BEGINNING, type Opening, type Sandbox } from "./sandbox.ts";
import type { Stage } from "./stage.ts";
import type { Worker } from "./worker-process.ts";

export interface PlayParts {
  readonly stage: Stage;
  readonly sandbox: Sandbox;
  readonly chapter: Chapter;
  /** Poll settings that differ from the shipped ones. */
  readonly source: object;
  /** The one that is watched, and may die. */
  readonly first: Worker;
  /** Takes over. Opened only when it is needed. */
  readonly second: () => Promise<Worker>;
  /** Takes over and dies, too: after so many steps of its own that left something behind. */
  readonly diesToo?: { readonly after: number; readonly open: () => Promise<Worker> };
}

/**
 * The fate of the worker at the point. `hold`: it is paused while another works, and then continues. `twice`: it is killed,
 * and so is the one that takes over.
 */
export type Fate = (typeof FATES)[number];
export const FATES = ["kill", "hold", "twice"] as const;

export interface PlayResult {
  readonly ending: Ending;
  readonly steps: readonly SeenStep[];
  /** False: the point did not come. */
  readonly reached: boolean;
  /** Whether the worker that was held stood between its last look and Slack's acceptance of a message. */
  readonly stoodInGap: boolean;
}

/** Plays everything before the chapter, and stores where the chapter begins. */
export async function openChapter(parts: PlayParts, template: string): Promise<Opening> {
  const { sandbox, chapter } = parts;
  await sandbox.reset(BEGINNING);
  if (chapter.account !== undefined) await sandbox.openAccount(accountOf([chapter], chapter.account));
  sandbox.clock.set(storyTime(chapter.from));
  sandbox.slack.faults.length = 0;
  if (chapter.withStart !== true || chapter.before.length > 0) {
    const players = createPlayers(parts);
    await players.start(parts.first, "nothing");
    for (const happening of chapter.before) await happen(parts, players, happening);
    await parts.first.run({ do: "stop" });
  }
  return sandbox.keep(template);
}

/** Plays a chapter; at the point (if there is one) its worker dies or is paused, and another takes over. */
export async function play(
  parts: PlayParts,
  opening: Opening,
  point: Point | null,
  fate: Fate,
): Promise<PlayResult> {
  const { sandbox, chapter } = parts;
  await sandbox.reset(opening);
  setClockTo(sandbox, chapter);
  refuse(
    sandbox,
    [...chapter.before].reverse().find((one) => "slackRefuses" in one),
  );
  const players = createPlayers(parts);
  let reached = 0;
  const onReached = (): boolean | Promise<boolean> => {
    reached += 1;
    return fate === "hold" ? players.holdFirst() : players.kill();
  };
  players.onTakeOver((after) => sandbox.gate.arm(after, onReached));
  if (chapter.withStart === true) sandbox.gate.arm(point, onReached);
  await players.start(parts.first, "relays");
  if (chapter.withStart !== true) sandbox.gate.arm(point, onReached);
  for (const happening of chapter.happenings) await happen(parts, players, happening);
  const steps = sandbox.gate.disarm();
  const ending = await readFacts(parts);
  await players.stop();
  return {
    ending,
    steps,
    reached: reached === (fate === "twice" ? 2 : 1),
    stoodInGap: sandbox.gate.postedAtOnce(),
  };
}

async function readFacts({ stage, sandbox }: PlayParts): Promise<Ending> {
  const url = stage.urlOf(sandbox.database);
  const database = openDatabase({ url, connections: 1, onError: () => {} });
  try {
    return await readEnding(sandbox, database);
  } finally {
    await database.close();
  }
}

/** The moment at which everything before the chapter has ended. */
function setClockTo(sandbox: Sandbox, { from, before }: Chapter): void {
  const moments = [from, ...before.flatMap((one) => ("until" in one ? [one.until] : []))].map(storyTime);
  sandbox.clock.set(Math.max(...moments));
}

function refuse({ slack }: Sandbox, happening: Happening | undefined): void {
  slack.faults.length = 0;
  if (happening === undefined || !("slackRefuses" in happening) || happening.slackRefuses === null) return;
  const body = JSON.stringify({ ok: false, error: happening.slackRefuses });
  // As often as it may be tried in a chapter.
  for (let i = 0; i < 50; i++)
    slack.faults.push({ method: "chat.postMessage", answer: { status: 200, body } });
}

type Players = ReturnType<typeof createPlayers>;

/** The worker of a chapter and the one that takes over from it. */
function createPlayers({ sandbox, chapter, source, first, second, diesToo, stage }: PlayParts) {
  let current = first;
  let deaths = 0;
  let armAgain = (_after: number): void => {};
  let release = (): void => {};
  let reportHeld = (): void => {};
  const isHeld = new Promise<"held">((resolve) => {
    reportHeld = () => resolve("held");
  });
  let wasHeld = false;
  /** What another worker does while the first is held. */
  let meanwhile: "settle" | "upkeep" = "settle";
  const order = (through: "relays" | "nothing"): Order => ({
    do: "start",
    config: sandbox.configOf(chapter, source),
    ...sandbox.engines(through),
    now: sandbox.clock.now(),
    wallUrl: stage.urlOf(sandbox.database),
  });
  const takeOver = async (): Promise<void> => {
    deaths += 1;
    if (deaths > (diesToo === undefined ? 1 : 2)) throw new Error("a worker died by itself");
    await current.gone;
    sandbox.cut();
    await expireLeases(stage, sandbox);
    const dies = deaths === 1 ? diesToo : undefined;
    current = await (dies?.open ?? second)();
    if (dies !== undefined) armAgain(dies.after);
    if ((await current.run(order(dies === undefined ? "nothing" : "relays"))) === "died") await takeOver();
  };
  /** Another worker runs while the first is paused: its leases expire, and then it continues. */
  const workMeanwhile = async (): Promise<Worker> => {
    const other = await second();
    await expireLeases(stage, sandbox);
    const work = (async () => {
      await other.run(order("nothing"));
      await other.run({ do: meanwhile, now: sandbox.clock.now() });
    })();
    // It goes on while the other one still works only if that one waits for its lock. The clock of the tables would else
    // be put forward while both work, and end a lease that has just begun.
    const ending = new AbortController();
    const isDone = work.finally(() => ending.abort());
    const isBlocked = waitsForLock(stage.urlOf(sandbox.database), ending.signal);
    await Promise.all([Promise.race([isDone, isBlocked]), delay(LEAST_HELD_MS)]);
    ending.abort();
    sandbox.gate.resumed();
    first.resume();
    release();
    await work;
    return other;
  };
  /** Waits for work of the first worker, and lets another one work if the first is paused meanwhile. */
  const during = async <T>(work: Promise<T>): Promise<T> => {
    if (wasHeld || (await Promise.race([work, isHeld])) !== "held") return work;
    wasHeld = true;
    const other = await workMeanwhile();
    const result = await work;
    await other.run({ do: "settle", now: sandbox.clock.now() });
    await other.run({ do: "stop" });
    return result;
  };
  return {
    start: async (worker: Worker, through: "relays" | "nothing") => {
      if ((await during(worker.run(order(through)))) === "died") await takeOver();
    },
    kill: (): Promise<boolean> => {
      sandbox.shut();
      current.kill();
      return current.gone.then(() => false);
    },
    onTakeOver: (arm: typeof armAgain) => {
      armAgain = arm;
    },
    holdFirst: (): Promise<boolean> => {
      first.pause();
      reportHeld();
      return new Promise((resolve) => {
        release = () => resolve(true);
      });
    },
    /** Repeats an order that was not done when the worker died. */
    run: async (wanted: Order): Promise<void> => {
      meanwhile = wanted.do === "upkeep" ? "upkeep" : "settle";
      while ((await during(current.run(wanted))) === "died") await takeOver();
    },
    during,
    hasDied: () => !current.isAlive(),
    takeOver,
    stop: async () => {
      if (current.isAlive()) await current.run({ do: "stop" });
    },
  };
}

/** By the leases, fifteen seconds have passed; code that measures the time of an answer sees at least these. */
const LEAST_HELD_MS = 2_100;

/** Expires the leases and job locks of dead workers: some ten seconds pass, for the tables and for the queue. */
async function expireLeases(stage: Stage, sandbox: Sandbox): Promise<void> {
  await inDatabase(stage.urlOf(sandbox.database), "select harness.put_forward(15)");
  await sandbox.freeJobs();
}

async function happen(parts: PlayParts, players: Players, happening: Happening): Promise<void> {
  const { sandbox, stage } = parts;
  if ("until" in happening) sandbox.clock.set(storyTime(happening.until));
  if ("sql" in happening) await inDatabase(stage.urlOf(sandbox.database), happening.sql);
  if ("slackRefuses" in happening) return refuse(sandbox, happening);
  if ("slackFaults" in happening) return void sandbox.slack.faults.push(...happening.slackFaults);
  if ("press" in happening) await press(parts, players, happening);
  const now = sandbox.clock.now();
  if ("unsubscribe" in happening) {
    const mail = sandbox.smtp.mails.findLast(({ to }) => to.includes(happening.unsubscribe));
    const token = /unsubscribe\/(\S+?)[\s>)]/.exec(String(mail?.parsed.text))?.[1];
    if (token === undefined) throw new Error(`no mail to ${happening.unsubscribe} has such a link`);
    return players.run({ do: "unsubscribe", now, token });
  }
  if ("resolve" in happening) return players.run({ do: "resolve", now });
  if ("upkeep" in happening) return players.run({ do: "upkeep", now });
  if ("replay" in happening) return players.run({ do: "replay", now });
  if ("forget" in happening) return players.run({ do: "forget", now, author: happening.forget });
  if ("work" in happening) return players.run({ do: "work", now, work: happening.work });
  if ("correct" in happening) return players.run({ do: "correct", now, ...happening });
  if ("redeliver" in happening) return players.run({ do: "redeliver", now, receiver: happening.redeliver });
  await players.run({ do: "settle", now });
}

async function inDatabase(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

/** Resolves when somebody in this database has waited for a lock for a moment, or when `signal` aborts. */
async function waitsForLock(url: string, signal: AbortSignal): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let seen = 0; seen < 3 && !signal.aborted; ) {
      const { rows } = await client.query<{ waits: boolean }>(WAITS);
      seen = rows[0]?.waits === true ? seen + 1 : 0;
      await delay(100, undefined, { signal }).catch(() => {});
    }
  } finally {
    await client.end();
  }
}

const WAITS = `select exists (select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock') as waits`;

/** Slack repeats an interaction until it is accepted. It may be accepted before it is done, where that takes seconds. */
async function press(
  { sandbox, stage }: PlayParts,
  players: Players,
  { press: what, channel, option, at }: Extract<Happening, { press: string }>,
): Promise<void> {
  const { slack } = sandbox;
  const message = (await slack.messages()).find(
    ({ channelName, threadTs }) => channelName === channel && threadTs === null,
  );
  if (message === undefined) throw new Error(`there is no message in #${channel}`);
  const payload = slack.press(message, `earshot-${what}`, { at, ...(option !== undefined && { option }) });
  const id = `press ${at}`;
  const stored = () => inDatabase(stage.urlOf(sandbox.database), "select from earshot.interactions");
  const before = (await stored()).length;
  const isTaken = async (): Promise<boolean> =>
    slack.sockets.answered.some(({ envelope_id: one }) => one === id) && (await stored()).length > before;
  for (let tries = 0; !(await isTaken()); tries++) {
    if (tries === 3) throw new Error(`no process accepts the interaction ${what}`);
    if (!(await until(10_000, () => slack.sockets.count() > 0 || players.hasDied())))
      throw new Error("no socket is open");
    if (!players.hasDied())
      slack.sockets.send({ envelope_id: id, type: "interactive", accepts_response_payload: false, payload });
    await players.during(until(5_000, async () => (await isTaken()) || players.hasDied()));
    if (players.hasDied()) await players.takeOver();
  }
}
