import { sql } from "kysely";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { createEvents, type JetstreamEvent, startJetstream } from "../fakes/jetstream.ts";
import { closeFrame, flood, frame, handshake, OPCODE, startLyingStream } from "../fakes/lying-stream.ts";
import { feedsOf, type Listener, startFeeding } from "./feeding.ts";

/** The machine may be busy. */
const SOON = { timeout: 20_000 };
const did = "did:plc:ann";
const [first, second] = [await startJetstream(), await startJetstream()];
const liar = await startLyingStream((socket, request) => lie?.(socket, request));
let lie: Parameters<typeof startLyingStream>[0] | undefined;
const feeding = await startFeeding({
  feeds: feedsOf({ kind: "bluesky", hosts: [first.url, second.url] }),
  queries: { Acme: "acme" },
});
const lyingFirst = await startFeeding({
  feeds: feedsOf({ kind: "bluesky", hosts: [liar.url, second.url] }),
  queries: { Acme: "acme" },
});
const running: Listener[] = [];
const listen = (of = feeding, silentMs = 20_000): Listener => {
  const listener = of.listen({ limits: { silentMs } });
  running.push(listener);
  return listener;
};
afterAll(async () => {
  await Promise.all([first.close(), second.close(), liar.close()]);
});
beforeEach(async () => {
  for (const { log, asked } of [first, second]) for (const list of [log, asked]) list.splice(0);
  for (const { db } of [feeding, lyingFirst]) {
    await sql`delete from local_api.mention`.execute(db);
    await sql`truncate local_api.received_item, local_api.unseen_delete, feeds.gap`.execute(db);
    await sql`update feeds.feed set state = '{}', failures = 0, problem = null, lease = null, lease_until = null,
      next_at = now(), items_today = 0, received_at = null`.execute(db);
  }
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((listener) => listener.stop()));
  // What the next test sends must not go to the connections of this one.
  // A request that was given up is read late on a busy machine, and would count as one of the next test.
  for (const { connections } of [first, second]) await expect.poll(connections, SOON).toBe(0);
});

const texts = async (of = feeding) => (await of.mentions()).map(({ text }) => text);
const stored = (wanted: readonly string[], of = feeding) =>
  expect.poll(async () => texts(of), SOON).toEqual(expect.arrayContaining([...wanted]));
const connected = (server: typeof first) => expect.poll(() => server.sockets.size, SOON).toBe(1);
const placeOf = async () => Reflect.get((await feeding.feeds())[0]?.state ?? {}, "place");
const nowUs = () => (systemClock.now() - 60_000) * 1_000;

test("an event dated in the year 2100 does not move the place: what really follows is not lost", async () => {
  const { create } = createEvents(nowUs());
  const before = listen();
  await connected(first);
  first.emit(create(did, "1", "acme one"));
  await stored(["acme one"]);
  const far = Date.UTC(2100, 0) * 1_000;
  for (const at of [far, (systemClock.now() + 4 * 60_000) * 1_000])
    first.emit(create(did, `f${at}`, `acme dated ${at}`, {}, at));
  await expect.poll(async () => (await texts()).length, SOON).toBe(3);
  await before.stop();
  expect(await placeOf()).toMatchObject({ from: expect.any(Number) });
  expect((await placeOf()).from).toBeLessThanOrEqual(systemClock.now() * 1_000);
  // While nobody listened, with the right time.
  first.log.push(create(did, "2", "acme two", {}, systemClock.now() * 1_000));
  listen();
  await stored(["acme two"]);
});

test("events that come again and again, and jumps back, double nothing and send the place nowhere", async () => {
  const { create } = createEvents(nowUs());
  const listener = listen();
  await connected(first);
  const old = create(did, "old", "acme of long ago", {}, 12_345);
  const events = Array.from({ length: 5 }, (_, n) => create(did, `${n}`, `acme ${n}`));
  let sent = 0;
  for (const event of events)
    for (const again of [event, events[0] ?? event, old]) {
      first.emit(again);
      sent++;
      await expect.poll(() => listener.batches.reduce((sum, one) => sum + one.frames, 0), SOON).toBe(sent);
    }
  expect(await texts()).toHaveLength(6);
  expect((await placeOf()).from).toBeGreaterThan((events[0]?.at ?? 0) - 61_000_000);
  expect(listener.batches.reduce((sum, { added }) => sum + added, 0)).toBe(6);
});

test("a host that sends something else for ever is left for the next one, and named", async () => {
  for (const wrong of [
    "no JSON",
    '{"did":"did:plc:ann","kind":"identity"}',
    `{"did":"did:plc:ann","time_us":${Date.UTC(2100, 0) * 1_000}}`,
  ]) {
    lie = async (socket, request) => {
      socket.write(handshake(request));
      await flood(socket, Buffer.concat(Array<Buffer>(100).fill(frame(OPCODE.text, wrong))));
    };
    const problems: string[] = [];
    const listener = listen(lyingFirst);
    await connected(second).catch(async () => {
      problems.push(String((await lyingFirst.feeds())[0]?.problem));
    });
    expect(problems).toEqual([]);
    expect((await lyingFirst.feeds())[0]?.problem).toContain("something else than a stream of this kind");
    await listener.stop();
    await expect.poll(() => second.sockets.size, SOON).toBe(0);
  }
});

test("an end that names a reason with NUL and control characters is recorded, and the next host asked", async () => {
  lie = (socket, request) => {
    socket.write(Buffer.concat([Buffer.from(handshake(request)), closeFrame(4000, "a\0b\x1b[2J\u202ec")]));
  };
  listen(lyingFirst, 200);
  await connected(second);
  expect((await lyingFirst.feeds())[0]?.problem).toBe("it ended the stream (code 4000: a b [2J c)");
});

test("whatever stands in an event of anybody, the events around it are stored over the same connection", async () => {
  const { create, raw, account } = createEvents(nowUs());
  listen();
  await connected(first);
  const values: unknown[] = [
    ...["\0", "\ud800", "\udfff\ud800", "x".repeat(300_000), "\u202e\x1b[2J", "", " ", "🇩🇪".repeat(999)],
    ...[null, true, -1, 1e308, [], {}, [[[[[]]]]], { text: 1 }, Array(5_000).fill({}), "__proto__"],
  ];
  const keys = ["text", "createdAt", "langs", "embed", "facets", "reply", "$type"];
  const hostile: JetstreamEvent[] = [];
  let n = 0;
  for (const value of values) {
    for (const key of keys) hostile.push(create(did, `h${n++}`, "acme", { [key]: value }));
    hostile.push(create(did, `h${n++}`, "acme", { embed: { external: { title: value, uri: value } } }));
    hostile.push(
      create(did, `h${n++}`, "acme", { facets: [{ features: [{ uri: value }] }], langs: [value] }),
    );
    for (const key of ["did", "time_us", "commit", "kind", "handle", "account"])
      hostile.push(raw(JSON.stringify({ did, time_us: nowUs(), kind: "commit", [key]: value })));
    for (const key of ["rkey", "collection", "operation", "record"])
      hostile.push(
        raw(
          JSON.stringify({
            ...{ did, time_us: nowUs() },
            commit: {
              collection: "app.bsky.feed.post",
              operation: "create",
              rkey: `h${n++}`,
              record: {},
              [key]: value,
            },
          }),
        ),
      );
    hostile.push(raw(JSON.stringify({ did, account: { active: value, status: value } })));
  }
  first.emit(create("did:plc:bob", "1", "acme before"));
  for (const event of hostile) first.emit(event);
  hostile.push(account("did:plc:nobody", false, "\0"));
  first.emit(create("did:plc:bob", "2", "acme after"));
  await stored(["acme before", "acme after"]);
  expect((await feeding.feeds())[0]?.problem).toBeNull();
  expect(first.asked).toHaveLength(1);
});
