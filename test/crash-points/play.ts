import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { until } from "../chaos/until.ts";
import { storyTime } from "../flows/story-time.ts";
import { type Ending, readEnding } from "./facts.ts";
import type { Point, SeenStep } from "./gate.ts";
import type { Hand } from "./hand.ts";
import type { Lane, Outside } from "./lane.ts";
import type { Order } from "./orders.ts";
import type { Stage } from "./stage.ts";
import type { Chapter, Happening } from "./story.ts";

/** Where a chapter begins: a database to copy, and everybody outside. */
export interface Opening {
  readonly template: string;
  readonly outside: Outside;
}

export interface PlayParts {
  readonly stage: Stage;
  readonly lane: Lane;
  readonly chapter: Chapter;
  /** Poll settings that differ from the shipped ones. */
  readonly source: object;
  /** The one that is watched, and may die. */
  readonly first: Hand;
  /** Takes over. Started only when it is needed. */
  readonly second: () => Promise<Hand>;
}

/** The fate of the worker at the point. `hold`: it is paused while another works, and then continues. */
export type Fate = "kill" | "hold";

export interface Played {
  readonly ending: Ending;
  readonly steps: readonly SeenStep[];
  /** False: the point did not come. */
  readonly reached: boolean;
  /** Idle workers, which can be used again. */
  readonly survivors: readonly Hand[];
}

/** Plays everything before the chapter, and stores where the chapter begins. */
export async function openChapter(parts: PlayParts, empty: string, template: string): Promise<Opening> {
  const { lane, chapter, stage } = parts;
  await lane.reset(empty, { inbox: [] });
  lane.clock.set(storyTime(chapter.from));
  lane.slack.faults.length = 0;
  if (chapter.withStart !== true || chapter.before.length > 0) {
    const players = createPlayers(parts);
    await players.start(parts.first, "nothing");
    for (const happening of chapter.before) await happen(parts, players, happening);
    await parts.first.obey({ do: "stop" });
  }
  await stage.administrate(`drop database if exists ${template} with (force)`);
  await stage.administrate(`create database ${template} template ${lane.database}`);
  return { template, outside: await lane.outside() };
}

/** Plays a chapter; at the point (if there is one) its worker dies or is paused, and another takes over. */
export async function play(
  parts: PlayParts,
  opening: Opening,
  point: Point | null,
  fate: Fate,
): Promise<Played> {
  const { lane, chapter } = parts;
  await lane.reset(opening.template, opening.outside);
  setClockTo(lane, chapter);
  refuse(
    lane,
    [...chapter.before].reverse().find((one) => "slackRefuses" in one),
  );
  const players = createPlayers(parts);
  let reached = false;
  const onReached = (): boolean | Promise<boolean> => {
    reached = true;
    return fate === "kill" ? players.killFirst() : players.holdFirst();
  };
  if (chapter.withStart === true) lane.gate.arm(point, onReached);
  await players.start(parts.first, "relays");
  if (chapter.withStart !== true) lane.gate.arm(point, onReached);
  for (const happening of chapter.happenings) await happen(parts, players, happening);
  const steps = lane.gate.disarm();
  const ending = await readEnding(lane, parts.stage.urlOf(lane.database));
  const survivors = await players.rest();
  return { ending, steps, reached, survivors };
}

/** The moment at which everything before the chapter has ended. */
function setClockTo(lane: Lane, { from, before }: Chapter): void {
  const moments = [from, ...before.flatMap((one) => ("until" in one ? [one.until] : []))].map(storyTime);
  lane.clock.set(Math.max(...moments));
}

function refuse({ slack }: Lane, happening: Happening | undefined): void {
  slack.faults.length = 0;
  if (happening === undefined || !("slackRefuses" in happening) || happening.slackRefuses === null) return;
  const body = JSON.stringify({ ok: false, error: happening.slackRefuses });
  // As often as it may be tried in a chapter.
  for (let i = 0; i < 50; i++)
    slack.faults.push({ method: "chat.postMessage", answer: { status: 200, body } });
}

type Players = ReturnType<typeof createPlayers>;

/** The worker of a chapter and the one that takes over from it. */
function createPlayers({ lane, chapter, source, first, second, stage }: PlayParts) {
  let current = first;
  let release = (): void => {};
  let tellHeld = (): void => {};
  const isHeld = new Promise<"held">((resolve) => {
    tellHeld = () => resolve("held");
  });
  let wasHeld = false;
  const idle: Hand[] = [];
  const order = (through: "relays" | "nothing"): Order => ({
    do: "start",
    config: lane.configOf(chapter, source),
    ...lane.engines(through),
    now: lane.clock.now(),
    wallUrl: stage.urlOf(lane.database),
  });
  const takeOver = async (): Promise<void> => {
    await first.gone;
    lane.cut();
    await leaveToTheLiving(stage, lane);
    current = await second();
    if ((await current.obey(order("nothing"))) === "died") throw new Error("who took over died, too");
  };
  /** Another worker runs while the first is paused: its leases expire, and then it continues. */
  const workBesides = async (): Promise<Hand> => {
    const other = await second();
    idle.push(other);
    await leaveToTheLiving(stage, lane);
    const work = (async () => {
      await other.obey(order("nothing"));
      await other.obey({ do: "settle", now: lane.clock.now() });
    })();
    // If it is paused while it holds a lock, the other one waits for it.
    await Promise.all([Promise.race([work, delay(MOST_HELD_MS)]), delay(LEAST_HELD_MS)]);
    first.goOn();
    release();
    await work;
    return other;
  };
  /** Waits for something that the first does, and lets another work when it is held meanwhile. */
  const during = async <T>(work: Promise<T>): Promise<T> => {
    if (wasHeld || (await Promise.race([work, isHeld])) !== "held") return work;
    wasHeld = true;
    const other = await workBesides();
    const result = await work;
    await other.obey({ do: "settle", now: lane.clock.now() });
    await other.obey({ do: "stop" });
    return result;
  };
  return {
    start: async (hand: Hand, through: "relays" | "nothing") => {
      if ((await during(hand.obey(order(through)))) === "died") await takeOver();
    },
    killFirst: (): boolean => {
      first.kill();
      return false;
    },
    holdFirst: (): Promise<boolean> => {
      first.holdStill();
      tellHeld();
      return new Promise((resolve) => {
        release = () => resolve(true);
      });
    },
    /** Repeats what was not done when the worker died. */
    obey: async (wanted: Order): Promise<void> => {
      if ((await during(current.obey(wanted))) === "done") return;
      await takeOver();
      if ((await current.obey(wanted)) === "died") throw new Error("who took over died, too");
    },
    during,
    hasDied: () => !current.isAlive(),
    takeOver,
    rest: async (): Promise<Hand[]> => {
      if (current.isAlive()) await current.obey({ do: "stop" });
      return [current, ...idle].filter((hand) => hand.isAlive());
    },
  };
}

const MOST_HELD_MS = 2_200;
/** By the leases, fifteen seconds have passed; code that measures the time of an answer sees at least these. */
const LEAST_HELD_MS = 2_100;

/** What the dead held is free: some ten seconds have gone by, on the wall and for the queue. */
async function leaveToTheLiving(stage: Stage, lane: Lane): Promise<void> {
  await inDatabase(stage.urlOf(lane.database), "select harness.put_forward(15)");
  await lane.freeJobs();
}

async function happen(parts: PlayParts, players: Players, happening: Happening): Promise<void> {
  const { lane, stage } = parts;
  if ("until" in happening) lane.clock.set(storyTime(happening.until));
  if ("sql" in happening) await inDatabase(stage.urlOf(lane.database), happening.sql);
  if ("slackRefuses" in happening) return refuse(lane, happening);
  if ("press" in happening) await press(lane, players, happening);
  const now = lane.clock.now();
  if ("unsubscribe" in happening) {
    const mail = lane.smtp.mails.findLast(({ to }) => to.includes(happening.unsubscribe));
    const token = /unsubscribe\/(\S+?)[\s>)]/.exec(String(mail?.parsed.text))?.[1];
    if (token === undefined) throw new Error(`no mail to ${happening.unsubscribe} has such a link`);
    return players.obey({ do: "unsubscribe", now, token });
  }
  if ("resolve" in happening) return players.obey({ do: "resolve", now });
  if ("replay" in happening) return players.obey({ do: "replay", now });
  if ("redeliver" in happening) return players.obey({ do: "redeliver", now, receiver: happening.redeliver });
  await players.obey({ do: "settle", now });
}

async function inDatabase(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Slack repeats an interaction until it is accepted. */
async function press(
  lane: Lane,
  players: Players,
  { press: what, channel, option, at }: Extract<Happening, { press: string }>,
): Promise<void> {
  const { slack } = lane;
  const message = (await slack.messages()).find(
    ({ channelName, threadTs }) => channelName === channel && threadTs === null,
  );
  if (message === undefined) throw new Error(`there is no message in #${channel}`);
  const payload = slack.press(message, `earshot-${what}`, { at, ...(option !== undefined && { option }) });
  const id = `press ${at}`;
  const isTaken = (): boolean => slack.sockets.answered.some(({ envelope_id: one }) => one === id);
  for (let tries = 0; !isTaken(); tries++) {
    if (tries === 3) throw new Error(`no process accepts the interaction ${what}`);
    if (!(await until(10_000, () => slack.sockets.count() > 0 || players.hasDied())))
      throw new Error("no socket is open");
    if (!players.hasDied())
      slack.sockets.send({ envelope_id: id, type: "interactive", accepts_response_payload: false, payload });
    await players.during(until(5_000, () => isTaken() || players.hasDied()));
    if (players.hasDied()) await players.takeOver();
  }
}
