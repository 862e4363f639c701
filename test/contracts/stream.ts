import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { feedStatus } from "../../src/feeds/run/feed-status.ts";
import { STREAM_LIMITS } from "../../src/feeds/run/open-stream.ts";
import { listFeeds } from "../../src/feeds/store/feeds.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type Jetstream, type JetstreamEvent, refuse, startJetstream } from "../fakes/jetstream.ts";
import { type Feeding, feedsOf, type Listener, startFeeding } from "../feeds/feeding.ts";

/** What a kind that is a stream has to show. Items match the query `acme` if their text has this word. */
export interface StreamSample {
  /** A feed of the kind that reads from these hosts, as people write it. */
  setUp(hosts: readonly string[]): object;
  /** Makes events, the first of them at `from` (microseconds). */
  events(from: number): {
    create(name: string, text: string): JetstreamEvent;
    remove(name: string): JetstreamEvent;
    raw(frame: string | Buffer): JetstreamEvent;
    pause(us?: number): void;
  };
}

const MANY = 300;
/** The machine may be busy. */
const SOON = { timeout: 20_000 };

/** Every kind that is a stream passes this: what servers do wrong costs no item, and none comes twice. */
export async function testStream(kind: string, sample: StreamSample): Promise<void> {
  const [first, second] = [await startJetstream(), await startJetstream()];
  const feeding: Feeding = await startFeeding({
    feeds: feedsOf(sample.setUp([first.url, second.url])),
    queries: { Acme: "acme" },
  });
  const { db, projectId } = feeding;
  const running: Listener[] = [];
  const listen = (...given: Parameters<Feeding["listen"]>): Listener => {
    const listener = feeding.listen(...given);
    running.push(listener);
    return listener;
  };
  afterAll(async () => {
    await Promise.all([first.close(), second.close()]);
  });
  beforeEach(async () => {
    for (const server of [first, second]) reset(server);
    await sql`delete from local_api.mention`.execute(db);
    await sql`truncate local_api.received_item, local_api.unseen_delete, feeds.gap`.execute(db);
    await sql`update feeds.feed set state = '{}', failures = 0, problem = null, lease = null, lease_until = null,
      next_at = now(), items_today = 0`.execute(db);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((listener) => listener.stop()));
  });

  const texts = async () => (await feeding.mentions()).map(({ text }) => text);
  const stored = (n: number) => expect.poll(async () => (await texts()).length, SOON).toBe(n);
  const opened = (server: Jetstream, n: number) =>
    expect.poll(() => server.asked.length, SOON).toBeGreaterThanOrEqual(n);
  const connected = (server: Jetstream) => expect.poll(() => server.sockets.size, SOON).toBe(1);
  const feed = async () => {
    const { at, feeds } = await listFeeds(db, projectId);
    const [row] = feeds;
    if (row === undefined) throw new Error("there is one feed");
    return { ...row, ...feedStatus(row, at) };
  };
  const nowUs = () => (systemClock.now() - 60_000) * 1_000;
  /** A worker that has read the first event. */
  const started = async (events: ReturnType<StreamSample["events"]>, more = {}) => {
    const listener = listen(more);
    await connected(first);
    first.emit(events.create("first", "acme first"));
    await stored(1);
    return listener;
  };

  describe(`the stream ${kind}`, () => {
    test("begins now, and stores only what a query matches", async () => {
      const { create } = sample.events(nowUs());
      first.log.push(create("old", "acme, before anybody listened"));
      listen();
      await connected(first);
      for (let n = 0; n < 10; n++) first.emit(create(`${n}`, n % 2 === 0 ? `acme ${n}` : `other ${n}`));
      await stored(5);
      expect(first.asked[0]?.get("cursor")).toBeNull();
      expect(await feeding.mentions({ hidden: true })).toHaveLength(5);
      expect(await feed()).toMatchObject({ state: "listening", why: null, itemsToday: 5, matchedToday: 5 });
    });

    test("goes on after a stop with what was said meanwhile, and stores nothing twice", async () => {
      const events = sample.events(nowUs());
      const before = await started(events);
      await before.stop();
      for (let n = 0; n < MANY; n++) first.log.push(events.create(`${n}`, `acme ${n}`));
      const after = listen();
      await stored(MANY + 1);
      const at = first.log[0]?.at ?? 0;
      expect(Number(first.asked[1]?.get("cursor"))).toBeLessThanOrEqual(at);
      expect(after.batches.reduce((sum, { added }) => sum + added, 0)).toBe(MANY);
      expect(await feed()).toMatchObject({ gap: null, state: "listening" });
    });

    test("is read by one of many workers, and by another one when that one is gone", async () => {
      const events = sample.events(nowUs());
      // Longer than a busy machine keeps a worker from extending it: then another one takes it, as it should.
      const leaseMs = 10_000;
      const one = await started(events, { leaseMs });
      listen({ leaseMs });
      listen({ leaseMs });
      for (let n = 0; n < 20; n++) first.emit(events.create(`a${n}`, `acme ${n}`));
      await stored(21);
      expect(first.asked).toHaveLength(1);
      await one.stop();
      await opened(first, 2);
      for (let n = 0; n < 20; n++) first.emit(events.create(`b${n}`, `acme again ${n}`));
      await stored(41);
      expect(first.sockets.size).toBe(1);
    });

    test("a worker that lost its lease stores nothing more", async () => {
      const events = sample.events(nowUs());
      await started(events, { lookEveryMs: 60_000 });
      await sql`update feeds.feed set lease = gen_random_uuid()`.execute(db);
      first.emit(events.create("late", "acme late"));
      await expect.poll(() => first.sockets.size, SOON).toBe(0);
      expect(await texts()).toEqual(["acme first"]);
    });

    test("records the time of which the server has no events any more", async () => {
      const events = sample.events(nowUs() - 86_400_000_000);
      const lines: string[] = [];
      const log = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
      await (await started(events)).stop();
      events.pause(7_200_000_000);
      first.log.splice(0, 1, events.create("next", "acme next"));
      listen({ log });
      await stored(2);
      const { gap, why } = await feed();
      expect(gap).toMatchObject({ reason: expect.stringContaining("no events of this time") });
      expect((gap?.to ?? 0) - (gap?.from ?? 0)).toBe(7_200_001);
      expect(why).toMatch(/^gap from .+ \(2h\): /);
      await expect.poll(() => lines.join(""), SOON).toContain("no events of this time");
    });

    test("goes on when its position is too old", async () => {
      const events = sample.events(nowUs() - 86_400_000_000);
      await (await started(events)).stop();
      await expect.poll(() => first.sockets.size, SOON).toBe(0);
      first.fault = (request, socket) => {
        const cursor = new URL(request.url ?? "", "ws://x").searchParams.get("cursor");
        if (cursor === null) return "serve";
        return refuse(400, '{"error":"CursorTooOld","message":"too old"}')(request, socket);
      };
      events.pause();
      listen();
      await connected(first);
      first.emit(events.create("next", "acme next"));
      await stored(2);
      expect((await feed()).gap).not.toBeNull();
    });

    test("a stream that falls silent without closing is opened anew, at the next server", async () => {
      const events = sample.events(nowUs());
      await started(events);
      for (const name of ["a", "b"]) second.log.push(events.create(name, `acme ${name}`));
      // The first one stays open, answers pings, and sends nothing.
      await stored(3);
      expect(second.asked[0]?.get("cursor")).not.toBeNull();
      expect((await feed()).gap).toBeNull();
    });

    test("a server that does not even answer a ping is left sooner", async () => {
      const events = sample.events(nowUs());
      first.onOpen = (socket) => Reflect.get(socket, "_socket").pause();
      listen({ limits: { silentMs: 50 } });
      await opened(first, 2);
      expect((await feed()).problem ?? "").toMatch(/did not answer a ping/);
      first.onOpen = undefined;
      await opened(second, 1);
      second.emit(events.create("a", "acme a"));
      await stored(1);
    });

    test.each([1000, 1001, 1008, 1011, 1012, 1013, 4000])(
      "is opened again after the close code %i",
      async (code) => {
        const events = sample.events(nowUs());
        await started(events);
        for (const socket of first.sockets) socket.close(code, "slow\nconsumer");
        for (const server of [first, second]) server.log.push(events.create("a", "acme a"));
        await stored(2);
      },
    );

    test("a connection that ends in the middle of a frame loses none", async () => {
      const events = sample.events(nowUs());
      await started(events);
      const next = events.create("a", `acme a ${"x".repeat(500)}`);
      first.log.push(next);
      for (const socket of first.sockets) {
        const half = Buffer.concat([
          Buffer.from([0x81, 126, 2, 0]),
          Buffer.from(next.frame).subarray(0, 100),
        ]);
        Reflect.get(socket, "_socket").end(half);
      }
      await stored(2);
    });

    test("frames that cannot be read do not stop the others", async () => {
      const events = sample.events(nowUs());
      await started(events);
      const bad = ["", "{", "null", "\u0000", '{"time_us":"x"}', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xff])];
      for (const frame of bad) first.emit(events.raw(frame));
      first.emit(events.create("a", "acme \u0000 a"));
      await stored(2);
      expect(first.asked).toHaveLength(1);
    });

    test("a frame of 50 MB is refused, and what comes after it is stored", async () => {
      const events = sample.events(nowUs());
      // The server packs 50 MB in this process: a client that waits for a third of a second gives up before it hears.
      await started(events, { limits: { silentMs: 5_000, handshakeMs: STREAM_LIMITS.handshakeMs } });
      const huge = { at: (first.log[0]?.at ?? 0) + 3, frame: `{"text":"${"a".repeat(50_000_000)}"}` };
      const after = [1, 2, 3, 4, 5, 6].map((n) => events.create(`${n}`, `acme ${n}`));
      for (const server of [first, second]) server.log.push(huge, ...after);
      for (const socket of first.sockets) socket.send(huge.frame);
      // One position after the other is left out, in steps that double.
      await expect.poll(texts, SOON).toContain("acme 6");
      expect(await texts()).toHaveLength(7);
      expect((await feed()).gap).toMatchObject({ reason: "a frame that is too large was left out" });
    }, 30_000);

    test.each([
      ["is no stream", refuse(404), /opens no stream \(status 404\)/],
      ["redirects", refuse(301, "", { location: "wss://elsewhere.example" }), /redirects/],
      ["fails", refuse(503), /the server fails \(status 503\)/],
      ["never answers", () => {}, /did not open the stream within/],
      [
        "breaks off",
        (_request: unknown, socket: { destroy(): void }) => socket.destroy(),
        /broke off|hang up/,
      ],
    ] as const)(
      "a server that %s is named in words, and the next one is asked",
      async (_name, fault, words) => {
        const problems: string[] = [];
        first.fault = fault;
        listen({
          log: pino({ level: "info" }, { write: (line) => void problems.push(JSON.parse(line).problem) }),
        });
        await connected(second);
        expect(problems[0]).toMatch(words);
        second.emit(sample.events(nowUs()).create("a", "acme a"));
        await stored(1);
        expect(await feed()).toMatchObject({ problem: null, state: "listening" });
      },
    );

    test("a server that asks for patience is left alone", async () => {
      first.fault = refuse(429, "", { "retry-after": "600" });
      listen();
      await expect.poll(async () => (await feed()).problem, SOON).toMatch(/too often \(status 429\)/);
      expect(first.asked.length + second.asked.length).toBe(1);
    });

    test("a delete that comes before its item wins, also after a restart", async () => {
      const events = sample.events(nowUs());
      const before = await started(events);
      first.emit(events.remove("late"));
      first.emit(events.create("mark", "acme mark"));
      await stored(2);
      // So much later that the delete itself does not come again.
      events.pause(20_000_000);
      first.emit(events.create("next", "acme next"));
      await stored(3);
      await before.stop();
      first.log.push(events.create("late", "acme late"), events.create("end", "acme end"));
      listen();
      await stored(4);
      expect(await texts()).toEqual(["acme end", "acme first", "acme mark", "acme next"]);
    });

    test("a database that fails for a while costs no item, and the reason is shown", async () => {
      const events = sample.events(nowUs());
      await started(events);
      await sql`alter table local_api.received_item rename to received_item_away`.execute(db);
      for (const server of [first, second]) server.log.push(events.create("a", "acme a"));
      for (const socket of first.sockets) socket.send(first.log.at(-1)?.frame ?? "");
      await expect.poll(async () => (await feed()).problem, SOON).toMatch(/could not be stored/);
      await sql`alter table local_api.received_item_away rename to received_item`.execute(db);
      await stored(2);
      await expect.poll(async () => (await feed()).problem, SOON).toBeNull();
    });

    test("deleted items leave no text behind", async () => {
      const events = sample.events(nowUs());
      await started(events);
      first.emit(events.create("a", "acme unspeakable"));
      await stored(2);
      first.emit(events.remove("a"));
      await expect.poll(async () => (await texts()).includes("acme unspeakable"), SOON).toBe(false);
      const { rows } = await sql`select from local_api.mention m where m::text like '%unspeakable%'`.execute(
        db,
      );
      expect(rows).toHaveLength(0);
    });
  });
}

function reset(server: Jetstream): void {
  for (const socket of server.sockets) socket.terminate();
  server.log.length = 0;
  server.asked.length = 0;
  server.fault = undefined;
  server.onOpen = undefined;
}
