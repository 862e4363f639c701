import { expect, test } from "vitest";
import { SECOND } from "../../src/lib/instant.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { saveQueryGroup } from "../../src/listening-api/store/query-groups.ts";
import { type LimitedWorld, openLimitedWorld, until } from "../flows/limited-world.ts";

// More queries than an address has room for, most of them in groups of the account.

const BRANDS = Array.from({ length: 240 }, (_, i) => `Brand ${i}`);
/** So few that every query is due when the next call is free, on a slow machine, too: then they need more than one address. */
const LIMIT = { limit: 12, periodMs: 12 * SECOND };
/** One group is larger than an address of single ids. */
const GROUPS = { Large: [0, 205], Small: [205, 230] } as const;

/** A mention of each query is there before Earshot is, so that the first shared call proves that it may be shared. */
function openWorld(groups: Readonly<Record<string, readonly [number, number]>>): Promise<LimitedWorld> {
  const mayCreateGroups = Object.keys(groups).length === 0;
  return openLimitedWorld({ brands: BRANDS, rate: LIMIT, mayCreateGroups }, async (world) => {
    const { account, pool, publish } = world;
    await publish(BRANDS.length, 1);
    for (const [name, [from, to]] of Object.entries(groups)) {
      const queryIds = BRANDS.slice(from, to).map((brand) => account.queries.get(brand) as number);
      const group = { name, queryIds, shared: "public", sharedProjectIds: [] };
      await saveQueryGroup(createDatabase(pool), { projectId: account.projectId, userId: null }, group);
    }
  });
}

const polls = ({ line }: LimitedWorld) => line.calls.filter(({ path }) => path.includes("/data/mentions"));
const byGroup = (world: LimitedWorld) =>
  polls(world).filter(({ path }) => path.includes("queryGroupId=") && path.includes("since"));

async function expectAllStoredOnce(world: LimitedWorld, mentions: number): Promise<void> {
  await until("everything is stored", async () => (await world.stored()).distinct === mentions);
  expect(await world.stored()).toEqual({ rows: mentions, distinct: mentions });
  expect(await world.query("select 1 from earshot.coverage where gap > 0")).toEqual([]);
  expect(await world.query("select query_id, last_error from earshot.polls where failures > 0")).toEqual([]);
  expect(await world.query("select 1 from earshot.dead_letters")).toEqual([]);
  expect(world.line.mostInWindow()).toBeLessThanOrEqual(LIMIT.limit);
}

test("240 queries are polled by the groups of the account, and a group that is deleted costs nothing", async () => {
  const world = await openWorld(GROUPS);
  await expectAllStoredOnce(world, 240);
  await until("a call names the groups", async () => byGroup(world).length > 2);
  await world.publish(480, 4 * SECOND);
  await expectAllStoredOnce(world, 720);
  const ids = byGroup(world).map(({ path }) =>
    [/queryGroupId=/g, /[?&]queryId=/g].map((id) => path.match(id)?.length),
  );
  expect(ids).toContainEqual([2, 10]);
  // The server refuses calls that name it. The next ones name its queries.
  await world.query(
    "delete from local_api.query_group_member where query_group_id in (select id from local_api.query_group where name = 'Small')",
  );
  await world.query("delete from local_api.query_group where name = 'Small'");
  await world.publish(480, 2 * SECOND);
  await expectAllStoredOnce(world, 1_200);
  const refused = byGroup(world).at(-1);
  const behind = polls(world).slice(polls(world).indexOf(refused as (typeof world.line.calls)[number]) + 1);
  expect(behind.some(({ path }) => !path.includes("queryGroupId=") && path.includes("since"))).toBe(true);
}, 120_000);

test("a server that does not say whose a mention of a group is gets no polls by groups", async () => {
  const world = await openWorld(GROUPS);
  world.line.rewrite(/queryGroupId=/, (body) => body.replaceAll('"queryId"', '"group"'));
  await until("groups were tried", async () => {
    const found = await world.query("select 1 from earshot.server_quirks where value = 'without-query'");
    return found.length === 1;
  });
  await world.publish(240, 1);
  await expectAllStoredOnce(world, 480);
  expect(byGroup(world)).toEqual([]);
}, 120_000);

test("an account without groups gets one of ours, if it allows that, and its queries are polled by it", async () => {
  const world = await openWorld({});
  await expectAllStoredOnce(world, 240);
  await until("a call names our group", async () => byGroup(world).length > 0);
  await world.publish(480, 2 * SECOND);
  await expectAllStoredOnce(world, 720);
  expect(byGroup(world).at(-1)?.path).not.toContain("queryId=");
  expect(await world.query("select name from local_api.query_group")).toEqual([
    { name: expect.stringMatching(/^Earshot 1 \([0-9a-f]{8}\)$/) },
  ]);
}, 120_000);
