import { createHash, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const UNTIL = NOW + HOUR;
const { database, stores } = await useStores();
const hashOf = (text: string) => createHash("sha256").update(text).digest();
const BY = { via: "page", login: "ann", typed: null } as const;

const room = {
  ...{ id: randomUUID(), projectId: "p", incidentId: randomUUID(), secretHash: hashOf("room") },
  ...{ createdAt: NOW, until: UNTIL, actor: BY },
};
const token = (nameKey: string) => ({
  ...{ id: randomUUID(), secretHash: hashOf(nameKey), nameKey, label: "a program", scope: "read" as const },
  ...{ createdAt: NOW, until: UNTIL },
});

test("a link, a token and a code work until their moment, and not in it", async () => {
  await stores.rooms.add(room);
  await stores.accessTokens.add(token("ann"));
  await stores.oneTimeCodes.add({
    ...{ secretHash: hashOf("code"), purpose: "slack", nameKey: "ann", until: UNTIL },
  });
  const works = async (at: number) => [
    (await stores.rooms.find(hashOf("room"), at)) !== null,
    (await stores.rooms.ofIncident("p", room.incidentId, at)) !== null,
    (await stores.accessTokens.find(hashOf("ann"), at)) !== null,
    (await stores.accessTokens.list("ann", at)).length > 0,
    (await stores.oneTimeCodes.find("slack", hashOf("code"), at)) !== null,
    (await stores.oneTimeCodes.open("slack", at)).length > 0,
  ];
  expect(await works(UNTIL - 1)).toEqual(Array(6).fill(true));
  expect(await works(UNTIL)).toEqual(Array(6).fill(false));
  expect(await stores.rooms.end("p", room.incidentId, BY, UNTIL)).toBe(false);
  expect(await stores.oneTimeCodes.use("slack", hashOf("code"), UNTIL)).toBeNull();
});

test("nobody ends the token of somebody else, nor one that has ended", async () => {
  const bo = token("bo");
  await stores.accessTokens.add(bo);
  expect(await stores.accessTokens.end(bo.id, "ann", NOW)).toBe(false);
  expect(await stores.accessTokens.end(bo.id, "bo", NOW)).toBe(true);
  expect(await stores.accessTokens.end(bo.id, "bo", NOW)).toBe(false);
  expect(await stores.accessTokens.find(hashOf("bo"), NOW)).toBeNull();
});

test("a code works once, for its purpose, and until there is a newer one", async () => {
  const add = (secret: string, purpose: "slack" | "invitation") =>
    stores.oneTimeCodes.add({ secretHash: hashOf(secret), purpose, nameKey: "cy", until: UNTIL });
  await add("older", "slack");
  await add("newer", "slack");
  await add("other", "invitation");
  const use = (secret: string, purpose: "slack" | "invitation") =>
    stores.oneTimeCodes.use(purpose, hashOf(secret), NOW);
  expect(await use("older", "slack")).toBeNull();
  expect(await use("other", "slack")).toBeNull();
  expect((await Promise.all([use("newer", "slack"), use("newer", "slack")])).sort()).toEqual(["cy", null]);
  expect(await use("other", "invitation")).toBe("cy");
});

test("an interaction is known for longer than a link in a mail acts", async () => {
  const take = () => stores.interactions.take("one");
  const after = async (days: number) => {
    await sql`update earshot.interactions set taken_wall = now() - make_interval(days => ${days})`.execute(
      database.db,
    );
    await stores.interactions.forget();
  };
  expect([await take(), await take()]).toEqual([true, false]);
  await after(7);
  expect(await take()).toBe(false);
  await after(9);
  expect(await take()).toBe(true);
});
