import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { testStream } from "../contracts/stream.ts";
import { createEvents, startJetstream } from "../fakes/jetstream.ts";
import { feedsOf, startFeeding } from "./feeding.ts";

const did = "did:plc:ann";
/** The machine may be busy. */
const SOON = { timeout: 10_000 };

await testStream("bluesky", {
  setUp: (hosts) => ({ kind: "bluesky", hosts }),
  events(from) {
    const { create, remove, raw, pause } = createEvents(from);
    return {
      create: (name, text) => create(did, name, text),
      remove: (name) => remove(did, name),
      raw,
      pause,
    };
  },
});

const jetstream = await startJetstream();
afterAll(jetstream.close);
const feeding = await startFeeding({
  feeds: feedsOf({ kind: "bluesky", hosts: [jetstream.url] }),
  queries: { Acme: "acme", Fire: "fire" },
});
const { db } = feeding;
const [ann, bob] = ["did:plc:annie", "did:plc:bob"];

/** Sends events in batches, each after the one before is stored. */
async function play(...batches: readonly (readonly { at: number; frame: string | Buffer }[])[]) {
  await sql`update feeds.feed set state = '{}'`.execute(db);
  await sql`delete from local_api.mention`.execute(db);
  await sql`truncate local_api.received_item, local_api.unseen_delete`.execute(db);
  const listener = feeding.listen();
  await expect.poll(() => jetstream.sockets.size, SOON).toBe(1);
  let frames = 0;
  for (const batch of batches) {
    for (const event of batch) jetstream.emit(event);
    frames += batch.length;
    await expect.poll(() => listener.batches.reduce((sum, one) => sum + one.frames, 0), SOON).toBe(frames);
  }
  await listener.stop();
  await expect.poll(() => jetstream.sockets.size, SOON).toBe(0);
  return (await feeding.mentions()).map(({ query, text, record }) => [query, text, record["resourceType"]]);
}
const events = () => createEvents((systemClock.now() - 60_000) * 1_000);

test("an account that is removed takes all its posts along, also those that come late; others stay", async () => {
  const { create, account } = events();
  const left = await play(
    [create(ann, "1", "acme one"), create(ann, "2", "acme fire"), create(bob, "1", "acme of bob")],
    [account(ann, false, "takendown"), account("did:plc:nobody", false, "deleted")],
    [create(ann, "3", "acme late"), create("did:plc:nobody", "1", "acme of nobody")],
  );
  expect(left.filter(([, , type]) => type !== "deleted")).toEqual([["Acme", "acme of bob", "bluesky"]]);
  expect(left.filter(([, , type]) => type === "deleted")).toHaveLength(3);
  const { rows } = await sql`select from local_api.mention m where m::text like '%annie%'`.execute(db);
  expect(rows).toHaveLength(0);
  const { rows: notes } = await sql<{ delete_reason: string }>`
    select delete_reason from local_api.received_item where deleted_at is not null`.execute(db);
  expect(notes.map(({ delete_reason }) => delete_reason)).toEqual(Array(2).fill("its account is takendown"));
});

test("an account that comes back may write again; what it wrote before stays deleted", async () => {
  const { create, account } = events();
  const first = create(ann, "1", "acme one");
  const left = await play(
    [first],
    [account(ann, false, "deactivated")],
    [account(ann, true), create(ann, "2", "acme two")],
    [first],
  );
  expect(left.filter(([, , type]) => type !== "deleted")).toEqual([["Acme", "acme two", "bluesky"]]);
});

test("an edit replaces the text at once and in all queries; an older version that comes again does not", async () => {
  const { create, update } = events();
  const one = create(ann, "1", "acme one");
  const [two, three] = [update(ann, "1", "fire at acme"), update(ann, "1", "sunshine")];
  const other = create(ann, "2", "nothing");
  expect(await play([one], [two])).toEqual([
    ["Acme", "fire at acme", "bluesky"],
    ["Fire", "fire at acme", "bluesky"],
  ]);
  expect(await play([one], [two], [three], [one, two], [other, update(ann, "2", "now acme")])).toEqual([
    ["Acme", "now acme", "bluesky"],
    ["Acme", "sunshine", "bluesky"],
    ["Fire", "sunshine", "bluesky"],
  ]);
});

test("who wrote it, in what language, and where, stands in the record", async () => {
  const { create } = events();
  await play([create(ann, "1", "@bob.example acme", { reply: {}, langs: ["nl"] })]);
  expect((await feeding.mentions())[0]?.record).toMatchObject({
    ...{ pageType: "bluesky", author: ann, blueskyAuthorId: ann, language: "nl", threadEntryType: "reply" },
    ...{ domain: "bsky.app", url: `https://bsky.app/profile/${ann}/post/1` },
  });
});
