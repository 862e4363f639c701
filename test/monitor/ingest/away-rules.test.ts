import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import { closeWindows } from "../../../src/monitor/ingest/close-windows.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { pollQuery } from "../../../src/monitor/polling/poll-queries.ts";
import { rulesWarmingUp } from "../../../src/monitor/polling/read-coverage.ts";
import type { Rule } from "../../../src/monitor/rules/rule.ts";
import { createConsoleStore } from "../../../src/monitor/store/console.ts";
import { aMention } from "../../mention.ts";
import { aWindowRule } from "../rules/a-rule.ts";
import { NOBODY, NOON, useWalks } from "./use-polls.ts";

const { clock, db, stores, parts, due } = useWalks(["1", "2"]);
const SPIKE = aWindowRule("spike: { atLeast: 20 }");
/** Large enough to alert, and so early that its alert is too old to send later. */
const CRISIS = { from: NOON + 5 * DAY, to: NOON + 5 * DAY + HOUR };

beforeEach(async () => {
  await sql`truncate earshot.distinct_authors, earshot.alerts, earshot.latest_alerts, earshot.alert_events`.execute(
    db(),
  );
});

/** Six an hour, and so many a minute while a crisis goes on. */
function mentionsOf(queryId: string, from: Instant, to: Instant, crisis = CRISIS): Mention[] {
  const mentions: Mention[] = [];
  for (let at = from; at < to; at += MINUTE) {
    const isLoud = at >= crisis.from && at < crisis.to;
    const count = isLoud ? 6 : at % (10 * MINUTE) === 0 ? 1 : 0;
    for (let i = 0; i < count; i++) {
      const facts = { addedAt: at, author: `a${at}-${i}`, tags: isLoud ? ["hot"] : [] };
      mentions.push(aMention({ queryId, resourceId: `${at}-${i}`, ...facts }));
    }
  }
  return mentions;
}

/** A poll at `until` that brings what was said since `from`, and the windows that it lets close. */
async function live(queryId: string, rules: readonly Rule[], mentions: readonly Mention[], until: Instant) {
  clock.set(until);
  await due();
  const page = { mentions, rejected: [], nextCursor: null, total: mentions.length, pageSize: 5_000 };
  const used = parts({
    fetchPages: async function* () {
      yield page;
    },
    rulesFor: () => rules,
  });
  const key = { projectId: "p", queryId, poll: "added" } as const;
  expect(await pollQuery(used, key, new AbortController().signal)).toMatchObject({ outcome: "Complete" });
  await closeWindows({ store: stores(), rulesFor: () => rules, notifyConfig: NOBODY, clock }, key);
}

const statesOf = async (queryId: string) =>
  (await stores().conditions.states("p", queryId)).map(({ condition, state, steppedUntil }) => ({
    condition,
    state,
    steppedUntil,
  }));

async function alertsOf(queryId: string): Promise<Instant[]> {
  const { rows } = await sql<{ at: Instant }>`
    select opened_at as at from earshot.alerts where query_id = ${queryId} order by opened_at`.execute(db());
  return rows.map(({ at }) => at);
}

async function total(queryId: string): Promise<number | undefined> {
  const { rows } = await sql<{ n: number }>`
    select sum(n)::int as n from earshot.counts where query_id = ${queryId}`.execute(db());
  return rows[0]?.n;
}

const learning = (rules: readonly Rule[]) => rulesWarmingUp(createConsoleStore(db()), rules);

test("a rule that comes back after days has learned what it missed, sends nothing about it, and finds the next spike", async () => {
  const back = NOON + 6 * DAY;
  const end = back + 12 * HOUR;
  const next = { from: end, to: end + 30 * MINUTE };
  // The second query always has the rule: there the crisis alerts when it happens.
  for (const [queryId, meanwhile] of [
    ["1", []],
    ["2", [SPIKE]],
  ] as const) {
    await live(queryId, [SPIKE], mentionsOf(queryId, NOON - DAY, NOON + 3 * DAY), NOON + 3 * DAY);
    await live(queryId, meanwhile, mentionsOf(queryId, NOON + 3 * DAY, back), back);
    await live(queryId, [SPIKE], mentionsOf(queryId, back, end), end);
  }
  const [away, always] = [await statesOf("1"), await statesOf("2")];
  expect(away).toHaveLength(1);
  expect(away).toEqual(always);
  expect(await total("1")).toBe(await total("2"));
  expect(await learning([SPIKE])).toEqual([]);
  expect(await alertsOf("1")).toEqual([]);
  expect(await alertsOf("2")).toHaveLength(1);

  await live("1", [SPIKE], mentionsOf("1", end, next.to, next), next.to);
  const [firedAt] = await alertsOf("1");
  expect(firedAt).toBeGreaterThan(next.from);
  expect(firedAt).toBeLessThanOrEqual(next.from + 15 * MINUTE);
});

test("if the missed mentions are deleted, it learns again, says so, and does not alert at the usual rate", async () => {
  const back = NOON + 6 * DAY;
  await live("1", [SPIKE], mentionsOf("1", NOON - DAY, NOON + 3 * DAY), NOON + 3 * DAY);
  await live("1", [], mentionsOf("1", NOON + 3 * DAY, back), back);
  await sql`delete from earshot.mentions`.execute(db());
  await live("1", [SPIKE], mentionsOf("1", back, back + HOUR), back + HOUR);
  expect(await learning([SPIKE])).toMatchObject([
    { queryId: "1", rule: "a-rule", kind: "spike", until: back + 2 * HOUR, needs: "1 h more" },
    { queryId: "2", needs: "a first mention that it counts" },
  ]);
  const end = back + 12 * HOUR;
  await live("1", [SPIKE], mentionsOf("1", back + HOUR, end), end);
  expect(await alertsOf("1")).toEqual([]);
  const next = { from: end, to: end + 30 * MINUTE };
  await live("1", [SPIKE], mentionsOf("1", end, next.to, next), next.to);
  expect(await alertsOf("1")).toHaveLength(1);
});

test("one that comes back while another counted the same has missed nothing either, silent as it was", async () => {
  const quiet = aWindowRule("when: { tag: hot }\nspike: { atLeast: 20 }");
  const others = ["when: { tag: hot }\n", ""].map((when) =>
    aWindowRule(`${when}volume: { atLeast: 1000, within: 1h }`),
  );
  const [left, back, end] = [NOON + 4 * DAY, NOON + 5 * DAY + 3 * HOUR, NOON + 5 * DAY + 9 * HOUR];
  const again = { from: end - HOUR, to: end - HOUR + 5 * MINUTE };
  for (const [queryId, meanwhile] of [
    ["1", others],
    ["2", [...others, quiet]],
  ] as const) {
    await live(queryId, [...others, quiet], mentionsOf(queryId, NOON - DAY, left), left);
    await live(queryId, meanwhile, mentionsOf(queryId, left, back), back);
    await live(queryId, [...others, quiet], mentionsOf(queryId, back, end, again), end);
  }
  const spikes = async (queryId: string) =>
    (await statesOf(queryId)).filter(({ condition }) => condition === quiet.window.key);
  expect(await spikes("1")).toEqual(await spikes("2"));
  expect((await spikes("1"))[0]?.steppedUntil).toBe(end);
});

test("distinct authors are counted again with what was missed, each once", async () => {
  const authors = aWindowRule("spike: { atLeast: 20, count: authors }");
  const [left, back] = [NOON + 6 * HOUR, NOON + 30 * HOUR];
  for (const [queryId, meanwhile] of [
    ["1", []],
    ["2", [authors]],
  ] as const) {
    const bots = (from: Instant, to: Instant) =>
      mentionsOf(queryId, from, to).map((mention) => ({
        ...mention,
        author: `bot ${mention.addedAt % HOUR}`,
      }));
    await live(queryId, [authors], bots(NOON - DAY, left), left);
    await live(queryId, meanwhile, bots(left, back), back);
    await live(queryId, [authors], bots(back, back + HOUR), back + HOUR);
  }
  expect(await total("1")).toBe(await total("2"));
  expect(await total("1")).toBeGreaterThan(0);
});
