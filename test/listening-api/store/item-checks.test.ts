import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import {
  claimChecks,
  dueChecks,
  dueNow,
  scheduleChecks,
} from "../../../src/listening-api/store/item-checks.ts";
import { deleteReceived, putReceived } from "../../../src/listening-api/store/received-items.ts";
import { lockWriting } from "../../../src/listening-api/store/write-order.ts";
import { type Fixture, startFixture } from "../fixture.ts";
import { untilWaiting } from "./until-waiting.ts";

let fixture: Fixture;
let db: Database;
let projectId = 0;
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  projectId = fixture.account.projectId;
});
afterAll(() => fixture.stop());

/** Due since so many seconds; undefined: never. */
function put(idKey: string, dueFor: number | undefined, feedKey = "feed") {
  const item = { idKey, resourceId: idKey, contentKey: null, nativeId: `native ${idKey}`, feedKey };
  const from = { kind: "rss", host: "feeds.example", policyVersion: 1, deleteReason: null };
  return putReceived(db, projectId, [
    { ...item, ...from, checkInMs: dueFor === undefined ? null : -1_000 * dueFor },
  ]);
}

beforeEach(async () => {
  await fixture.database.pool.query("delete from local_api.received_item");
  await put("aa", 10);
  await put("bb", 20);
  await put("cc", undefined);
  await put("dd", -60);
  await put("ee", 5, "another feed");
  await put("ff", 30);
  await deleteReceived(db, projectId, ["ff"], { reason: "gone", seals: false });
});

const idsOf = (due: readonly { readonly idKey: string }[]) => due.map(({ idKey }) => idKey);
const claim = (most: number) => claimChecks(db, projectId, "feed", { most, forMs: 60_000 });

it("those are due that have waited longest, of the feed, and are there", async () => {
  expect(idsOf(await dueChecks(db, projectId, "feed", 9))).toEqual(["bb", "aa"]);
  expect(idsOf(await dueChecks(db, projectId, "feed", 1))).toEqual(["bb"]);
  expect(await dueChecks(db, projectId + 1, "feed", 9)).toEqual([]);
});

it("of many that claim at once, each item has one", async () => {
  const claims = await Promise.all([claim(1), claim(1), claim(9), claim(9)]);
  expect(claims.flatMap(idsOf).toSorted()).toEqual(["aa", "bb"]);
  expect(await claim(9)).toEqual([]);
});

it("a claim waits for its turn among the writers, and gets what is due then", async () => {
  const claimed = await db.transaction().execute(async (writer) => {
    await lockWriting(writer, [projectId]);
    const waits = claim(9);
    await untilWaiting(fixture.database.pool, 1);
    await scheduleChecks(writer, projectId, [
      { idKey: "bb", inMs: 60_000, gone: "AsBefore" },
      { idKey: "dd", inMs: -1, gone: "AsBefore" },
    ]);
    return { waits };
  });
  expect(idsOf(await claimed.waits).toSorted()).toEqual(["aa", "dd"]);
});

it("of what was claimed only that is judged which is still there", async () => {
  const due = await claim(9);
  await deleteReceived(db, projectId, ["aa"], { reason: "gone", seals: false });
  expect(idsOf(await db.transaction().execute((own) => dueNow(own, projectId, due)))).toEqual(["bb"]);
  expect(await db.transaction().execute((own) => dueNow(own, projectId + 1, due))).toEqual([]);
});

it("since when an item is gone is remembered until it is there again", async () => {
  const goneFor = async (gone: "No" | "Since now" | "AsBefore") => {
    await scheduleChecks(db, projectId, [{ idKey: "bb", inMs: -1, gone }]);
    return (await dueChecks(db, projectId, "feed", 9)).find(({ idKey }) => idKey === "bb")?.goneForMs;
  };
  expect(await goneFor("AsBefore")).toBeNull();
  expect(await goneFor("Since now")).toBeGreaterThanOrEqual(0);
  expect(await goneFor("AsBefore")).toBeGreaterThan(0);
  expect(await goneFor("No")).toBeNull();
});
