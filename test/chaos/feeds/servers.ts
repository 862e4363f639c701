import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs, systemClock } from "../../../src/lib/clock.ts";
import type { Closing } from "../../../src/lib/closing.ts";
import { HOUR } from "../../../src/lib/instant.ts";
import { createRandom } from "../../../src/listening-api/simulate/random.ts";
import { startFeedServer } from "../../fakes/feed-server.ts";
import { createEvents, type JetstreamEvent, refuse, startJetstream } from "../../fakes/jetstream.ts";
import { deal } from "../plan-kills.ts";
import { answer, PUBLISHED, rssOf, WELCOME } from "./answer.ts";
import { HUB_KINDS, type PushedSite, startPushedSite } from "./hub.ts";
import type { Happening, Item } from "./items.ts";

const HTTP_FAULTS = ["500", "429", "web page", "half", "charset", "silence", "cut"] as const;
const OWN_FAULTS = {
  rss: [...HTTP_FAULTS, "duplicates", "out of order", "vanished"],
  "hacker-news": [...HTTP_FAULTS, "vanished"],
  bluesky: [
    ...([
      "500",
      "429",
      "web page",
      "half",
      "charset",
      "silence",
      "cut",
      "duplicates",
      "out of order",
    ] as const),
    "delete before create",
    "account removed",
  ],
  push: ["repeated", "delete before create"],
  websub: HUB_KINDS,
} as const;

/** Between two bursts of the stream, by its own positions: more than readers go back by. */
const BURST_US = 30_000_000;
/** Within a burst. */
const STEP_US = 100_000;
/** The stream begins hours ago. A slow start must not take it into the future. */
const BEAT_EVERY_MS = 1_000;

export interface Sources {
  readonly rssUrl: string;
  readonly hackerNewsUrl: string;
  readonly jetstreamUrl: string;
  /** A site with a hub. */
  readonly pushed: Pick<PushedSite, "url" | "unpolled" | "turnedAway">;
  /** Shows what happened to those who ask from now on. */
  publish(happened: readonly Happening[]): void;
  /** An event of the stream that is nobody's post. */
  beat(): void;
  /** Faults begin with the first request after it, and end for good with `calm`. */
  disturb(): void;
  calm(): void;
  /** Whether everything pushed was accepted. */
  isPushed(): boolean;
  note(name: string): void;
  /** How often each fault was met by somebody. */
  readonly met: ReadonlyMap<string, number>;
}

/** Four servers of feeds, a hub and a sender of pushes; all misbehave as long as they are asked to. */
export async function startSources(
  options: { readonly seed: number; readonly consoles: readonly string[]; readonly token: string },
  closing: Closing,
): Promise<Sources> {
  const random = createRandom("chaos sources", options.seed);
  const met = new Map<string, number>(
    Object.entries(OWN_FAULTS).flatMap(([feed, faults]) => faults.map((one) => [`${feed} ${one}`, 0])),
  );
  const note = (name: string): void => void met.set(name, (met.get(name) ?? 0) + 1);
  let isDisturbed = false;
  const hanging = new Set<{ destroy(): unknown }>();
  /** Every other request meets a fault. */
  const chance = (): boolean => isDisturbed && random.chance(0.5);

  const rss = await startFeedServer();
  closing.add(rss.close);
  const stories: Item[] = [];
  const nextRss = deal(OWN_FAULTS.rss, random);
  rss.pages.set("*", (_request, response) => {
    const fault = chance() ? nextRss() : null;
    if (fault !== null) note(`rss ${fault}`);
    const shown = [...stories].reverse();
    const some =
      fault === "vanished"
        ? shown.filter((_, index) => index % 2 === 0)
        : fault === "duplicates"
          ? [...shown, ...shown]
          : fault === "out of order"
            ? [...stories]
            : shown;
    answer(response, "application/rss+xml", rssOf([WELCOME, ...some]), fault, hanging);
  });

  const hackerNews = await startFeedServer();
  closing.add(hackerNews.close);
  const posts: Item[] = [];
  const changed = new Set<number>();
  const nextHackerNews = deal(OWN_FAULTS["hacker-news"], random);
  let armed: { readonly fault: string; skips: number } | null = null;
  hackerNews.pages.set("*", (request, response) => {
    const path = request.url ?? "/";
    // One fault a fetch, at any of its first requests.
    if (path === "/maxitem.json")
      armed = chance() ? { fault: nextHackerNews(), skips: random.whole(0, 4) } : null;
    const isMet = armed !== null && armed.skips-- <= 0;
    const fault = isMet ? (armed?.fault ?? null) : null;
    if (isMet) armed = null;
    const id = Number(/\/item\/(\d+)\.json/.exec(path)?.[1] ?? 0);
    const body =
      path === "/maxitem.json"
        ? posts.length
        : path === "/updates.json"
          ? { items: [...changed], profiles: [] }
          : fault === "vanished"
            ? null
            : hackerNewsItem(id, posts[id - 1]);
    if (fault !== null && (fault !== "vanished" || id > 0)) note(`hacker-news ${fault}`);
    answer(response, "application/json", JSON.stringify(body), fault, hanging);
  });

  const jetstream = await startJetstream();
  closing.add(jetstream.close);
  const events = createEvents((systemClock.now() - 3 * HOUR) * 1_000, STEP_US);
  const nextRefusal = deal(["500", "429", "web page", "silence"] as const, random);
  jetstream.fault = (request: IncomingMessage, socket) => {
    if (!chance()) return "serve";
    const fault = nextRefusal();
    note(`bluesky ${fault}`);
    if (fault === "silence") return void hanging.add(socket);
    if (fault === "web page") return refuse(200, "<!doctype html><title>Sorry</title>")(request, socket);
    return refuse(Number(fault), "", fault === "429" ? { "retry-after": "1" } : {})(request, socket);
  };
  const late: Item[] = [];
  const nextBurst = deal(["half", "charset", "cut", "duplicates", "out of order"] as const, random);
  /** One burst on the wire, perhaps torn. What was torn comes whole from the log to whoever connects again. */
  const send = (burst: readonly JetstreamEvent[]): void => {
    const fault = chance() ? nextBurst() : null;
    const isConnected = jetstream.sockets.size > 0;
    if (fault !== null && isConnected) note(`bluesky ${fault}`);
    const order = fault === "out of order" ? shuffled(burst, random) : burst;
    for (const [index, event] of order.entries()) {
      jetstream.emit(event);
      if (fault === "duplicates") for (const socket of jetstream.sockets) socket.send(event.frame);
      if (index !== Math.floor(order.length / 2)) continue;
      if (fault === "half") for (const socket of jetstream.sockets) socket.send(event.frame.slice(0, 40));
      if (fault === "charset")
        for (const socket of jetstream.sockets) socket.send(Buffer.from(String(event.frame), "latin1"));
      if (fault === "cut") for (const socket of jetstream.sockets) socket.terminate();
    }
    events.pause(BURST_US);
  };

  let beatAt = -BEAT_EVERY_MS;

  const pushed = await startPushedSite(options, { random, note, chance, hanging }, closing);

  const pushes = createSender(options, { random, note, isDisturbed: () => isDisturbed });
  closing.add(pushes.stop);

  return {
    rssUrl: `${rss.url}/feed`,
    hackerNewsUrl: hackerNews.url,
    jetstreamUrl: jetstream.url,
    publish(happened) {
      // A create behind its delete comes with the next burst: not in the same batch.
      const news: Item[] = [];
      const burst = late
        .splice(0)
        .map(({ author, n, texts }) => events.create(`did:plc:${author}`, `k${n}`, texts.at(-1) ?? ""));
      for (const one of happened) {
        if (one.what === "born-deleted" && one.item.feed === "bluesky") late.push(one.item);
        const feed = one.what === "account-removed" ? one.feed : one.item.feed;
        if (feed === "rss" && "item" in one && one.what === "created") stories.push(one.item);
        else if (feed === "hacker-news" && "item" in one) {
          if (one.what === "created" || one.what === "born-deleted") posts.push(one.item);
          if (one.what !== "created") changed.add(posts.indexOf(one.item) + 1);
        } else if (feed === "bluesky") burst.push(...eventsOf(one, events, note, random.chance(0.5)));
        else if (feed === "push" && "item" in one) pushes.add(one);
        else if (feed === "websub" && "item" in one) news.push(one.item);
      }
      pushed.publish(news);
      if (burst.length > 0) send(burst);
    },
    beat() {
      if (monotonicMs() - beatAt < BEAT_EVERY_MS) return;
      beatAt = monotonicMs();
      send([events.identity("did:plc:nobody")]);
    },
    disturb() {
      isDisturbed = true;
    },
    calm() {
      isDisturbed = false;
      armed = null;
      pushed.calm();
      for (const one of hanging) one.destroy();
      hanging.clear();
    },
    isPushed: () => pushes.isDone() && pushed.isDone(),
    ...{ pushed, note, met },
  };
}

function hackerNewsItem(id: number, item: Item | undefined): object | null {
  if (item === undefined) return null;
  const time = Math.floor(systemClock.now() / 1_000) - 60;
  if (item.isGone)
    return item.n % 2 === 0
      ? { id, type: "comment", time, deleted: true }
      : { id, type: "comment", time, by: item.author, text: item.texts.at(-1), dead: true };
  return {
    id,
    type: "comment",
    time: Math.floor(Date.parse(PUBLISHED) / 1_000),
    by: item.author,
    text: item.texts.at(-1),
  };
}

/** Positions rise in the order in which things happened, except for a create that comes behind its delete. */
function eventsOf(
  one: Happening,
  events: ReturnType<typeof createEvents>,
  note: (name: string) => void,
  isUpdate: boolean,
): JetstreamEvent[] {
  const didOf = (author: string): string => `did:plc:${author}`;
  if (one.what === "account-removed") {
    note("bluesky account removed");
    return [events.account(didOf(one.author), false, isUpdate ? "deleted" : "takendown")];
  }
  const { n, author, texts } = one.item;
  const [did, key] = [didOf(author), `k${n}`];
  const text = texts.at(-1) ?? "";
  if (one.what === "created") return [events.create(did, key, text)];
  if (one.what === "edited") return [events.update(did, key, text)];
  if (one.what === "deleted") return [events.remove(did, key)];
  note("bluesky delete before create");
  return [events.remove(did, key)];
}

function shuffled<T>(all: readonly T[], random: { next(): number }): T[] {
  return all
    .map((one) => ({ one, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ one }) => one);
}

/** A program that pushes, one thing after the other, each until its answer says that it was taken. */
function createSender(
  { consoles, token }: { readonly consoles: readonly string[]; readonly token: string },
  around: {
    readonly random: ReturnType<typeof createRandom>;
    readonly note: (name: string) => void;
    readonly isDisturbed: () => boolean;
  },
) {
  const { random, note, isDisturbed } = around;
  const waiting: object[] = [];
  let [isOver, isBusy] = [false, false];
  const post = async (body: object, timeoutMs: number): Promise<boolean> => {
    try {
      const response = await fetch(`${random.pick(consoles)}/feeds/push`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.text();
      return response.status === 200;
    } catch {
      return false;
    }
  };
  const run = async (): Promise<void> => {
    while (!isOver) {
      const [next] = waiting;
      isBusy = next !== undefined;
      if (next === undefined) {
        await delay(50);
        continue;
      }
      // It does not wait for the answer, and sends the same again.
      const givesUp = isDisturbed() && random.chance(0.3);
      if (givesUp) await post(next, random.whole(2, 30));
      if (givesUp) note("push repeated");
      if (await post(next, 10_000)) waiting.shift();
      else {
        note("push repeated");
        await delay(100);
      }
    }
  };
  const running = run();
  return {
    add({ what, item }: Extract<Happening, { item: Item }>) {
      const id = `p${item.n}`;
      const mention = {
        id,
        text: item.texts.at(-1),
        author: item.author,
        url: `https://push.example/${item.n}`,
      };
      const remove = { id, deleted: true };
      if (what === "born-deleted") {
        note("push delete before create");
        waiting.push(remove, mention);
      } else waiting.push(what === "deleted" ? remove : mention);
    },
    isDone: () => waiting.length === 0 && !isBusy,
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}
