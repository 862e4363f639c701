import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import { prepareSeries } from "../../../src/monitor/ingest/prepare-series.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { pollQuery } from "../../../src/monitor/polling/poll-queries.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { aWindowRule } from "../rules/a-rule.ts";
import { NOON, useWalks } from "./use-polls.ts";

const { clock, db, stores, parts, due } = useWalks();
const RULES = [
  aWindowRule("when: { sentiment: negative }\nvolume: { atLeast: 1000, within: 1h, count: stories }"),
];
const NEWS =
  "Northwind Airlines will cancel two hundred flights this weekend because of a shortage of pilots, the carrier said on Friday.";
const OTHER =
  "Northwind Airlines has lost the luggage of a whole plane again, and nobody at the desk knows where any of it may be.";

beforeEach(async () => {
  await sql`truncate earshot.distinct_authors, earshot.story_texts`.execute(db());
});

/** One after the other, so that each is a page of its own; `changed` ones come with a newer date of change. */
async function read(...mentions: readonly Mention[]): Promise<void> {
  for (const mention of mentions) {
    clock.set(Math.max(clock.now(), mention.updatedAt) + 1);
    await due();
    const page = { mentions: [mention], rejected: [], nextCursor: null, total: 1, pageSize: 5_000 };
    const used = parts({
      fetchPages: async function* () {
        yield page;
      },
      rulesFor: () => RULES,
    });
    const key = { projectId: "p", queryId: "1", poll: "added" } as const;
    expect(await pollQuery(used, key, new AbortController().signal)).toMatchObject({ outcome: "Complete" });
  }
}

async function counted(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select coalesce(sum(n), 0)::int as n from earshot.counts`.execute(
    db(),
  );
  return rows[0]?.n ?? 0;
}

function said(resourceId: string, text: string, more: Partial<Mention> = {}): Mention {
  const at = NOON - 30 * MINUTE;
  return aMention({
    queryId: "1",
    resourceId,
    text,
    sentiment: "negative",
    publishedAt: at,
    addedAt: at,
    updatedAt: at,
    ...more,
  });
}

test("texts that differ in a word are one story for a rule that counts stories, as they are elsewhere", async () => {
  await read(
    said("a", NEWS),
    said("b", NEWS.replace("shortage", "lack")),
    said("c", `BREAKING: ${NEWS}`),
    said("d", OTHER),
  );
  expect(await counted()).toBe(2);
});

test("a changed mention is subtracted from its story, and a recount of what is stored agrees", async () => {
  const reworded = NEWS.replace("shortage", "lack");
  await read(said("a", NEWS), said("b", reworded));
  expect(await counted()).toBe(1);
  // The first leaves the slice; the second stays in the story alone, until it leaves it too.
  await read(said("a", NEWS, { sentiment: "neutral", updatedAt: NOON }));
  expect(await counted()).toBe(1);
  await read(said("b", reworded, { sentiment: "neutral", updatedAt: NOON }));
  expect(await counted()).toBe(0);
  await read(said("b", OTHER, { updatedAt: NOON + MINUTE }), said("e", reworded), said("f", NEWS));
  expect(await counted()).toBe(2);

  const query = oddQuery({ name: "Query 1" });
  await prepareSeries(stores(), query, []);
  expect(await prepareSeries(stores(), query, RULES)).toBe(1);
  expect(await counted()).toBe(2);
});
