import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { createEvents, type JetstreamEvent, startJetstream } from "../fakes/jetstream.ts";
import { feedsOf, startFeeding } from "./feeding.ts";

const KILLS = 5;
const POSTS = 3_000;
const SOON = { timeout: 30_000 };

const jetstream = await startJetstream();
afterAll(jetstream.close);
const feeding = await startFeeding({
  feeds: feedsOf({ kind: "bluesky", hosts: [jetstream.url] }),
  queries: { Acme: "acme" },
});
const workers = new Set<ChildProcess>();
afterAll(() => {
  for (const worker of workers) worker.kill("SIGKILL");
});

function startWorker(): ChildProcess {
  const path = fileURLToPath(new URL("fixtures/stream-worker.ts", import.meta.url));
  const worker = fork(path, [feeding.url, String(feeding.projectId), jetstream.url], {
    execArgv: ["--import", "tsx"],
  });
  workers.add(worker);
  worker.on("exit", () => workers.delete(worker));
  return worker;
}

test("workers that are killed in the middle of a stream lose nothing, store nothing twice, and keep no deleted text", async () => {
  const { create, remove, account, identity } = createEvents((systemClock.now() - 60_000) * 1_000, 50);
  const events: JetstreamEvent[] = [];
  const left = new Map<string, string>();
  for (let n = 0; n < POSTS; n++) {
    const did = `did:plc:user${n % 50}`;
    const isMatch = n % 3 === 0;
    const text = isMatch ? `acme number ${n}` : `nothing ${n}`;
    events.push(create(did, `k${n}`, text));
    if (isMatch) left.set(`${did}/k${n}`, text);
    if (n % 7 === 0) events.push(identity(did));
    if (n % 10 === 9) {
      const gone = n - 9;
      events.push(remove(`did:plc:user${gone % 50}`, `k${gone}`));
      left.delete(`did:plc:user${gone % 50}/k${gone}`);
    }
    if (n % 1_000 === 999) {
      const whose = `did:plc:user${(n / 1_000) | 0}`;
      events.push(account(whose, false, "takendown"), account(whose, true));
      for (const id of left.keys()) if (id.startsWith(`${whose}/`)) left.delete(id);
    }
  }
  let sent = 0;
  const emit = (n: number): void => {
    for (const event of events.slice(sent, sent + n)) jetstream.emit(event);
    sent += n;
  };
  let current = startWorker();
  // The first connection begins now: nothing may be sent before it.
  await expect.poll(() => jetstream.sockets.size, SOON).toBe(1);
  for (let kills = 0; kills < KILLS; kills++) {
    const next = startWorker();
    emit(Math.floor(events.length / (KILLS + 1)));
    // In the middle of whatever it does after its first batch; the other one waits for the lease.
    await once(current, "message");
    current.kill("SIGKILL");
    await once(current, "exit");
    // What comes while nobody listens.
    emit(20);
    current = next;
    await once(current, "message");
  }
  emit(events.length);
  const kept = async () =>
    (await feeding.mentions()).filter(({ record }) => record["resourceType"] !== "deleted");
  await expect.poll(async () => (await kept()).length, SOON).toBe(left.size);
  const texts = [...left.values()].sort();
  expect((await kept()).map(({ text }) => text).sort()).toEqual(texts);
  const { rows: stored } = await sql<{ native_id: string }>`
    select native_id from local_api.received_item where deleted_at is null`.execute(feeding.db);
  expect(stored.map(({ native_id }) => native_id).sort()).toEqual([...left.keys()].sort());
  const { rows: shown } = await sql<{ full_text: string }>`
    select distinct full_text from local_api.mention where full_text is not null order by 1`.execute(
    feeding.db,
  );
  expect(shown.map(({ full_text }) => full_text).sort()).toEqual(texts);
  expect((await sql`select from feeds.gap`.execute(feeding.db)).rows).toEqual([]);
}, 120_000);
