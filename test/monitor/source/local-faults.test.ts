import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createLocalApi, type LocalApi } from "../../../src/listening-api/create-local-api.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import type { FaultKind } from "../../../src/listening-api/store/fault-kinds.ts";
import { deleteFaults, insertFault } from "../../../src/listening-api/store/faults.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { createMemoryTokenStore } from "../../../src/monitor/source/session.ts";
import { createSourceClient, type SourceClient } from "../../../src/monitor/source/source-client.ts";
import type { SourceError } from "../../../src/monitor/source/source-error.ts";
import {
  type Fixture,
  mentionVersion,
  resourceId,
  SEED,
  startFixture,
  T0,
} from "../../listening-api/fixture.ts";
import { failure } from "./connect.ts";

let fixture: Fixture;
let served: LocalApi;
let client: SourceClient;
let params: Parameters<SourceClient["mentionsPage"]>[0];

beforeAll(async () => {
  fixture = await startFixture();
  const { pool } = fixture.database;
  const queryId = fixture.account.queries.get("Alpha") ?? 0;
  const versions = Array.from({ length: 7 }, (_, n) =>
    mentionVersion({ queryId, resourceId: resourceId(n) }, { added: T0 - 60_000 + n }),
  );
  await insertMentions(createDatabase(pool), versions);
  const log = { info() {}, warn() {}, error() {} };
  served = createLocalApi({ pool, clock: fixture.clock, log, signingSecret: "for tests", strict: true });
  client = createSourceClient({
    baseUrl: await served.listen({ host: "127.0.0.1", port: 0 }),
    credentials: { ...SEED.user, clientId: "earshot-api-client" },
    tokens: createMemoryTokenStore(),
    timeoutMs: 5_000,
  });
  params = {
    projectId: String(fixture.account.projectId),
    queryIds: [String(queryId)],
    startDate: T0 - 86_400_000,
    endDate: T0,
    pageSize: 3,
  };
  await client.projects();
});
afterAll(async () => {
  await client.close();
  await served.close();
  await fixture.stop();
});
afterEach(() => deleteFaults(createDatabase(fixture.database.pool)));

function fail(kind: FaultKind, amount: number | null = null, remaining: number | null = 1) {
  const path = "data/mentions";
  return insertFault(createDatabase(fixture.database.pool), {
    kind,
    amount,
    path,
    probability: 1,
    remaining,
  });
}

test.each<[FaultKind, number | null, Partial<SourceError>]>([
  ["429", 7_000, { kind: "rate-limited", retryable: true, retryAfterMs: 7_000 }],
  ["429", null, { kind: "rate-limited", retryable: true }],
  ["500", null, { kind: "unavailable", retryable: true, code: "internal_error" }],
  ["502", null, { kind: "unavailable", retryable: true, status: 502 }],
  ["503", null, { kind: "unavailable", retryable: true, status: 503 }],
  ["truncated", null, { kind: "malformed", retryable: true }],
  ["dropped", null, { kind: "network", status: null, retryable: true }],
  ["hang-up", null, { kind: "network", retryable: true }],
])(
  "the local API's %s (%s) is reported as what it is, and the next call works",
  async (kind, amount, expected) => {
    await fail(kind, amount);
    expect(await failure(client.mentionsPage(params))).toMatchObject(expected);
    expect((await client.mentionsPage(params)).mentions).toHaveLength(3);
  },
);

test("a token that the service takes back is renewed within the call", async () => {
  await fail("token-revoked");
  expect((await client.mentionsPage(params)).mentions).toHaveLength(3);
});

test.each<FaultKind>(["duplicates", "cursor-ends", "wrong-total"])(
  "a poll sees every mention in spite of %s",
  async (kind) => {
    await fail(kind, null, null);
    const ids = new Set<string>();
    for await (const page of client.mentions(params))
      for (const mention of page.mentions) ids.add(mention.resourceId);
    expect(ids.size).toBe(7);
  },
);
