import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { bluesky } from "../../src/feeds/kinds/bluesky.ts";
import { openStream, STREAM_LIMITS } from "../../src/feeds/run/open-stream.ts";
import {
  decideReconnect,
  findGap,
  isStepping,
  nextPlace,
  planConnection,
  type StreamTrouble,
} from "../../src/feeds/run/plan-connection.ts";
import { HOUR } from "../../src/lib/instant.ts";
import { startJetstream } from "../fakes/jetstream.ts";

const now = Date.UTC(2026, 10, 23, 12);
const calm: StreamTrouble = { failures: 0, tooLarge: 0, tooOld: 0 };
const hosts = ["wss://a", "wss://b", "wss://c"];
const at = now * 1_000 - 60_000_000;
const place = { host: "wss://b", from: at, newest: at + 500 };
const plan = (trouble: Partial<StreamTrouble> = {}, where: typeof place | null = place, of = hosts) =>
  planConnection(of, where, { ...calm, ...trouble }, now);

describe("the next connection", () => {
  test("begins now where nothing is known, and else a little before its place at the same server", () => {
    expect(plan({}, null)).toMatchObject({ host: "wss://a", from: null });
    expect(plan()).toMatchObject({ host: "wss://b", from: at - 2_000_000 });
  });

  test("goes to the next server after two failures, and further back there, as it counts in its own way", () => {
    expect(plan({ failures: 1 })).toMatchObject({ host: "wss://b" });
    expect(plan({ failures: 2 })).toMatchObject({ host: "wss://c", from: at - 30_000_000 });
    expect(plan({ failures: 4 })).toMatchObject({ host: "wss://a" });
    expect(plan({}, { ...place, host: "wss://gone" })).toMatchObject({
      host: "wss://a",
      from: at - 30_000_000,
    });
  });

  test("tries what servers keep when its place is too old, and then begins now", () => {
    const old = { ...place, from: at - 100 * HOUR * 1_000 };
    expect(plan({ tooOld: 1 }, old).from).toBe((now - 35 * HOUR) * 1_000);
    expect(plan({ tooOld: 2 }, old).from).toBeNull();
  });

  test("steps over a frame that is too large, further each time, and gives up after a while", () => {
    const steps = [2, 3, 4, 12].map(
      (tooLarge) => (plan({ tooLarge, failures: tooLarge }).from ?? 0) - place.newest,
    );
    expect(steps).toEqual([1, 2, 4, 1_024]);
    expect(plan({ tooLarge: 1, failures: 1 }).from).toBe(at - 2_000_000);
    expect(plan({ tooLarge: 40, failures: 40 }).host).toBe("wss://a");
  });

  test("never begins after what is not stored, unless it steps over a frame", () => {
    fc.assert(
      fc.property(fc.nat(100), fc.constantFrom(0, 1), fc.nat({ max: 2e15 }), (failures, tooLarge, from) => {
        const found = plan({ failures, tooLarge }, { host: "wss://a", from, newest: from + 7 });
        expect(found.from ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(from);
        expect(hosts).toContain(found.host);
      }),
    );
  });
});

test("a gap is time between the place and the first event, on the same server a second of it", () => {
  expect(findGap(place, at, plan())).toBeNull();
  expect(findGap(place, at + 900_000, plan())).toBeNull();
  expect(findGap(place, at + 1_100_000, plan())).toEqual({ from: now - 60_000, to: now - 60_000 + 1_100 });
  expect(findGap(place, at + 20_000_000, plan({ failures: 2 }))).toBeNull();
  expect(findGap(place, at + 31_000_000, plan({ failures: 2 }))).not.toBeNull();
  expect(findGap(null, at, plan())).toBeNull();
  // What came out of order says nothing of the events before it.
  expect(findGap({ ...place, newest: at + 5_000_000 }, at + 3_000_000, plan())).not.toBeNull();
  expect(findGap({ ...place, from: 5, newest: 9 }, 2_000, plan())).toBeNull();
});

test("an event out of order does not take the place past those before it, or days back", () => {
  const next = (positions: readonly number[]) => nextPlace(place, "wss://b", positions, now);
  expect(next([at + 2e6, at + 1e6, at + 9e6])).toEqual({ host: "wss://b", from: at + 1e6, newest: at + 9e6 });
  // One odd number does not count; where all are so far back, the place follows step by step.
  expect(next([12, at + 1e6, at + 9e6])?.from).toBe(at + 1e6);
  expect(next([12])?.from).toBe(at - 60_000_000);
  expect(nextPlace(place, "wss://c", [], now)).toBe(place);
});

test("no event takes the place past now, however far in the future it is", () => {
  const far = Date.UTC(2100, 0) * 1_000;
  expect(nextPlace(place, "wss://b", [far], now)).toEqual({
    ...{ host: "wss://b", from: now * 1_000, newest: now * 1_000 },
  });
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 9e15 }), { minLength: 1 }), (positions) => {
      const found = nextPlace(place, "wss://a", positions, now);
      expect(found?.from).toBeLessThanOrEqual(now * 1_000);
      expect(found?.from).toBeGreaterThanOrEqual(at - 60_000_000);
    }),
  );
});

test("a server whose every frame is too large is not stepped over past now, and the next one begins at the place", () => {
  expect(plan({ tooLarge: 39, failures: 39 }).from).toBe(now * 1_000);
  expect(plan({ tooLarge: 41, failures: 41 }, { ...place, host: "wss://b" })).toMatchObject({
    ...{ host: "wss://a", from: at - 30_000_000 },
  });
  expect([1, 2, 40, 41].map((tooLarge) => isStepping({ ...calm, tooLarge }))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test("waits double up to a minute, stay short for a server that sends, and never undercut what a server asks", () => {
  const wait = (failures: number, more = {}) =>
    decideReconnect({ failures, hasBrought: false, retryAfterMs: null, ...more }, 0);
  expect([1, 2, 3, 4, 5, 6, 7, 50].map((n) => wait(n) / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect(wait(50, { hasBrought: true })).toBe(4_000);
  expect(wait(1, { retryAfterMs: 90_000 })).toBe(90_000);
});

describe("the next connection, to the microsecond", () => {
  const SAME = 1_000_000;
  const EARLIEST = 1e15;
  test.each<[string, Partial<StreamTrouble>, typeof place | null, object]>([
    ["where nothing is known", {}, null, { host: "wss://a", from: null, mayMiss: 0 }],
    ["calm", {}, place, { host: "wss://b", from: at - 2_000_000, mayMiss: SAME }],
    [
      "at another server",
      { failures: 2 },
      place,
      { host: "wss://c", from: at - 30_000_000, mayMiss: 30_000_000 },
    ],
    [
      "after one frame that is too large",
      { tooLarge: 1, failures: 2 },
      place,
      { host: "wss://b", from: at - 2_000_000, mayMiss: SAME },
    ],
    [
      "over a frame",
      { tooLarge: 2, failures: 2 },
      place,
      { host: "wss://b", from: place.newest + 1, mayMiss: 0 },
    ],
    [
      "of a place that servers should keep",
      { tooOld: 1 },
      place,
      { host: "wss://b", from: null, mayMiss: SAME },
    ],
    [
      "of a place that is as old as what servers keep",
      { tooOld: 1 },
      { ...place, from: (now - 35 * HOUR) * 1_000 },
      { host: "wss://b", from: null, mayMiss: SAME },
    ],
    ["of plain numbers", {}, { ...place, from: 5 }, { host: "wss://b", from: 5, mayMiss: SAME }],
    ["of the first of them", {}, { ...place, from: 0 }, { host: "wss://b", from: 0, mayMiss: SAME }],
    [
      "of plain numbers, at another server",
      { failures: 2 },
      { ...place, from: 5 },
      { host: "wss://c", from: 5, mayMiss: 30_000_000 },
    ],
    [
      "of the first times",
      {},
      { ...place, from: EARLIEST + 1 },
      { host: "wss://b", from: EARLIEST, mayMiss: SAME },
    ],
  ])("%s", (_name, trouble, where, expected) => {
    expect(plan(trouble, where)).toEqual(expected);
  });
});

describe("a gap, to the microsecond", () => {
  const same = plan();
  const step = { host: "wss://b", from: place.newest + 1, mayMiss: 0 };
  const first = { host: "wss://b", from: 1e15, newest: 1e15 };
  test.each([
    ["a second later", place, at + 1_000_000, same, null],
    ["later than that", place, at + 1_100_001, same, { from: now - 60_000, to: now - 60_000 + 1_100 }],
    ["at the newest event", { ...place, newest: at }, at, { ...step, from: at }, null],
    ["behind a step over a frame", place, at + 1_000, step, { from: now - 60_000, to: now - 60_000 + 1 }],
    ["behind a step, and an event from before it", place, at, step, { from: now - 60_000, to: now - 60_000 }],
    ["a plain number behind a step", place, 5, step, null],
    ["a time behind plain numbers", { ...place, from: 5, newest: 9 }, at, same, null],
    ["behind the first time of all", first, 1e15, { ...step, from: 1e15 + 1 }, { from: 1e12, to: 1e12 }],
  ])("%s", (_name, where, position, connection, gap) => {
    expect(findGap(where, position, connection)).toEqual(gap);
  });
});

describe("the place after a batch", () => {
  const least = at - 60_000_000;
  test.each([
    ["in any order", place, [at + 9, at + 1, at + 5], { from: at + 1, newest: at + 9 }],
    ["a minute back", place, [least, least + 5], { from: least, newest: least + 5 }],
    ["more than a minute back", place, [least - 1, least + 5], { from: least + 5, newest: least + 5 }],
    ["of plain numbers, which may go back", { ...place, from: 1e9 }, [50], { from: 50, newest: 50 }],
    ["of the number zero", null, [0], { from: 0, newest: 0 }],
    [
      "of the first time of all",
      { ...place, from: 1e15 },
      [5, 1e15 + 1],
      { from: 1e15 + 1, newest: 1e15 + 1 },
    ],
  ])("%s", (_name, where, positions, expected) => {
    expect(nextPlace(where, "wss://b", positions, now)).toEqual({ host: "wss://b", ...expected });
  });
});

test("waits before a connection are spread over half of their length, in whole milliseconds", () => {
  const wait = (random: number, firstMs?: number) =>
    decideReconnect({ failures: 3, hasBrought: false, retryAfterMs: null, firstMs }, random);
  expect([wait(0), wait(0.5), wait(1)]).toEqual([4_000, 3_000, 2_000]);
  expect(wait(0.5, 1.25)).toBe(4);
});

describe("opening a stream", async () => {
  const jetstream = await startJetstream();
  afterAll(jetstream.close);
  const open = (address: string, more = {}) =>
    openStream(address, {
      ...{ userAgent: "Earshot/test", allowPrivateAddress: true, isCompressed: false, ...more },
      limits: { ...STREAM_LIMITS, batchMs: 20, handshakeMs: 2_000 },
    });

  test("asks for posts from a position, and for no event that would be refused", () => {
    const { stream } = bluesky;
    expect(stream?.address("wss://host.example", 7, { maxFrameBytes: 1_000 })).toBe(
      "wss://host.example/subscribe?wantedCollections=app.bsky.feed.post&maxMessageSizeBytes=1000&cursor=7",
    );
    expect(stream?.address("wss://host.example/of/mine?key=1", null, { maxFrameBytes: 9 })).toBe(
      "wss://host.example/of/mine?key=1&wantedCollections=app.bsky.feed.post&maxMessageSizeBytes=9",
    );
  });

  test.each([true, false])("is compressed only if it is wanted: %s", async (isCompressed) => {
    const extensions: string[] = [];
    jetstream.onOpen = (socket) => {
      extensions.push(socket.extensions);
      socket.send("x".repeat(100_000));
    };
    const opened = open(jetstream.url, { isCompressed });
    let frames: readonly string[] = [];
    while (frames.length === 0) ({ frames } = await opened.take());
    expect(frames[0]).toHaveLength(100_000);
    expect(extensions).toEqual([isCompressed ? expect.stringContaining("permessage-deflate") : ""]);
    opened.close();
  });

  test.each([
    ["ws://127.0.0.1:9/subscribe", /allowPrivateAddress: true/],
    ["ws://[::1]:9/", /allowPrivateAddress: true/],
    ["ws://169.254.169.254/", /allowPrivateAddress: true/],
    ["ws://localhost:9/", /allowPrivateAddress: true/],
  ])("an address inside is refused: %s", async (address, words) => {
    const opened = open(address, { allowPrivateAddress: false });
    let { end } = await opened.take();
    while (end === null) ({ end } = await opened.take());
    expect(end.problem).toMatch(words);
  });
});
