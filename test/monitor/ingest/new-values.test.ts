import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import { closeWindows } from "../../../src/monitor/ingest/close-windows.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { pollQuery } from "../../../src/monitor/polling/poll-queries.ts";
import { rulesWarmingUp } from "../../../src/monitor/polling/read-coverage.ts";
import type { Rule } from "../../../src/monitor/rules/rule.ts";
import { createConsoleStore } from "../../../src/monitor/store/console.ts";
import { aMention } from "../../mention.ts";
import { aRule } from "../rules/a-rule.ts";
import { NOBODY, NOON, useWalks } from "./use-polls.ts";

const { clock, db, stores, parts, due } = useWalks();
const KEY = { projectId: "p", queryId: "1", poll: "added" } as const;

beforeEach(async () => {
  await sql`truncate earshot.seen_values, earshot.alerts, earshot.latest_alerts, earshot.alert_events`.execute(
    db(),
  );
});

/** One page that brings these mentions, once the newest has arrived. */
async function poll(rule: Rule | null, mentions: readonly Mention[]): Promise<readonly Alert[]> {
  clock.set(Math.max(...mentions.map(({ addedAt }) => addedAt)) + MINUTE);
  await due();
  const page = { mentions, rejected: [], nextCursor: null, total: mentions.length, pageSize: 5_000 };
  const used = parts({
    fetchPages: async function* () {
      yield page;
    },
    rulesFor: () => (rule === null ? [] : [rule]),
    // Every page may bring old mentions again: the polls ask for them.
    settings: () => ({
      overlapMs: 30 * DAY,
      settleMs: 0,
      lookbackMs: 30 * DAY,
      historyFrom: NOON - 30 * DAY,
    }),
  });
  expect(await pollQuery(used, KEY, new AbortController().signal)).toMatchObject({ outcome: "Complete" });
  return stores().alerts.openOfQuery("p", "1");
}

/** Judges what has closed by now, as the tick does. */
async function close(rule: Rule): Promise<void> {
  await closeWindows({ store: stores(), rulesFor: () => [rule], notifyConfig: NOBODY, clock }, KEY);
}

/** A mention a minute from `from` on, one for each of these facts. */
function said(from: Instant, ...facts: readonly Partial<Mention>[]): Mention[] {
  return facts.map((one, i) => {
    const addedAt = from + i * MINUTE;
    return aMention({ resourceId: `m${addedAt}`, author: `reader ${addedAt}`, addedAt, ...one });
  });
}

const times = <T>(n: number, one: T): T[] => Array.from({ length: n }, () => one);

test("a mention that is deleted leaves nothing in what a rule on new values has seen", async () => {
  const rule = aRule("new: { what: domain, atLeast: 4, learn: 6h }");
  const seen = async () =>
    (await sql`select * from earshot.seen_values order by series, value`.execute(db())).rows;
  await poll(rule, said(NOON - DAY, ...times(6, { domain: "news.example" })));
  const before = await seen();
  expect(before.length).toBeGreaterThan(0);
  const [known, fresh] = said(NOON, { domain: "news.example" }, { domain: "gone.example" });
  if (known === undefined || fresh === undefined) throw new Error("there are two");
  await poll(rule, [known, fresh]);
  expect(await seen()).not.toEqual(before);
  await poll(
    rule,
    [known, fresh].map((one) => ({ ...one, addedAt: NOON + HOUR, updatedAt: NOON + HOUR, isDeleted: true })),
  );
  expect(await seen()).toEqual(before);
});

describe("a domain never seen before that is already large", () => {
  const rule = aRule("new: { what: domain, atLeast: 4, learn: 6h }");
  const usual = (from: Instant) => said(from, ...times(6, { domain: "news.example" }));

  test("alerts once, by its name, with the author that makes it large, and grows from page to page", async () => {
    expect(await poll(rule, usual(NOON - DAY))).toEqual([]);
    const scoop = { domain: "Scoop.example" };
    expect(await poll(rule, [...usual(NOON), ...said(NOON + HOUR, ...times(3, scoop))])).toEqual([]);
    const [alert, ...others] = await poll(rule, said(NOON + 2 * HOUR, { domain: "scoop.example" }));
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      labels: { query: "Query 1", domain: "scoop.example" },
      because: "a domain never seen here before: 4 authors in 1 h. None in the 25 h before.",
      openedAt: NOON + 2 * HOUR,
      mentions: 4,
    });
    const later = await poll(rule, said(NOON + 3 * HOUR, ...times(2, scoop)));
    expect(later.map(({ id, mentions }) => [id, mentions])).toEqual([[alert?.id, 6]]);
  });

  test("is none where one author links it however often, nor one of before that comes back", async () => {
    await poll(rule, [...usual(NOON - DAY), ...said(NOON - DAY + HOUR, { domain: "old.example" })]);
    const spam = times(40, { domain: "buy.example", author: "bot" });
    const back = times(40, { domain: "old.example" });
    expect(await poll(rule, [...said(NOON, ...spam), ...said(NOON + HOUR, ...back)])).toEqual([]);
  });

  test("is looked for once the query is known long enough, which the coverage shows", async () => {
    const learning = async () =>
      (await rulesWarmingUp(createConsoleStore(db()), [rule])).map(
        ({ queryId, kind, counts, until, needs }) => [queryId, kind, counts, until, needs],
      );
    expect(await learning()).toEqual([
      ["1", "new domain", "mentions", null, "a first mention that it counts"],
    ]);
    const from = NOON - DAY;
    await poll(rule, usual(from));
    await close(rule);
    expect(await learning()).toEqual([["1", "new domain", "mentions", from + 6 * HOUR, "5 h 55 min more"]]);
    await poll(rule, usual(from + 6 * HOUR));
    await close(rule);
    expect(await learning()).toEqual([]);
  });

  test("is none while the query is hardly known, nor where the source names no domain", async () => {
    const strangers = times(8, { domain: "first.example" });
    expect(await poll(rule, said(NOON - DAY, ...strangers))).toEqual([]);
    expect(await poll(rule, said(NOON, ...times(8, { domain: null })))).toEqual([]);
  });

  test("is none while one mention with a date of years ago is all that makes the query old", async () => {
    const old = { domain: "news.example", publishedAt: NOON - 3_000 * DAY };
    await poll(rule, said(NOON - DAY, old, ...times(8, { domain: "first.example" })));
    expect(await stores().alerts.openOfQuery("p", "1")).toEqual([]);
  });

  test("is none that an import brings long after it was new", async () => {
    await poll(rule, usual(NOON - 20 * DAY));
    const publishedAt = NOON - 10 * DAY;
    const old = said(NOON, ...times(8, { domain: "then.example", publishedAt }));
    expect(
      await poll(rule, [...old, ...said(NOON + HOUR, ...times(8, { domain: "now.example" }))]),
    ).toMatchObject([{ labels: { domain: "now.example" } }]);
  });

  test("was seen while the rule was away: it is not new when the rule comes back", async () => {
    await poll(rule, usual(NOON - DAY));
    await poll(null, said(NOON - 12 * HOUR, { domain: "slow.example" }));
    await poll(rule, usual(NOON));
    const loud = said(
      NOON + DAY,
      ...times(8, { domain: "slow.example" }),
      ...times(4, { domain: "new.example" }),
    );
    const alerts = await poll(rule, loud);
    expect(alerts.map(({ labels }) => labels["domain"])).toEqual(["new.example"]);
  });
});

describe("an author never seen before with many mentions", () => {
  const rule = aRule("when: { sentiment: negative }\nnew: { what: author, atLeast: 5, learn: 6h }");
  const angry = { sentiment: "negative" } as const;
  const usual = (from: Instant) => said(from, ...["ann", "bo", "cy"].map((author) => ({ ...angry, author })));

  test("alerts once, by the name, with so many mentions of that author", async () => {
    expect(await poll(rule, usual(NOON - DAY))).toEqual([]);
    const troll = { ...angry, author: "Trøll" };
    const [alert, ...others] = await poll(rule, [
      ...usual(NOON),
      ...said(NOON + HOUR, ...times(5, troll)),
      ...said(NOON + 2 * HOUR, ...times(3, { ...angry, author: "TRØLL" })),
    ]);
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      because: expect.stringMatching(/^an author never seen here before: 5 mentions in 5 min\. /),
      openedAt: NOON + HOUR + 4 * MINUTE,
      mentions: 8,
    });
    expect(alert?.labels["author"]).toMatch(/^tr.ll$/);
  });

  test("is counted by mentions of the slice only, each once, in whichever page it comes again", async () => {
    await poll(rule, usual(NOON - DAY));
    const kind = said(NOON, ...times(20, { author: "fan", sentiment: "positive" as const }));
    const four = said(NOON + HOUR, ...times(4, { ...angry, author: "fan" }));
    expect(await poll(rule, [...kind, ...four])).toEqual([]);
    expect(await poll(rule, [...kind, ...four])).toEqual([]);
    expect(await poll(rule, said(NOON + 2 * HOUR, { ...angry, author: "fan" }))).toMatchObject([
      { labels: { author: "fan" }, mentions: 5 },
    ]);
  });

  test("is nobody if the source withholds the author, and the full name if it withholds the handle", async () => {
    await poll(rule, usual(NOON - DAY));
    const nobody = times(20, { ...angry, author: null, authorName: null });
    const named = times(5, { ...angry, author: null, authorName: "Ann <b>Lee</b>" });
    const alerts = await poll(rule, [...said(NOON, ...nobody), ...said(NOON + HOUR, ...named)]);
    expect(alerts.map(({ labels }) => labels["author"])).toEqual(["ann <b>lee</b>"]);
  });

  test("is new for a day only: an author who writes now and then is never large", async () => {
    await poll(rule, usual(NOON - DAY));
    for (let day = 0; day < 6; day++)
      expect(await poll(rule, said(NOON + day * DAY, ...times(2, { ...angry, author: "guest" })))).toEqual(
        [],
      );
  });
});
