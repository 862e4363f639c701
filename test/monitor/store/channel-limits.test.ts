import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import { useStores } from "../../use-stores.ts";

const { database, stores } = await useStores();
const { take, giveBack, name, keysOf, close, reopen, moving, closed } = stores.channelLimits;

beforeEach(() => sql`delete from earshot.channel_limits`.execute(database.db));

const set = (assignment: ReturnType<typeof sql>, channel: string) =>
  sql`update earshot.channel_limits set ${assignment} where channel = ${channel}`.execute(database.db);
const pace = (key: string) => ({ key, everyMs: MINUTE, burst: 3 });
/** How many messages a channel takes at once. */
async function slots(key: string): Promise<number> {
  for (let n = 0; ; n++) if ((await take(pace(key))) === null) return n;
}

test("a channel takes its burst, and one more for each that is given back; others have slots of their own", async () => {
  expect(await slots("a")).toBe(3);
  expect(await slots("b")).toBe(3);
  await giveBack("a");
  expect([await slots("a"), await slots("b")]).toEqual([1, 0]);
  await set(sql`counted_wall = now() - interval '90 s', tokens = 0`, "a");
  expect([await slots("a"), await slots("b")]).toEqual([1, 0]);
});

test("a closed channel takes nothing; then one message tries it, and the burst is back when it works", async () => {
  await take(pace("b"));
  await close("a", MINUTE, "wait");
  expect(await slots("a")).toBe(0);
  expect((await closed()).map(({ key, reason }) => [key, reason])).toEqual([["a", "wait"]]);
  await set(sql`closed_until_wall = now() - interval '1 s', counted_wall = now() - interval '1 day'`, "a");
  expect([await closed(), await slots("a")]).toEqual([[], 1]);
  await close("b", MINUTE, "wait");
  await reopen("a");
  await set(sql`counted_wall = now() - interval '1 day'`, "a");
  expect([await slots("a"), await slots("b")]).toEqual([3, 0]);
});

test("keys that the vendor calls one channel have one limit", async () => {
  expect([await slots("a"), await slots("b")]).toEqual([3, 3]);
  await take({ ...pace("c"), burst: 9 });
  await name("a", "C1");
  expect(await slots("a")).toBe(0);
  // Said once more, it brings no burst and takes none.
  await set(sql`tokens = 2`, "C1");
  await name("a", "C1");
  expect(await slots("a")).toBe(2);
  await set(sql`tokens = 2`, "C1");
  await close("b", MINUTE, "wait");
  await name("b", "C1");
  expect(await slots("a")).toBe(0);
  expect((await keysOf("a")).sort()).toEqual(["C1", "a", "b"]);
  expect((await closed()).map(({ key }) => key)).toEqual(["C1", "a", "b"]);
  expect((await take({ ...pace("c"), burst: 9 }))?.keys).toEqual(["c"]);
});

test("channels that sent in the last minute, or were closed in it, are moving", async () => {
  for (const key of ["sends", "was closed", "rests"]) await take(pace(key));
  const before = sql`counted_wall = now() - interval '61 s'`;
  await set(before, "rests");
  await set(sql`${before}, closed_until_wall = now() - interval '59 s'`, "was closed");
  expect((await moving()).sort()).toEqual(["sends", "was closed"]);
});
