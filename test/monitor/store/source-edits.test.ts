import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import type { MentionEdit } from "../../../src/monitor/model/source-edit.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import type { Facts } from "../../../src/monitor/store/stores.ts";
import { useStores } from "../../use-stores.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const { sourceEdits } = stores;
let written = 0;

beforeAll(() => ensurePartitions(database.db, NOON));

const keyOf = (resourceId: string) => ({ projectId: "1", queryId: "q", resourceId });

function correct(resourceId: string, edit: MentionEdit, through: Pick<Facts, "sourceEdits"> = stores) {
  const actor = { via: "page", login: "ann", typed: null } as const;
  return through.sourceEdits.add({
    ...{ ...keyOf(resourceId), id: uuid7(NOON + written++), at: NOON, actor, edit },
  });
}

async function claim() {
  const claimed = await sourceEdits.claim();
  if (claimed === null) throw new Error("it is not due");
  return claimed;
}

/** One that is being written by a worker that was held for longer than its claim, and a newer one that is being written. */
async function lateAndNewer(resourceId: string) {
  await correct(resourceId, { sentiment: "negative" });
  const late = await claim();
  await sql`update earshot.source_edits set leased_until_wall = now() - interval '1 s' where id = ${late.id}::uuid`.execute(
    database.db,
  );
  await correct(resourceId, { sentiment: "positive" });
  return { late, newer: await claim() };
}

/** Runs `second` so that it waits for what `first` changed, until that is committed. */
async function duringCommit(
  first: (facts: Facts) => Promise<void>,
  second: () => Promise<void>,
): Promise<void> {
  let waits: Promise<void> | undefined;
  await stores.transaction(async (facts) => {
    await first(facts);
    waits = second();
    await expect.poll(waiting).toBe(1);
  });
  await waits;
}

/** How many statements wait for what another transaction holds. */
async function waiting(): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
  return rows.length;
}

const statesOf = async (resourceId: string) =>
  (await sourceEdits.ofMention(keyOf(resourceId))).map(({ state }) => state);

/** Claims and settles what is due at once; gives their sentiments. */
async function writeAll(): Promise<unknown[]> {
  const sentiments: unknown[] = [];
  for (let next = await sourceEdits.claim(); next !== null; next = await sourceEdits.claim()) {
    sentiments.push("sentiment" in next.edit ? next.edit.sentiment : null);
    await sourceEdits.settle(next);
  }
  return sentiments;
}

// Nobody knows which of two that were written at once came last.
test.each(["late", "newer"] as const)(
  "a late correction and a newer one that end in one moment, the %s one first: the newer is due at once",
  async (first) => {
    const { late, newer } = await lateAndNewer(`ends-${first}`);
    const [one, other] = first === "late" ? [late, newer] : [newer, late];
    await duringCommit(
      (facts) => facts.sourceEdits.settle(one),
      () => sourceEdits.settle(other),
    );
    expect(await statesOf(`ends-${first}`)).toEqual(["sent", "due"]);
    expect(await writeAll()).toEqual(["positive"]);
    expect(await statesOf(`ends-${first}`)).toEqual(["sent", "sent"]);
  },
);

test("a correction that is made in the moment in which the one before it ends is due at once", async () => {
  await correct("made", { sentiment: "negative" });
  const before = await claim();
  await duringCommit(
    (facts) => correct("made", { sentiment: "positive" }, facts),
    () => sourceEdits.settle(before),
  );
  expect(await writeAll()).toEqual(["positive"]);
  expect(await statesOf("made")).toEqual(["sent", "sent"]);
});

test("the end of a correction in the moment in which a newer one is made does not give the older up", async () => {
  await correct("ended", { sentiment: "negative" });
  const before = await claim();
  await duringCommit(
    (facts) => facts.sourceEdits.settle(before),
    () => correct("ended", { sentiment: "positive" }),
  );
  expect(await writeAll()).toEqual(["positive"]);
  expect(await statesOf("ended")).toEqual(["sent", "sent"]);
});

test("a newer correction that fails in the moment in which a late one ends is due at once", async () => {
  const { late, newer } = await lateAndNewer("failed");
  await duringCommit(
    (facts) => facts.sourceEdits.settle(late),
    () => sourceEdits.postpone(newer, 60_000, "unavailable"),
  );
  expect(await writeAll()).toEqual(["positive"]);
});
