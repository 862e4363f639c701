import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { DAY, type Instant, MINUTE, SECOND } from "../../../src/lib/instant.ts";
import { whyRules } from "../../../src/monitor/explain/why-rules.ts";
import { floodCheck } from "../../../src/monitor/health/checks/check-floods.ts";
import { OperatorConfig } from "../../../src/monitor/health/operators.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { pollQuery } from "../../../src/monitor/polling/poll-queries.ts";
import { parseRule } from "../../../src/monitor/rules/parse-rule.ts";
import type { Rule } from "../../../src/monitor/rules/rule.ts";
import { aMention } from "../../mention.ts";
import { aLine } from "../health/pipeline.ts";
import { NOBODY, NOON, useWalks } from "./use-polls.ts";

const LIMIT = 3;
const { clock, db, stores, parts, due } = useWalks();
const KEY = { projectId: "p", queryId: "1", poll: "added" } as const;

beforeEach(async () => {
  await sql`truncate earshot.alerts, earshot.latest_alerts, earshot.alert_events, earshot.matches, earshot.held_rules`.execute(
    db(),
  );
});

function rule(name: string, when: string): Rule {
  const read = parseRule(
    name,
    `${name}.yaml`,
    `description: d\nseverity: info\nwhen: ${when}\ngroupBy: author\n`,
  );
  if ("rule" in read) return read.rule;
  throw new Error(JSON.stringify(read.faults));
}
const RULES = [rule("flood", "{ sentiment: negative }"), rule("calm", "{ keyword: recall }")];

/** Mentions of as many authors, one a second from `from` on. */
function said(from: Instant, count: number, text = "never again"): Mention[] {
  return Array.from({ length: count }, (_, n) => {
    const addedAt = from + n * SECOND;
    const id = `m${addedAt}`;
    return aMention({ resourceId: id, author: `author of ${id}`, addedAt, sentiment: "negative", text });
  });
}

/** Polls pages of `size`; returns how many alerts of each rule there are now. */
async function poll(mentions: readonly Mention[], size = 5_000): Promise<Record<string, number>> {
  clock.set(Math.max(...mentions.map(({ addedAt }) => addedAt)) + SECOND);
  await due();
  const used = parts({
    fetchPages: async function* () {
      for (let from = 0; from < mentions.length; from += size) {
        const isLast = from + size >= mentions.length;
        const page = mentions.slice(from, from + size);
        yield {
          mentions: page,
          rejected: [],
          nextCursor: isLast ? null : String(from),
          total: mentions.length,
          pageSize: size,
        };
      }
    },
    rulesFor: () => RULES,
    notifyConfig: { ...NOBODY, floodAt: LIMIT },
    settings: () => ({ overlapMs: DAY, settleMs: 0, lookbackMs: DAY, historyFrom: NOON - DAY }),
  });
  expect(await pollQuery(used, KEY, new AbortController().signal)).toMatchObject({ outcome: "Complete" });
  const { rows } = await sql<{ rule: string; n: number }>`
    select rule, count(*)::int as n from earshot.alerts group by rule order by rule`.execute(db());
  return Object.fromEntries(rows.map(({ rule, n }) => [rule, n]));
}

const stored = async () =>
  (await sql<{ n: number }>`select count(*)::int as n from earshot.mentions`.execute(db())).rows[0]?.n;
const problems = async (now: Instant) =>
  floodCheck(
    aLine({ heldRules: await stores().ruleFloods.held(), now }),
    OperatorConfig.parse({ flood: LIMIT }),
    [],
  );

test.each([5_000, 2, 1])("a rule that floods is held, and the line goes on (pages of %d)", async (size) => {
  const flood = said(NOON, 10);
  const recall = said(NOON + MINUTE, 1, "a recall, never again");
  expect(await poll([...flood, ...recall], size)).toEqual({ calm: 1, flood: LIMIT });
  expect(await stored()).toBe(11);
  expect(await problems(clock.now())).toMatchObject([
    {
      rule: "rule-floods",
      labels: { query: "Query 1", heldRule: "flood" },
      since: NOON + 3 * SECOND,
      values: { alerts: 3, held: 8 },
    },
  ]);
});

test("what is held grows no alert, an open one still grows", async () => {
  const flood = said(NOON, 10);
  await poll(flood);
  const [first] = flood;
  const again = { ...aMention(first), resourceId: "again", addedAt: NOON + MINUTE };
  expect(await poll([again])).toEqual({ flood: LIMIT });
  const grown = await stores().alerts.openOfQuery("p", "1");
  expect(grown.map(({ mentions }) => mentions).toSorted()).toEqual([1, 1, 2]);
});

test("it goes on by itself after ten calm minutes, and says so by ending its problem", async () => {
  await poll(said(NOON, 10));
  await poll(said(NOON + 10 * MINUTE, 2));
  expect(await problems(clock.now())).toHaveLength(1);
  // Nobody has to say anything for it to be over.
  expect(await problems(NOON + 20 * MINUTE)).toEqual([]);
  expect(await poll(said(NOON + 20 * MINUTE, 2))).toEqual({ flood: LIMIT + 2 });
  expect(await stores().ruleFloods.held()).toEqual([]);
});

test("a backlog of a day is no flood if its day was none", async () => {
  const day = Array.from({ length: 20 }, (_, n) => said(NOON - 20 * 10 * MINUTE + n * 10 * MINUTE, 2)).flat();
  expect(await poll(day)).toEqual({ flood: 40 });
});

test("why says that the rule was held", async () => {
  const flood = said(NOON, 10);
  await poll(flood);
  const query = await stores().queries.find("p", "1");
  const [opened, held] = [flood[0], flood[9]];
  if (query === null || opened === undefined || held === undefined) throw new Error("nothing is stored");
  const why = await whyRules(stores(), RULES.slice(0, 1), query, held, [], () => "12:00");
  expect(why).toMatchObject([
    {
      outcome: "RuleHeld",
      because: "the rule was held from 12:00: it opened more alerts than anybody can read",
    },
  ]);
});

test("a rule is held for the query that floods, and from the moment on at which it was, until it is resumed", async () => {
  const { ruleFloods } = stores();
  const query = (queryId: string) => ({ projectId: "p", queryId });
  const flood = { rule: "flood", windowFrom: NOON, inWindow: 4, held: 1, lastAt: NOON };
  const [heldAt, resumedAt] = [NOON + MINUTE, NOON + 20 * MINUTE];
  await ruleFloods.save(query("1"), [{ ...flood, heldAt, resumedAt: null }]);
  const of = (queryId: string) => ruleFloods.ofRules(query(queryId), ["flood"], NOON, NOON + 10 * MINUTE);
  expect([await of("1"), await of("2")]).toEqual([[{ ...flood, heldAt }], []]);
  await ruleFloods.save(query("1"), [{ ...flood, heldAt, resumedAt }]);
  expect(await of("1")).toEqual([]);
  const since = (at: Instant, queryId = "1") => ruleFloods.heldSince(query(queryId), "flood", at);
  expect(await Promise.all([heldAt - 1, heldAt, resumedAt - 1, resumedAt].map((at) => since(at)))).toEqual([
    null,
    heldAt,
    heldAt,
    null,
  ]);
  expect(await since(heldAt, "2")).toBeNull();
});

test("an alert at the end of ten minutes counts into the next ten", async () => {
  await poll([...said(NOON + 10 * MINUTE - SECOND, 1), ...said(NOON + 10 * MINUTE, 1)]);
  const of = (from: Instant) =>
    stores().ruleFloods.ofRules({ projectId: "p", queryId: "1" }, ["flood"], from, from + 10 * MINUTE);
  expect([await of(NOON), await of(NOON + 10 * MINUTE)]).toMatchObject([
    [{ inWindow: 1 }],
    [{ inWindow: 1 }],
  ]);
});
