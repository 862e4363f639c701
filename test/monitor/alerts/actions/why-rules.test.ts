import { sql } from "kysely";
import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../../src/lib/instant.ts";
import { whyMention } from "../../../../src/monitor/explain/why.ts";
import { prepareSeries } from "../../../../src/monitor/ingest/prepare-series.ts";
import type { Query } from "../../../../src/monitor/model/query.ts";
import { parseRule } from "../../../../src/monitor/rules/parse-rule.ts";
import type { Rule } from "../../../../src/monitor/rules/rule.ts";
import { createConsoleStore } from "../../../../src/monitor/store/console.ts";
import { aMention } from "../../../mention.ts";
import { oddQuery } from "../../../odd-world.ts";
import { useStores } from "../../../use-stores.ts";
import { closeAt, completeUntil } from "../../ingest/close-at.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const tables = await useStores();
const { stores, database } = tables;
const facts = createConsoleStore(database.db);
let queries = 0;

function rule(name: string, lines: string): Rule {
  const read = parseRule(name, `${name}.yaml`, `description: d\nseverity: info\n${lines}\n`);
  if ("rule" in read) return read.rule;
  throw new Error(read.faults.map(({ message }) => message).join("\n"));
}

/** A query with a mention a minute since `from`, counted for the rules and judged up to noon. */
async function judged(
  rules: readonly Rule[],
  { from = NOON - HOUR, count = 60, watchFrom = NOON - 2 * DAY, until = NOON } = {},
): Promise<{
  query: Query;
  why: (minute: number, later?: readonly Rule[]) => Promise<Map<string, RuleWhy>>;
}> {
  const queryId = String(++queries);
  const query = oddQuery({ queryId, name: `Acme ${queryId}` });
  await stores.queries.register([query], watchFrom, watchFrom - DAY);
  await stores.polls.ensure(NOON - DAY);
  const page = Array.from({ length: count }, (_, i) => {
    const addedAt = from + i * MINUTE;
    const mention = aMention({
      ...{ queryId, resourceId: `q${queryId}m${i}`, addedAt, updatedAt: addedAt, publishedAt: addedAt },
      ...{
        sentiment: i % 2 === 0 ? "negative" : "neutral",
        hashtags: i === 0 ? ["strike"] : [],
        followers: 1_204,
        author: "ann",
      },
    });
    return { mention, eventAt: addedAt, story: `${queryId} ${i}` };
  });
  await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON);
  await prepareSeries(stores, query, rules);
  await completeUntil(tables, query, until);
  for (let more = true; more; ) more = (await closeAt(until, tables, query, rules)).more;
  return {
    query,
    why: async (minute, later = rules) => {
      const [found] = await whyMention({ stores, facts, rules: later }, `q${queryId}m${minute}`);
      return new Map((found?.rules ?? []).map((one) => [one.rule, one]));
    },
  };
}

type RuleWhy = Awaited<ReturnType<typeof whyMention>>[number]["rules"][number];

test("a mention rule: the first condition that was not met, another query, and a change since", async () => {
  const rules = [
    rule("large", "when: { followers: { atLeast: 50000 } }"),
    rule("elsewhere", "queries: [Beta*]\nwhen: { sentiment: negative }"),
    rule("negative", "when: { sentiment: negative }"),
  ];
  const { why } = await judged(rules);
  const found = await why(0);
  expect(found.get("large")).toMatchObject({
    outcome: "ConditionNotMet",
    because: "followers: 1,204, at least 50,000 needed: 48,796 short",
    met: false,
    alertId: null,
  });
  expect(found.get("elsewhere")).toMatchObject({ outcome: "OtherQueries" });
  expect(found.get("elsewhere")?.because).toContain("Beta*");
  // It was stored without being judged, as before the rule existed.
  expect(found.get("negative")).toMatchObject({ outcome: "ChangedSince", met: true });
  const early = await judged(rules, { watchFrom: NOON - 10 * MINUTE });
  expect((await early.why(0)).get("negative")?.outcome).toBe("BeforeWatch");
});

test("a window rule below its limit: the numbers of the nearest window that had the mention", async () => {
  const rules = [rule("many", "when: { sentiment: negative }\nvolume: { atLeast: 50, within: 30m }")];
  const { why } = await judged(rules);
  const many = (await why(20)).get("many");
  expect(many).toMatchObject({
    outcome: "LimitNotReached",
    met: true,
    missing: [{ of: "count", has: 15, needs: 50 }],
    window: { values: { count: 15, limit: 50 }, countsFrom: null },
  });
  expect(many?.because).toMatch(
    /^15 negative mentions in 30 min, at least 50 needed: 35 short \(the nearest window, until 2026-03-02 1\d:\d\d UTC\)$/,
  );
  // A neutral one is not counted at all.
  expect((await why(21)).get("many")).toMatchObject({ outcome: "ConditionNotMet", window: null });
});

test("a window rule that fired has the alert; one with `for` that ended sooner says so", async () => {
  const rules = [
    rule("some", "volume: { atLeast: 10, within: 15m }"),
    rule("patient", "volume: { atLeast: 10, within: 15m }\nfor: 4h"),
  ];
  const { why, query } = await judged(rules);
  const found = await why(30);
  const alerts = await stores.alerts.ofRule(query, "some", 0, NOON);
  expect(found.get("some")).toMatchObject({ outcome: "Alerted", alertId: alerts[0]?.id });
  expect(found.get("patient")).toMatchObject({ outcome: "ForNotReached" });
  expect(found.get("patient")?.because).toContain("240 min");
});

test("a window that cannot be known: not counted, not closed, and counts that are deleted", async () => {
  const rules = [rule("some", "volume: { atLeast: 100, within: 15m }")];
  const open = await judged(rules, { until: NOON - 45 * MINUTE });
  expect((await open.why(0)).get("some")?.outcome).toBe("LimitNotReached");
  expect((await open.why(50)).get("some")?.outcome).toBe("NotJudgedYet");
  const added = [...rules, rule("fresh", "when: { language: xx }\nvolume: { atLeast: 5, within: 15m }")];
  const other = rule("other", "when: { followers: { atLeast: 1 } }\nvolume: { atLeast: 5, within: 15m }");
  expect((await open.why(0, [...added, other])).get("other")?.outcome).toBe("NotCounted");
  await sql`delete from earshot.counts where query_id = ${open.query.queryId}`.execute(database.db);
  expect((await open.why(0)).get("some")?.outcome).toBe("CountsGone");
});

test("a rule that was still learning says what it needed then", async () => {
  const { why } = await judged([rule("wave", "spike: { atLeast: 5 }")]);
  const wave = (await why(10)).get("wave");
  expect(wave?.outcome).toBe("WarmingUp");
  expect(wave?.because).toMatch(/it needed .* more/);
});

test("a rule on new values: none, still learning, and too few authors", async () => {
  const rules = [
    rule("hashtag", "new: { what: hashtag, atLeast: 5, within: 1h, learn: 1h }"),
    rule("slow", "new: { what: author, atLeast: 5, within: 1h, learn: 7d }"),
  ];
  const { why, query } = await judged(rules, { from: NOON - 4 * HOUR, count: 240 });
  expect((await why(5)).get("hashtag")).toMatchObject({
    outcome: "NoNewValue",
    because: "it has no hashtag",
  });
  expect((await why(5)).get("slow")?.outcome).toBe("WarmingUp");
  expect((await why(0)).get("hashtag")?.outcome).toBe("WarmingUp");
  await sql`update earshot.seen_values set first_at = first_at - interval '1 day'
    where query_id = ${query.queryId} and value = ''`.execute(database.db);
  expect((await why(0)).get("hashtag")).toMatchObject({ outcome: "TooFewAuthors" });
  expect((await why(0)).get("hashtag")?.because).toContain("1 of the 5 authors that are needed: 4 short");
  await sql`update earshot.seen_values set first_at = first_at - interval '3 hours'
    where query_id = ${query.queryId} and value <> ''`.execute(database.db);
  expect((await why(0)).get("hashtag")?.outcome).toBe("ValueKnownBefore");
});
