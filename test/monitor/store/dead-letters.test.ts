import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { changedBy } from "./changed-by.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const { deadLetters } = stores;
const [P, OTHER] = ["p", "other"];

beforeEach(async () => {
  for (const table of ["dead_letters", "failures", "polls", "queries"])
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
});

type Letter = Parameters<typeof deadLetters.add>[0];
const letter = (facts: Partial<Letter>): Letter => ({
  ...{
    projectId: P,
    queryId: "1",
    kind: "mention",
    resourceId: "m",
    reason: "odd",
    tries: 1,
    body: { a: 1 },
  },
  ...facts,
});
/** The names of the rows that change: their reasons. */
const changed = (work: () => Promise<unknown>) => changedBy(database.db, "dead_letters", ["reason"], work);
const idOf = async (reason: string) => {
  const found = (await deadLetters.open(100)).find((one) => one.reason === reason);
  if (found === undefined) throw new Error(`${reason} is not open`);
  return found.id;
};

test("a dead letter is stored once while it is open, by project, query, kind, scope and mention", async () => {
  await deadLetters.add(letter({ reason: "first" }), NOON);
  const others: Partial<Letter>[] = [
    ...[{ projectId: OTHER }, { queryId: "2" }, { kind: "page" }, { scope: "s" }, { resourceId: "other" }],
  ] as const;
  const added = async (facts: Partial<Letter>) =>
    (await changed(() => deadLetters.add(letter(facts), NOON))).length === 1;
  expect(await added({ reason: "again" })).toBe(false);
  for (const [at, facts] of others.entries()) expect(await added({ ...facts, reason: `${at}` })).toBe(true);
  await deadLetters.settle(P, [await idOf("first")], NOON);
  expect(await added({ reason: "again" })).toBe(true);
  expect((await deadLetters.open(100)).map(({ reason }) => reason)).not.toContain("first");
});

test("dead letters are counted: every job but digests, and mentions that came since a moment", async () => {
  const job = (scope: string | undefined, reason: string, at = NOON - DAY) =>
    deadLetters.add(letter({ kind: "job", reason, ...(scope !== undefined && { scope }) }), at);
  await job("deliver", "job");
  await job("build-digest morning", "digest");
  await deadLetters.add(letter({ reason: "old" }), NOON - 1);
  await deadLetters.add(letter({ reason: "at", resourceId: "at" }), NOON);
  await deadLetters.add(letter({ reason: "new", resourceId: "new" }), NOON + 1);
  await deadLetters.add(letter({ reason: "settled", resourceId: "settled" }), NOON + 2);
  await deadLetters.settle(P, [await idOf("settled")], NOON);
  expect(await deadLetters.counts(NOON)).toEqual([
    { kind: "job", n: 1, since: NOON - DAY, reason: "job" },
    { kind: "mention", n: 1, since: NOON + 1, reason: "new" },
  ]);
  const jobs = async () => (await deadLetters.jobs()).map(({ scope }) => scope).sort();
  expect(await jobs()).toEqual(["build-digest morning", "deliver"]);
  await deadLetters.settle(P, [await idOf("job")], NOON);
  expect(await jobs()).toEqual(["build-digest morning"]);
  expect((await deadLetters.counts(NOON)).map(({ kind }) => kind)).toEqual(["mention"]);
});

test("a replay takes what is chosen, open and has a body, and makes due what it waits for", async () => {
  const queries = [P, OTHER].flatMap((projectId) =>
    ["1", "2"].map((queryId) => oddQuery({ projectId, queryId })),
  );
  await stores.queries.register(queries, NOON, NOON - DAY);
  await stores.polls.ensure(NOON + HOUR);
  const failure = (kind: string, scope: string) =>
    sql`insert into earshot.failures (kind, scope, reason, message, final, since)
      values (${kind}, ${scope}, 'r', 'm', true, now())`.execute(database.db);
  for (const [kind, scope] of [
    ["job", "own"],
    ["job", "beside"],
    ["call", "own"],
  ] as const)
    await failure(kind, scope);
  await deadLetters.add(letter({ reason: "mention" }), NOON);
  await deadLetters.add(letter({ reason: "no body", resourceId: "n", body: null }), NOON);
  await deadLetters.add(letter({ reason: "job", kind: "job", scope: "own", queryId: "2" }), NOON);
  await deadLetters.add(letter({ reason: "settled", resourceId: "s" }), NOON);
  await sql`update earshot.dead_letters set settled_at = now() where reason = 'settled'`.execute(database.db);
  const polls = (work: () => Promise<unknown>) =>
    changedBy(database.db, "polls", ["project_id", "query_id", "poll"], work);
  const failures = async () =>
    (
      await sql<{ key: string }>`select kind || ' ' || scope as key from earshot.failures order by 1`.execute(
        database.db,
      )
    ).rows.map(({ key }) => key);
  const mention = await idOf("mention");
  expect(await changed(() => deadLetters.replay([mention], NOON))).toEqual(["mention"]);
  expect(await failures()).toEqual(["call own", "job beside", "job own"]);
  await sql`update earshot.polls set next_at = ${new Date(NOON + HOUR)}`.execute(database.db);
  expect(await polls(() => deadLetters.replay("all", NOON))).toEqual(["p 1 added", "p 1 updated"]);
  expect(await failures()).toEqual(["call own", "job beside"]);
  expect((await deadLetters.open(10)).map(({ reason }) => reason).sort()).toEqual(["mention", "no body"]);
  expect(await deadLetters.replay("all", NOON)).toBe(1);
  expect(await changed(() => deadLetters.failedAgain(OTHER, mention, "odd"))).toEqual([]);
  expect(await changed(() => deadLetters.failedAgain(P, mention, "still odd"))).toEqual([
    "mention",
    "still odd",
  ]);
});

test("what a replay did is noted in its project, and rules that may be mended are forgotten", async () => {
  await deadLetters.add(letter({ reason: "a" }), NOON);
  await deadLetters.add(letter({ reason: "b", resourceId: "b" }), NOON);
  const a = await idOf("a");
  expect(await changed(() => deadLetters.settle(OTHER, [a], NOON))).toEqual([]);
  expect(await changed(() => deadLetters.failedAgain(P, a, "a"))).toEqual(["a"]);
  expect(await changed(() => deadLetters.settle(P, [a], NOON))).toEqual(["a"]);
  const facts = { kind: "job", queryId: "2" } as const;
  await deadLetters.add(letter({ ...facts, reason: "rule", scope: "rule x" }), NOON);
  await deadLetters.add(letter({ ...facts, reason: "job", scope: "deliver" }), NOON);
  await deadLetters.add(letter({ reason: "mention", queryId: "2", scope: "rule x" }), NOON);
  await deadLetters.add(letter({ ...facts, reason: "before", scope: "rule y" }), NOON);
  await deadLetters.settle(P, [await idOf("before")], NOON);
  expect(await changed(() => deadLetters.forgetRules(NOON + 1))).toEqual(["rule"]);
});
