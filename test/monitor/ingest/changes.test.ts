import { sql } from "kysely";
import { expect, test } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { pollQuery } from "../../../src/monitor/polling/poll-queries.ts";
import { aMention } from "../../mention.ts";
import { aRule } from "../rules/a-rule.ts";
import { NOON, useWalks } from "./use-polls.ts";

const { clock, db, stores, parts } = useWalks();
const LEGAL = { id: "7", name: "Legal <!channel>*risk*", parentId: null, parentName: null };

test.each([
  [
    "turns negative",
    "when: { sentiment: negative }",
    { sentiment: "neutral" },
    { sentiment: "negative" },
    "its sentiment changed from neutral to negative",
  ],
  [
    "gains a category",
    'when: { category: "Legal <!channel>*risk*" }',
    { categories: [] },
    { categories: [LEGAL] },
    "it was put into the category Legal channel risk",
  ],
  [
    "passes a reach limit",
    "when: { reach: { atLeast: 50000 } }",
    { reach: 1_000 },
    { reach: 60_000 },
    "its reach grew from 1,000 to 60,000",
  ],
] satisfies readonly [string, string, Partial<Mention>, Partial<Mention>, string][])(
  "a mention that %s is judged again, once, and the alert says what changed",
  async (_what, when, before, after, because) => {
    const rule = aRule(when);
    const first = aMention({ resourceId: "m", publishedAt: NOON, addedAt: NOON, ...before });
    const later: Mention = { ...first, ...after, updatedAt: NOON + MINUTE };
    const poll = async (mention: Mention, poll: "added" | "updated") => {
      clock.advance(2 * MINUTE);
      const used = parts({
        fetchPages: async function* () {
          yield { mentions: [mention], rejected: [], nextCursor: null, total: 1, pageSize: 10 };
        },
        rulesFor: () => [rule],
      });
      const key = { projectId: "p", queryId: "1", poll };
      return pollQuery(used, key, new AbortController().signal);
    };
    await poll(first, "added");
    expect(await stores().alerts.openOfQuery("p", "1")).toEqual([]);
    expect(await poll(later, "updated")).toMatchObject({ outcome: "Complete", added: 0, changed: 1 });
    const [alert] = await stores().alerts.openOfQuery("p", "1");
    expect(alert?.because).toMatch(new RegExp(`.+; ${because} after it was seen$`));
    // Read again, it has not changed again.
    await poll({ ...later, updatedAt: NOON + 3 * MINUTE, impressions: 9 }, "updated");
    const { rows } = await sql<{ n: number }>`select count(*) as n from earshot.matches`.execute(db());
    expect(rows[0]?.n).toBe(1);
    await sql`truncate earshot.matches, earshot.alerts, earshot.latest_alerts, earshot.alert_events`.execute(
      db(),
    );
  },
);
