import { afterEach, beforeEach, expect, test } from "vitest";
import { rss } from "../../../src/feeds/kinds/rss.ts";
import { toArrived } from "../../../src/feeds/run/to-arrived.ts";
import { receiveItems } from "../../../src/listening-api/arrive/receive-items.ts";
import { tombstoneMentions } from "../../../src/listening-api/arrive/tombstone-mentions.ts";
import type { MentionCondition } from "../../../src/listening-api/filters/mention-condition.ts";
import { createRecordViews } from "../../../src/listening-api/records/record-view.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { MENTION_ORDERS } from "../../../src/listening-api/store/mention-orders.ts";
import { createMentionPages, type PageRequest } from "../../../src/listening-api/store/mention-page.ts";
import { createMentionRecords } from "../../../src/listening-api/store/mention-records.ts";
import { noEnrichment } from "../../feeds/no-enricher.ts";
import { type Fixture, SEED, startFixture, T0 } from "../fixture.ts";

/** A page is read in two steps: which mentions it has, then what is in them. A writer may come between. */

let fixture: Fixture;
let db: Database;
beforeEach(async () => {
  fixture = await startFixture({ ...SEED, queries: [{ name: "Water", text: "water" }] });
  db = createDatabase(fixture.database.pool);
});
afterEach(() => fixture.stop());

const LATER = T0 + 1_000;

async function receive(texts: Readonly<Record<string, string>>, at: number): Promise<void> {
  const arrived = Object.entries(texts).flatMap(([id, text]) => {
    const found = { id, url: `https://blog.example/${id}`, title: null, body: { text } };
    const around = { kind: { ...rss, editedEveryMs: 0 }, fetchedAt: at, keepFrom: 0, enrich: noEnrichment };
    const { item } = toArrived({ ...found, publishedAt: null, author: null }, around);
    return item === null ? [] : [item];
  });
  const project = { id: fixture.account.projectId, timezone: "Etc/UTC" };
  const from = { kind: "rss", feedKey: "k", host: "blog.example", policyVersion: 1 };
  const arriving = { at, cache: new Map(), queue: async () => {} };
  await db
    .transaction()
    .execute((own) => receiveItems(own, project, from, { arrived, deleted: [] }, arriving));
}

const forget = (ids: readonly string[]) =>
  db
    .transaction()
    .execute((own) =>
      tombstoneMentions(own, fixture.account.projectId, ids, { at: LATER, reason: "asked to" }),
    );

function request(order: string, conditions: readonly MentionCondition[] = []): PageRequest {
  const found = MENTION_ORDERS.get(order);
  if (found === undefined) throw new Error(order);
  const range = { queryIds: [...fixture.account.queries.values()], from: 0, to: T0 * 2, conditions };
  return { range, order: found, at: LATER, direction: "asc", limit: 10, offset: 0 };
}

/** What the page shows if the writer works between its two steps. */
async function shownWhile(asked: PageRequest, write: (ids: readonly string[]) => Promise<unknown>) {
  await receive({ one: "water 1", two: "water 2", three: "water 3" }, T0);
  const rows = await createMentionPages(db).read(asked);
  expect(rows).toHaveLength(3);
  await write(rows.map(({ position }) => position.resourceId));
  const view = createRecordViews().of({ version: "current", text: "full", policy: "full" });
  const shown: Record<string, unknown>[] = [];
  for await (const some of createMentionRecords(db).read(rows, view, asked))
    for (const record of some) shown.push(JSON.parse(record));
  const ids = rows.map(({ position }) => position.resourceId);
  expect(shown.map(({ resourceId }) => ids.indexOf(String(resourceId)))).toEqual(
    shown.map(({ resourceId }) => ids.indexOf(String(resourceId))).sort(),
  );
  return shown;
}

const textsOf = (shown: readonly Record<string, unknown>[]) => shown.map((one) => one["fullText"]).sort();

test("a page has a mention whose author changes its text while the page is read", async () => {
  const shown = await shownWhile(request("added"), () => receive({ two: "other water" }, LATER));
  expect(textsOf(shown)).toEqual(["other water", "water 1", "water 3"]);
});

test("a page has a mention that is forgotten while the page is read, without its text", async () => {
  const shown = await shownWhile(request("added"), (ids) => forget(ids.slice(0, 2)));
  expect(shown.map(({ resourceType }) => resourceType === "deleted")).toEqual([true, true, false]);
  expect(JSON.stringify(shown.slice(0, 2))).not.toContain("water");
});

test("a page leaves out a mention that a change takes out of what was asked for", async () => {
  const untouched: MentionCondition = { kind: "before", field: "updated", at: LATER };
  const shown = await shownWhile(request("added", [untouched]), () => receive({ two: "other water" }, LATER));
  expect(textsOf(shown)).toEqual(["water 1", "water 3"]);
});

test("where changes are followed, a mention that is changed meanwhile waits for its new place", async () => {
  const shown = await shownWhile(request("updated"), () => receive({ two: "other water" }, LATER));
  expect(textsOf(shown)).toEqual(["water 1", "water 3"]);
  const next = await createMentionPages(db).read({
    ...request("updated", [{ kind: "after", field: "updated", at: T0 }]),
  });
  expect(next.map(({ position }) => position.key)).toEqual([String(LATER)]);
});
