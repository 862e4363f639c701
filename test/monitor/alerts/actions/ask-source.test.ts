import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../../src/lib/instant.ts";
import { createDatabase } from "../../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../../src/listening-api/store/insert-mentions.ts";
import { whyText, whyUnreadMention } from "../../../../src/monitor/explain/ask-source.ts";
import type { WhyParts } from "../../../../src/monitor/explain/why.ts";
import { createMemoryTokenStore } from "../../../../src/monitor/source/session.ts";
import { createSourceClient, type SourceClient } from "../../../../src/monitor/source/source-client.ts";
import { SourceError } from "../../../../src/monitor/source/source-error.ts";
import { createConsoleStore } from "../../../../src/monitor/store/console.ts";
import {
  type Fixture,
  mentionVersion,
  resourceId,
  SEED,
  startFixture,
  T0,
} from "../../../listening-api/fixture.ts";
import { useStores } from "../../../use-stores.ts";
import { completeUntil } from "../../ingest/close-at.ts";
import { aRule } from "../../rules/a-rule.ts";

const tables = await useStores();
let fixture: Fixture;
let client: SourceClient;
let parts: WhyParts;
const rule = aRule("when: { followers: { atLeast: 50000 } }");

/** The local API with two queries, both watched, and read completely up to an hour ago. */
beforeAll(async () => {
  fixture = await startFixture({
    ...SEED,
    queries: [
      { name: "Refunds", text: "acme AND refund" },
      { name: "Acme", text: "acme" },
    ],
  });
  client = createSourceClient({
    baseUrl: await fixture.api.listen({ host: "127.0.0.1", port: 0 }),
    credentials: {
      username: SEED.user.username,
      password: SEED.user.password,
      clientId: "earshot-api-client",
    },
    tokens: createMemoryTokenStore(),
  });
  const projectId = String(fixture.account.projectId);
  const queries = [...fixture.account.queries].map(([name, id]) => ({
    ...{ projectId, queryId: String(id), name, projectName: "Brands", timezone: "UTC" },
  }));
  await tables.stores.queries.register(queries, T0 - DAY, T0 - 2 * DAY);
  await tables.stores.polls.ensure(T0 + MINUTE);
  for (const query of queries) await completeUntil(tables, query, T0 - HOUR);
  const acme = {
    queryId: fixture.account.queries.get("Acme") ?? 0,
    snippet: "Acme is late",
    twitterFollowers: 1_204,
  };
  await insertMentions(createDatabase(fixture.database.pool), [
    mentionVersion(
      { ...acme, resourceId: resourceId(1), originalUrl: "https://x.example/1" },
      { added: T0 - MINUTE },
    ),
    mentionVersion({ ...acme, resourceId: resourceId(2) }, { added: T0 - 20 * DAY }),
    mentionVersion({ ...acme, resourceId: resourceId(3) }, { added: T0 - 2 * HOUR, visibleAt: T0 + HOUR }),
  ]);
  parts = {
    ...{ stores: tables.stores, facts: createConsoleStore(tables.database.db), rules: [rule] },
    ...{ source: client.extensions, now: () => T0, keptFrom: T0 - 400 * DAY, historyMs: () => DAY },
  };
});
afterAll(async () => {
  await client.close();
  await fixture.stop();
});

const outcomes = async (text: string, given: WhyParts = parts) => {
  const found = await whyUnreadMention(given, text);
  return Object.fromEntries(found.queries.map((one) => [one.queryName, one]));
};

test("a mention that is in one query and not read yet: the other query's failed term, and what the rules will say", async () => {
  const found = await whyUnreadMention(parts, "https://x.example/1");
  expect(found.queries).toMatchObject([
    { queryName: "Acme", outcome: "NotYetPolled" },
    { queryName: "Refunds", outcome: "NotInQuery", part: "refund" },
  ]);
  expect(found.queries[0]?.because).toContain(
    "since 2026-03-03 11:59 UTC, and not read yet: all up to 2026-03-03 11:00 UTC is read",
  );
  expect(found.queries[1]?.because).toBe("it is not in the query: refund is not in the text");
  expect(found.rules).toEqual([
    {
      rule: "a-rule",
      kind: "mention",
      met: false,
      because: "followers: 1,204, at least 50,000 needed: 48,796 short",
    },
  ]);
});

test("older than the history, shown later by the source, beyond retention, and unknown", async () => {
  expect((await outcomes(resourceId(2)))["Acme"]?.outcome).toBe("BeforeHistory");
  expect((await outcomes(resourceId(2), { ...parts, keptFrom: T0 - DAY }))["Acme"]?.outcome).toBe(
    "BeyondRetention",
  );
  expect((await outcomes(resourceId(3)))["Acme"]?.outcome).toBe("NotShownYet");
  expect((await outcomes(resourceId(9)))["Acme"]?.outcome).toBe("NotAtSource");
});

test("a mention that could not be stored has the reason of its dead letter", async () => {
  const [query] = await tables.stores.queries.active();
  const letter = { resourceId: resourceId(7), reason: "neither added nor date is a moment" };
  await tables.stores.coverage.deadLetters(query?.projectId ?? "", query?.queryId ?? "", T0, [letter]);
  const found = (await outcomes(resourceId(7)))[query?.name ?? ""];
  expect(found).toMatchObject({ outcome: "NotStorable" });
  expect(found?.because).toContain(letter.reason);
});

test("a text that somebody pastes: which queries find it, and which rules it meets", async () => {
  const found = await whyText(parts, "Acme jobs", null);
  expect(found.queries.map(({ queryName, because }) => [queryName, because])).toEqual([
    ["Acme", "the query finds this text"],
    ["Refunds", "refund is not in the text"],
  ]);
  expect(found.rules?.[0]?.because).toContain("not known, because the source does not say");
  expect((await whyText(parts, "acme refund", "refunds")).queries).toHaveLength(1);
});

test("without a source, or one that cannot be reached, what is known here is said", async () => {
  const { source: _, ...unasked } = parts;
  expect((await outcomes(resourceId(9), unasked))["Acme"]?.because).toContain("The source was not asked");
  const away = createSourceClient({
    ...{ baseUrl: "http://127.0.0.1:9", tokens: createMemoryTokenStore() },
    credentials: { username: "x", password: "x", clientId: "x" },
  });
  const found = (await outcomes(resourceId(9), { ...parts, source: away.extensions }))["Acme"];
  await away.close();
  expect(found).toMatchObject({ outcome: "SourceCannotSay" });
  expect(found?.because).toMatch(/The source could not be asked: .*all up to 2026-03-03 11:00 UTC is read/);
});

test("a source that does not explain its queries knows them all the same, also those that do not show the mention", async () => {
  const refused = async () => {
    throw new SourceError({ kind: "not-found", call: "explain", message: "no such call", retryable: false });
  };
  const source = { ...client.extensions, explainQueries: refused };
  const found = await outcomes("https://x.example/1", { ...parts, source });
  expect(found["Acme"]?.outcome).toBe("NotYetPolled");
  expect(found["Refunds"]).toMatchObject({ outcome: "SourceCannotSay" });
  expect(found["Refunds"]?.because).toContain("The source shows it in the query Acme, and explains no other");
});
