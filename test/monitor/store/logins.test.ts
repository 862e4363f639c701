import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import { createTokenStore } from "../../../src/monitor/store/tokens.ts";
import { useStores } from "../../use-stores.ts";

// Ann and Bo have one of each: what is done to one of Ann's leaves Bo's and her others as they are.

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();

beforeEach(async () => {
  for (const table of [
    "sessions",
    "access_tokens",
    "one_time_codes",
    "second_factors",
    "interactions",
    "tokens",
  ])
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
});

const USERS = ["ann", "bo"] as const;
const hashOf = (text: string) => Buffer.from(text);

async function open(nameKey: string, until = NOON + HOUR): Promise<string> {
  const id = randomUUID();
  await stores.sessions.open({
    ...{ id, secretHash: hashOf(id), nameKey, credential: "c", openedAt: NOON, seenAt: NOON, until },
    ...{ address: "192.0.2.1", agent: "" },
  });
  return id;
}

test("a session is open until it ends or its time is over", async () => {
  const { find, isOpen, list, end, endAll, sawAt } = stores.sessions;
  const [ann, anns, bo] = [await open("ann"), await open("ann"), await open("bo")];
  const isThere = async (id: string, now: number) => [
    ...[(await find(hashOf(id), now))?.id === id, await isOpen(id, now)],
    (await list(null, now)).some((one) => one.id === id),
  ];
  expect(await isThere(ann, NOON + HOUR - 1)).toEqual([true, true, true]);
  expect(await isThere(ann, NOON + HOUR)).toEqual([false, false, false]);
  expect(await find(hashOf(randomUUID()), NOON)).toBeNull();
  expect((await list("ann", NOON)).map(({ id }) => id).sort()).toEqual([ann, anns].sort());
  await sawAt(ann, "192.0.2.2", NOON + 1);
  expect((await list(null, NOON)).map(({ address }) => address)).toEqual([
    ...["192.0.2.2", "192.0.2.1", "192.0.2.1"],
  ]);
  expect([await end(ann, "bo", NOON), await end(ann, "ann", NOON), await end(ann, null, NOON)]).toEqual([
    ...[false, true, false],
  ]);
  expect(await isThere(ann, NOON)).toEqual([false, false, false]);
  expect([await isThere(anns, NOON), await isThere(bo, NOON)]).toEqual([
    [true, true, true],
    [true, true, true],
  ]);
  // One that has ended is not ended once more, nor is one whose time is over.
  expect(await endAll("ann", NOON + HOUR)).toBe(0);
  expect(await endAll("ann", NOON)).toBe(1);
  expect(await endAll("bo", NOON, bo)).toBe(0);
  expect(await isOpen(bo, NOON)).toBe(true);
});

test("sessions that were over for a month are deleted when somebody logs in", async () => {
  await open("ann", NOON - 30 * DAY);
  await open("ann", NOON - 30 * DAY - 1);
  await open("bo");
  const { rows } = await sql`select from earshot.sessions`.execute(database.db);
  expect(rows).toHaveLength(2);
});

test("an access token works until it ends or its time is over", async () => {
  const { add, find, list, end, noteUse } = stores.accessTokens;
  const make = async (nameKey: string) => {
    const id = randomUUID();
    const facts = { label: nameKey, scope: "read", createdAt: NOON, until: NOON + HOUR } as const;
    await add({ id, secretHash: hashOf(id), nameKey, ...facts });
    return id;
  };
  const [ann, anns, bo] = [await make("ann"), await make("ann"), await make("bo")];
  const isThere = async (id: string, now: number) => [
    (await find(hashOf(id), now))?.id === id,
    (await list(null, now)).some((one) => one.id === id),
  ];
  expect(await isThere(ann, NOON + HOUR - 1)).toEqual([true, true]);
  expect(await isThere(ann, NOON + HOUR)).toEqual([false, false]);
  expect(await find(hashOf(randomUUID()), NOON)).toBeNull();
  expect((await list("ann", NOON)).map(({ id }) => id).sort()).toEqual([ann, anns].sort());
  await noteUse(bo, "192.0.2.2", NOON);
  expect((await list(null, NOON)).filter(({ usedAt }) => usedAt !== null).map(({ id }) => id)).toEqual([bo]);
  expect([await end(ann, "bo", NOON), await end(ann, "ann", NOON), await end(ann, null, NOON)]).toEqual([
    ...[false, true, false],
  ]);
  expect([await isThere(ann, NOON), await isThere(anns, NOON), await isThere(bo, NOON)]).toEqual([
    ...[
      [false, false],
      [true, true],
      [true, true],
    ],
  ]);
});

test("a code works once, for what it was made for, until its time is over", async () => {
  const { add, find, use, open: unused, endAll } = stores.oneTimeCodes;
  const make = (purpose: "invitation" | "slack", nameKey: string, secret = `${purpose} ${nameKey}`) =>
    add({ secretHash: hashOf(secret), purpose, nameKey, until: NOON + HOUR });
  for (const user of USERS) for (const purpose of ["invitation", "slack"] as const) await make(purpose, user);
  const code = hashOf("invitation ann");
  expect([await find("invitation", code, NOON), await find("slack", code, NOON)]).toEqual(["ann", null]);
  expect([await use("slack", code, NOON), await find("invitation", hashOf("x"), NOON)]).toEqual([null, null]);
  expect([await find("invitation", code, NOON + HOUR), await use("invitation", code, NOON + HOUR)]).toEqual([
    ...[null, null],
  ]);
  const left = async (now = NOON) => (await unused("invitation", now)).map(({ nameKey }) => nameKey).sort();
  expect([await left(), await left(NOON + HOUR)]).toEqual([["ann", "bo"], []]);
  expect([await use("invitation", code, NOON), await use("invitation", code, NOON)]).toEqual(["ann", null]);
  expect([await find("invitation", code, NOON), await left()]).toEqual([null, ["bo"]]);
  expect(await use("invitation", hashOf("x"), NOON)).toBeNull();
  // A new one for the same user and purpose takes the place of the one before, and of no other.
  await make("invitation", "bo", "newer");
  expect(await find("invitation", hashOf("invitation bo"), NOON)).toBeNull();
  expect(await find("slack", hashOf("slack bo"), NOON)).toBe("bo");
  await make("invitation", "ann");
  expect(await left()).toEqual(["ann", "bo"]);
  await endAll("invitation", "ann");
  expect(await left()).toEqual(["bo"]);
  expect(await find("slack", hashOf("slack ann"), NOON)).toBe("ann");
});

test("a second factor is made, confirmed and used by its own user", async () => {
  const { begin, confirm, find, list, useStep, useRecovery, takeTry, end } = stores.secondFactors;
  const [first, second] = [Buffer.from("first"), Buffer.from("second")];
  for (const user of USERS) await begin(user, first);
  expect(await begin("ann", second)).toBe(true);
  expect(await useRecovery("ann", Buffer.from("code"))).toBe(false);
  // A code on paper works for a confirmed one only.
  await sql`update earshot.second_factors set recovery = ${[Buffer.from("code")]}::bytea[]`.execute(
    database.db,
  );
  expect(await useRecovery("ann", Buffer.from("code"))).toBe(false);
  expect(await confirm("ann", [Buffer.from("code")], NOON)).toBe(true);
  expect([await confirm("ann", [], NOON), await begin("ann", first)]).toEqual([false, false]);
  expect(await list()).toEqual(["ann"]);
  expect(await find("ann")).toEqual({ sealed: second, confirmedAt: NOON, recoveryLeft: 1 });
  expect((await find("bo"))?.confirmedAt).toBeNull();
  expect([await useStep("ann", 5), await useStep("ann", 5), await useStep("bo", 5)]).toEqual([
    ...[true, false, true],
  ]);
  expect(await useStep("ann", 4)).toBe(false);
  await confirm("bo", [Buffer.from("code")], NOON);
  expect(await useRecovery("ann", Buffer.from("other"))).toBe(false);
  expect([
    await useRecovery("ann", Buffer.from("code")),
    await useRecovery("ann", Buffer.from("code")),
  ]).toEqual([...[true, false]]);
  expect((await find("bo"))?.recoveryLeft).toBe(1);
  const tries = (now: number) => takeTry("ann", { since: now - HOUR, most: 2 }, now);
  expect([await tries(NOON), await tries(NOON), await tries(NOON), await tries(NOON + HOUR - 1)]).toEqual([
    ...[true, true, false, false],
  ]);
  expect([await tries(NOON + HOUR), await tries(NOON + HOUR), await tries(NOON + HOUR)]).toEqual([
    ...[true, true, false],
  ]);
  expect(await takeTry("bo", { since: NOON - HOUR, most: 2 }, NOON)).toBe(true);
  expect([await end("ann"), await end("ann"), (await find("bo")) !== null]).toEqual([true, false, true]);
});

test("an interaction acts once, unless it failed, and is forgotten after eight days", async () => {
  const { take, giveBack, forget } = stores.interactions;
  expect([await take("a"), await take("a"), await take("b")]).toEqual([true, false, true]);
  await giveBack("a");
  expect([await take("a"), await take("b")]).toEqual([true, false]);
  await sql`update earshot.interactions set taken_wall = now() - interval '9 days' where id = 'a'`.execute(
    database.db,
  );
  await forget();
  expect([await take("a"), await take("b")]).toEqual([true, false]);
});

test("the token of an account at the source is replaced, and removed only as long as it is that one", async () => {
  const [own, other] = ["own", "other"].map((account) => createTokenStore(database.db, account));
  if (own === undefined || other === undefined) throw new Error("there are two");
  for (const store of [own, other]) await store.put({ token: "1", expiresAt: NOON });
  await own.put({ token: "2", expiresAt: NOON + 1 });
  await own.remove("1");
  expect([await own.get(), await other.get()]).toEqual([
    { token: "2", expiresAt: NOON + 1 },
    { token: "1", expiresAt: NOON },
  ]);
  await other.put({ token: "2", expiresAt: NOON });
  await own.remove("2");
  expect([await own.get(), (await other.get())?.token]).toEqual([null, "2"]);
});
