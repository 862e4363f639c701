import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import type { MentionEdit } from "../../../src/monitor/model/source-edit.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import type { Facts } from "../../../src/monitor/store/stores.ts";
import { aMention } from "../../mention.ts";
import { useStores } from "../../use-stores.ts";
import { changedBy } from "./changed-by.ts";
import { begun, untilWaiting } from "./waiting.ts";

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
    await untilWaiting(database.db);
  });
  await waits;
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

/** Rows that change, by the mention and what it is corrected to. */
const changed = async (work: () => Promise<unknown>) =>
  (await changedBy(database.db, "source_edits", ["project_id", "query_id", "resource_id", "edit"], work)).map(
    (one) => one.replaceAll(/[{}":]|sentiment/g, "").replaceAll(/ +/g, " "),
  );

/** Corrections beside one of mention `own`: of another kind, mention, query and project, with twins of its id. */
async function beside(resourceId: string): Promise<string> {
  await sql`delete from earshot.source_edits`.execute(database.db);
  const actor = { via: "page", login: "ann", typed: null } as const;
  const add = (id: string, facts: object, edit: MentionEdit) =>
    sourceEdits.add({ ...{ ...keyOf(resourceId), id, at: NOON, actor, edit }, ...facts });
  await add(uuid7(NOON + written++), { resourceId: `${resourceId}-2` }, { sentiment: "neutral" });
  await add(uuid7(NOON + written++), { queryId: "r" }, { sentiment: "neutral" });
  const own = uuid7(NOON + written++);
  await add(own, { projectId: "2" }, { sentiment: "neutral" });
  await add(own, {}, { sentiment: "negative" });
  return own;
}

test("a correction is replaced, claimed and ended by itself, and not one of another mention, query or project", async () => {
  const own = await beside("own");
  const claimed = { ...keyOf("own"), id: own, edit: { sentiment: "negative" }, attempts: 1 } as const;
  const set = (assignment: ReturnType<typeof sql>) =>
    sql`update earshot.source_edits set ${assignment}`.execute(database.db);
  await set(sql`attempts = 1`);
  expect(await changed(() => sourceEdits.postpone({ ...claimed, attempts: 2 }, 0, "away"))).toEqual([]);
  expect(await changed(() => sourceEdits.postpone(claimed, 0, "away"))).toEqual(["1 q own negative"]);
  expect(await changed(() => sourceEdits.settle({ ...claimed, attempts: 2 }))).toEqual([]);
  expect(await changed(() => sourceEdits.settle(claimed))).toEqual(["1 q own negative"]);
  // What was sent is not given up by a newer one, and what waits is.
  expect(await changed(() => correct("own", { sentiment: "positive" }))).toEqual(["1 q own positive"]);
  expect(await changed(() => correct("own", { sentiment: "neutral" }))).toEqual([
    ...["1 q own neutral", "1 q own positive"],
  ]);
  expect((await sourceEdits.ofMention(keyOf("own"))).map(({ state }) => state)).toEqual([
    "sent",
    "given-up",
    "due",
  ]);
});

test("a late correction makes newer ones of its kind and mention due again that were written, and no others", async () => {
  const own = await beside("late");
  const claimed = { ...keyOf("late"), id: own, edit: { sentiment: "negative" }, attempts: 9 } as const;
  const at = NOON + 60_000;
  const actor = { via: "page", login: "ann", typed: null } as const;
  for (const facts of [{}, { resourceId: "late-2" }, { queryId: "r" }, { projectId: "2" }])
    await sourceEdits.add({
      ...keyOf("late"),
      id: uuid7(at),
      at,
      actor,
      edit: { sentiment: "positive" },
      ...facts,
    });
  const state = (assignment: ReturnType<typeof sql>) =>
    sql`update earshot.source_edits set ${assignment}`.execute(database.db);
  await state(sql`state = 'due'`);
  expect(await changed(() => sourceEdits.settle(claimed))).toEqual([]);
  await state(sql`state = 'given-up', leased_until_wall = now()`);
  expect(await changed(() => sourceEdits.settle(claimed))).toEqual([]);
  await state(sql`state = 'due', leased_until_wall = now()`);
  expect(await changed(() => sourceEdits.settle(claimed))).toEqual(["1 q late positive"]);
  await state(sql`state = 'sent', leased_until_wall = null`);
  expect(await changed(() => sourceEdits.settle(claimed))).toEqual(["1 q late positive"]);
});

test("the oldest correction that is due and free is claimed, unless its mention is being written", async () => {
  await beside("next");
  const ids = async () => {
    const next = await sourceEdits.claim();
    return next === null ? null : `${next.projectId} ${next.queryId} ${next.resourceId}`;
  };
  const set = (assignment: ReturnType<typeof sql>, where = sql`true`) =>
    sql`update earshot.source_edits set ${assignment} where ${where}`.execute(database.db);
  expect(await changed(() => sourceEdits.claim())).toEqual(["1 q next-2 neutral"]);
  expect(await ids()).toBe("1 r next");
  await set(sql`next_try_wall = now() + interval '1 min'`);
  await set(sql`leased_until_wall = now() - interval '1 s'`);
  expect(await ids()).toBeNull();
  await set(sql`next_try_wall = now(), state = 'sent'`);
  expect(await ids()).toBeNull();
  await set(sql`state = 'due', leased_until_wall = now() + interval '1 min'`, sql`resource_id <> 'next-2'`);
  await set(sql`state = 'due'`);
  // Others of its name are being written in another query and project.
  expect(await ids()).toBe("1 q next-2");
  await correct("next-2", { sentiment: "positive" });
  expect(await ids()).toBeNull();
  await set(sql`leased_until_wall = now() - interval '1 s'`, sql`resource_id = 'next-2'`);
  expect(await ids()).toBe("1 q next-2");
  await set(sql`leased_until_wall = null, state = 'due'`);
  await set(sql`project_id = 'feeds-1'`, sql`resource_id = 'next-2'`);
  expect(await ids()).not.toContain("next-2");
});

test("a correction that another worker claims in this moment is passed over", async () => {
  await beside("held");
  const others = await stores.transaction(async (mine) => {
    expect((await mine.sourceEdits.claim())?.resourceId).toBe("held-2");
    return begun(database.db, () => sourceEdits.claim());
  });
  expect([others.waits, (await others.result)?.queryId]).toEqual([false, "r"]);
});

test("the categories of a query are those that its own mentions have", async () => {
  for (const [projectId, queryId, name] of [
    ["1", "q", "Service"],
    ["1", "r", "Price"],
    ["2", "q", "Twin"],
  ] as const) {
    const category = { id: name, name, parentId: null, parentName: null };
    const mention = aMention({
      queryId,
      resourceId: "categories",
      publishedAt: NOON,
      categories: [category],
    });
    const page = [{ mention, eventAt: NOON, story: "s" }];
    await stores.mentions.storePage(projectId, stores.mentions.rowsOf(page), NOON);
  }
  expect(await sourceEdits.categoriesOf("1", "q")).toEqual([{ id: "Service", name: "Service" }]);
});
