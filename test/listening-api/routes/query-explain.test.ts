import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { lockReceivedQuery } from "../../../src/listening-api/store/received-items.ts";
import { type Fixture, mentionVersion, resourceId, SEED, startFixture, T0 } from "../fixture.ts";
import { send } from "../send.ts";

let fixture: Fixture;
let path: string;

beforeAll(async () => {
  fixture = await startFixture({
    ...SEED,
    queries: [
      { name: "Refunds", text: "acme AND refund" },
      { name: "Acme", text: "acme NOT jobs" },
      { name: "Some of it", text: "acme", samplePercentage: 1 },
      { name: "By name" },
    ],
  });
  path = `/projects/${fixture.account.projectId}/queries/explain`;
  const queryId = fixture.account.queries.get("Acme") ?? 0;
  const fields = { queryId, snippet: "Acme is late", pageType: "linkedin", language: "en" };
  await insertMentions(createDatabase(fixture.database.pool), [
    mentionVersion(
      { ...fields, resourceId: resourceId(1), originalUrl: "https://x.example/1" },
      { added: T0 - DAY },
    ),
    mentionVersion({ ...fields, resourceId: resourceId(2) }, { added: T0 - HOUR, visibleAt: T0 + HOUR }),
  ]);
});
afterAll(() => fixture.stop());

// biome-ignore lint/suspicious/noExplicitAny: read as JSON
const byName = (body: any) => Object.fromEntries(body.queries.map((query: any) => [query.name, query]));

test("a mention of one query is explained for all queries of the project, by id and by address", async () => {
  for (const by of [["resourceId", resourceId(1)] as const, ["url", "https://x.example/1"] as const]) {
    const { status, body } = await fixture.get(path, [by]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ known: true, resourceId: resourceId(1), withheld: [] });
    const queries = byName(body);
    expect(queries["Acme"]).toMatchObject({ outcome: "InQuery", added: "2026-03-02T12:00:00.000+0000" });
    expect(queries["Refunds"]).toMatchObject({
      outcome: "TextDiffers",
      message: "refund is not in the text.",
      miss: { kind: "missing", part: "refund", start: 9, end: 15 },
    });
    expect(queries["Some of it"].outcome).toBe("NotInSample");
    expect(queries["By name"].outcome).toBe("NoText");
  }
});

test("a mention that is not shown yet, and one that nobody has", async () => {
  const delayed = byName((await fixture.get(path, [["resourceId", resourceId(2)]])).body);
  expect(delayed["Acme"]).toMatchObject({ outcome: "Delayed", visibleAt: "2026-03-03T13:00:00.000+0000" });
  const { body } = await fixture.get(path, [["resourceId", resourceId(9)]]);
  expect(body).toMatchObject({ known: false, resourceId: null });
  expect(byName(body)["Acme"].outcome).toBe("Unknown");
});

test("what the data policy withholds is named", async () => {
  await fixture.database.pool.query("update local_api.project set data_policy = 'restricted'");
  const { body } = await fixture.get(path, [["resourceId", resourceId(1)]]);
  expect(body.withheld).toEqual(["title", "fullText"]);
  await fixture.database.pool.query("update local_api.project set data_policy = null");
});

test("a text is explained that is no mention, however long; without a question the answer is 400", async () => {
  const { body } = await fixture.get(path, [["text", "Acme jobs"]]);
  expect(byName(body)["Acme"]).toMatchObject({
    outcome: "TextDiffers",
    miss: { kind: "excluded", part: "jobs" },
  });
  expect(byName(body)["Some of it"].outcome).toBe("Matches");
  const authorization = `bearer ${fixture.token}`;
  const long = await send(fixture.api, {
    method: "POST",
    url: path,
    headers: { authorization },
    payload: { text: `acme ${"word ".repeat(20_000)} refund`, language: "en" },
  });
  expect(byName(long.body)["Refunds"].outcome).toBe("Matches");
  expect((await fixture.get(path)).status).toBe(400);
});

test("an item of a feed that came into no query is explained, too", async () => {
  const db = createDatabase(fixture.database.pool);
  const queryId = await db
    .transaction()
    .execute((transaction) => lockReceivedQuery(transaction, fixture.account.projectId));
  const fields = { queryId, snippet: "Jobs at Acme Corp", pageType: "blog", language: "en" };
  const originalUrl = "https://jobs.example/7";
  await insertMentions(db, [
    mentionVersion({ ...fields, resourceId: resourceId(7), originalUrl }, { added: T0 - DAY }),
  ]);
  const { body } = await fixture.get(path, [["url", originalUrl]]);
  expect(body).toMatchObject({ known: true, resourceId: resourceId(7) });
  expect(byName(body)["Acme"]).toMatchObject({ outcome: "TextDiffers", miss: { part: "jobs" } });
  expect(Object.keys(byName(body))).not.toContain("received items");
});
