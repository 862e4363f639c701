import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Closing } from "../../../src/lib/closing.ts";
import type { Random } from "../../../src/listening-api/simulate/random.ts";
import { startFeedServer } from "../../fakes/feed-server.ts";
import { startHub } from "../../fakes/hub.ts";
import { deal } from "../plan-kills.ts";
import { answer, rssOf, WELCOME } from "./answer.ts";
import { FORGED, type Item } from "./items.ts";

const PUSHES = [
  ...(["right", "right", "twice", "out of order", "half", "web page"] as const),
  ...(["wrong signature", "no signature", "lost"] as const),
];
const ASKED = ["granted", "asks twice", "refuses", "denies", "stays silent"] as const;
const SITE_FAULTS = ["500", "half", "silence", "cut"] as const;
const ofSite = (fault: string): string => `site ${fault}`;
/** Items that only a push can have brought: no poll has shown them yet. */
export const BEFORE_THE_POLL = "websub before the poll";
export const HUB_KINDS = [...PUSHES, ...ASKED, ...SITE_FAULTS.map(ofSite), "lease ended", "before the poll"];

const LEASE_SECONDS = "300";
/** Time enough for a push on a slow machine. */
const STEPS_BEHIND = 3;
/** A hub tries again where nobody answers. */
const TRIES = 3;

export interface PushedSite {
  readonly url: string;
  /** The site has them at once, and its hub pushes them; who polls sees what was there some steps before. */
  publish(changed: readonly Item[]): void;
  /** Polls see all, and what was held back is pushed. */
  calm(): void;
  /** Ids of items that no poll has shown yet. */
  unpolled(): readonly string[];
  isDone(): boolean;
  /** Calls of the hub that were right, and that somebody turned away. */
  readonly turnedAway: readonly string[];
}

/** A site behind a cache, with a hub that keeps to WebSub, or does not. Whoever is alive answers the hub. */
export async function startPushedSite(
  { consoles }: { readonly consoles: readonly string[] },
  around: {
    readonly random: Random;
    readonly note: (name: string) => void;
    readonly chance: () => boolean;
    readonly hanging: Set<{ destroy(): unknown }>;
  },
  closing: Closing,
): Promise<PushedSite> {
  const { random, chance, hanging } = around;
  const note = (kind: string): void => around.note(`websub ${kind}`);
  const [site, hub] = [await startFeedServer(), await startHub()];
  closing.add(site.close);
  closing.add(hub.close);
  const topic = `${site.url}/feed`;
  // Behind the items: a document that breaks off does not name its hub.
  const links = `<atom:link rel="hub" href="${hub.url}"/><atom:link rel="self" href="${topic}"/>`;
  const news: Item[] = [];
  const polled = new Set<Item>();
  const whole = () => ({ items: [...news], document: rssOf([...news, WELCOME], links) });
  const documents = [whole()];
  let cached = whole();
  const nextSite = deal(SITE_FAULTS, random);
  site.pages.set("*", (_request, response) => {
    const fault = chance() ? nextSite() : null;
    if (fault !== null) note(ofSite(fault));
    for (const item of cached.items) polled.add(item);
    answer(response, "application/rss+xml", cached.document, fault, hanging);
  });

  const turnedAway: string[] = [];
  /** The address of a console in front of which the one that was given stands. */
  const somewhere = (callback: string) => `${random.pick(consoles)}${new URL(callback).pathname}`;
  let subscriber: { readonly callback: string; readonly secret: string; pushes: number } | null = null;
  const nextAsked = deal(ASKED, random);
  let asked: (typeof ASKED)[number] = "granted";
  hub.status = () => {
    asked = chance() ? nextAsked() : "granted";
    if (asked === "refuses") note(asked);
    return asked === "refuses" ? 500 : 202;
  };
  hub.onAsked = async ({ "hub.callback": callback = "", "hub.secret": secret = "" }) => {
    const kind = asked;
    if (kind === "stays silent") return note(kind);
    // Meanwhile, whoever has asked may have died.
    await delay(random.whole(0, 1_000));
    if (kind === "denies") {
      const question = { "hub.mode": "denied", "hub.topic": topic, "hub.reason": "too many" };
      if ((await hub.call(somewhere(callback), question)).status !== 200) return;
      subscriber = null;
      return note(kind);
    }
    const verify = async (): Promise<boolean> => {
      const challenge = randomBytes(16).toString("hex");
      const question = { "hub.mode": "subscribe", "hub.topic": topic, "hub.lease_seconds": LEASE_SECONDS };
      const said = await hub.call(somewhere(callback), { ...question, "hub.challenge": challenge });
      const isRight = said.status === 200 && (await said.text()) === challenge;
      if (!isRight && said.status !== 503) turnedAway.push(`${kind}: ${said.status}`);
      return isRight;
    };
    // The answer to the first question was lost.
    const [isConfirmed] = await Promise.all(kind === "asks twice" ? [verify(), verify()] : [verify()]);
    if (isConfirmed !== true) return;
    note(kind);
    subscriber = { callback, secret, pushes: random.whole(2, 5) };
  };

  /** Whether somebody has taken it. */
  async function push(document: string, signature: string | null = null): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      if (subscriber === null) return false;
      hub.subscribers.set(topic, { ...subscriber, callback: somewhere(subscriber.callback) });
      const taken = await hub
        .publish(topic, document, signature === null ? {} : { signature })
        .catch(() => null);
      if (taken?.ok === true) return true;
      if (taken !== null && taken.status !== 503) turnedAway.push(`push: ${taken.status}`);
      await delay(200);
    }
    return false;
  }
  const nextPush = deal(PUSHES, random);
  let late: string | null = null;
  async function deliver(changed: readonly Item[]): Promise<void> {
    const kind = chance() ? nextPush() : "right";
    const document = rssOf(changed);
    const forged = rssOf([FORGED, ...changed.map(({ n, author }) => ({ ...FORGED, n, author }))]);
    const held = late;
    const taken = await {
      right: () => push(document),
      twice: async () => (await Promise.all([push(document), push(document)])).every((one) => one),
      "out of order": async () => {
        late = document;
        return false;
      },
      half: () => push(document.slice(0, Math.floor(document.length / 2))),
      "web page": () => push("<!doctype html><p>Log in</p>"),
      "wrong signature": () => push(forged, `sha256=${randomBytes(32).toString("hex")}`),
      "no signature": () => push(forged, ""),
      lost: async () => true,
    }[kind]();
    if (taken) note(kind);
    if (held === null) return;
    if (late === held) late = null;
    if (await push(held)) note("out of order");
  }

  async function deliverLeased(changed: readonly Item[]): Promise<void> {
    if (subscriber === null) return;
    await deliver(changed);
    if (subscriber === null || --subscriber.pushes > 0 || !chance()) return;
    subscriber = null;
    note("lease ended");
  }

  const running = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown>): void => {
    const one = work.finally(() => running.delete(one));
    running.add(one);
  };
  return {
    url: topic,
    publish(changed) {
      cached = documents.at(-STEPS_BEHIND) ?? cached;
      for (const item of changed) if (!news.includes(item)) news.push(item);
      documents.push(whole());
      if (changed.length > 0) track(deliverLeased(changed));
    },
    calm() {
      cached = whole();
      if (late !== null) track(push(late));
    },
    unpolled: () => news.filter((item) => !polled.has(item)).map(({ n }) => String(n)),
    isDone: () => running.size === 0,
    turnedAway,
  };
}
