import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/lib/instant.ts";
import { createAssessor } from "../../../src/monitor/ingest/assess-mention.ts";
import { judgePage } from "../../../src/monitor/ingest/judge-page.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { aMention } from "../../mention.ts";
import { aRule } from "../rules/a-rule.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const SERIES = "when: { sentiment: negative }\nvolume: { atLeast: 10, within: 1h }";
const rules = [aRule("when: { sentiment: negative }"), aRule(SERIES)];
const assess = createAssessor(rules);
/** Watched since noon, and judged up to then. */
const QUERY = { watchFrom: NOON, tickedUntil: NOON };

function judge(more: Partial<Mention>, behindMs: number) {
  const mention = aMention({ sentiment: "negative", publishedAt: null, ...more });
  const counted = new Set(assess(mention).series);
  const seenAt = NOON + 10 * MINUTE + SECOND;
  return judgePage(QUERY, counted, [{ before: null, after: assess(mention) }], { seenAt, behindMs });
}

test("a server two hours behind stamps new mentions before we began to watch: they alert all the same, as of now", () => {
  const addedAt = NOON + 10 * MINUTE - 2 * HOUR;
  const { evidence, counts } = judge({ addedAt }, 2 * HOUR);
  expect(evidence).toMatchObject([{ at: NOON + 10 * MINUTE }]);
  expect(counts).toMatchObject([{ arrived: NOON + 10 * MINUTE, bucket: NOON + 10 * MINUTE, n: 1 }]);
  // Where the clock is right, that is history.
  expect(judge({ addedAt }, 0).evidence).toEqual([]);
});

test.each([0, -2 * HOUR])("nothing arrives later than it was seen (clock known as %i behind)", (behindMs) => {
  const { evidence, counts } = judge({ addedAt: NOON + 10 * MINUTE + 2 * HOUR }, behindMs);
  expect(evidence[0]?.at).toBeLessThanOrEqual(NOON + 10 * MINUTE + SECOND);
  expect(counts).toMatchObject([{ arrived: NOON + 10 * MINUTE, bucket: NOON + 10 * MINUTE, n: 1 }]);
});

test("a mention dated tomorrow counts when it arrives", () => {
  const addedAt = NOON + 10 * MINUTE;
  expect(judge({ addedAt, publishedAt: addedAt + DAY }, 0).counts).toMatchObject([
    { arrived: addedAt, bucket: addedAt, n: 1 },
  ]);
});

test("a mention dated tomorrow that leaves a slice is subtracted where it was counted", () => {
  const addedAt = NOON + 10 * MINUTE;
  const before = aMention({ sentiment: "negative", addedAt, publishedAt: addedAt + DAY });
  const after: Mention = { ...before, sentiment: "neutral", updatedAt: addedAt + 3 * HOUR };
  const { counts } = judgePage(
    QUERY,
    new Set(assess(before).series),
    [{ before: assess(before), after: assess(after) }],
    { seenAt: after.updatedAt, behindMs: 0 },
  );
  expect(counts).toMatchObject([{ arrived: addedAt + 3 * HOUR, bucket: addedAt, n: -1 }]);
});

test("an edit names the category that a mention gained, in any script, and nothing in the name acts", () => {
  const before = aMention({ addedAt: NOON, updatedAt: NOON });
  const categories = [{ id: "1", name: "सेवा <b>*x*</b>", parentId: null, parentName: null }];
  const after: Mention = { ...before, sentiment: "negative", categories, updatedAt: NOON + MINUTE };
  const { evidence } = judgePage(QUERY, new Set(), [{ before: assess(before), after: assess(after) }], {
    ...{ seenAt: NOON + MINUTE, behindMs: 0 },
  });
  expect(JSON.stringify(evidence)).toContain("it was put into the category सेवा b x b after it was seen");
});
