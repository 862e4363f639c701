import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { createLocalApi, type LocalApi } from "../../src/listening-api/create-local-api.ts";
import { TOPICS } from "../../src/listening-api/simulate/data.ts";
import { generateHour } from "../../src/listening-api/simulate/generate-hour.ts";
import { generatedVersions } from "../../src/listening-api/simulate/generated-mention.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { putTag } from "../../src/listening-api/store/labels.ts";
import { putQueryGroup } from "../../src/listening-api/store/query-groups.ts";
import { createSavedList } from "../../src/listening-api/store/saved-lists.ts";
import { type Fixture, mentionVersion, SEED, startFixture, T0 } from "../listening-api/fixture.ts";
import { checkRow } from "./check-row.ts";
import { PARTS } from "./parts.ts";
import { createSubject, type Subject } from "./subject.ts";

const HOUR = 3_600_000;
const BRANDS = ["Parcelwing", "Lumabox", "Hearthly", "Velorra"];

/** Says something in every field that holds objects. */
const RICH = {
  resourceId: "f".repeat(32),
  snippet: "Parcelwing lost it again",
  matchPositions: [{ start: 0, text: "Parcelwing", length: 10 }],
  classifications: [{ classifierId: "emotions", labelId: "Sadness", name: "Sadness", confidence: 0.9 }],
  entityInfo: [{ entityConfidence: "HIGH", entityId: 7, url: "https://example.org/entity/7" }],
  professions: [{ profession: "Journalist", jobTitle: "Editor" }],
  imageInfo: [
    {
      url: "https://img.example/1.jpg",
      imageDimensions: { height: 10, width: 20 },
      dominantColor: "red",
      objects: [{ id: "van", confidence: 0.8 }],
      scenes: [],
      logoImagesGroupId: 1,
    },
  ],
};

let fixture: Fixture;
let served: LocalApi;
let subject: Subject;

beforeAll(async () => {
  fixture = await startFixture({
    ...SEED,
    client: { name: "Acme", tags: { "ratelimit.limit": "100000", "ratelimit.period": "10" } },
    queries: [...BRANDS.map((name) => ({ name })), { name: "Channel", type: "twitter" as const }],
    categories: [{ name: "Topics", children: TOPICS }],
  });
  await fill();
  const accounts = await otherAccounts();
  const { clock, database } = fixture;
  const log = { info() {}, warn() {}, error() {} };
  served = createLocalApi({ pool: database.pool, clock, log, signingSecret: "for tests" });
  subject = createSubject({
    ...SEED.user,
    baseUrl: await served.listen({ host: "127.0.0.1", port: 0 }),
    clientId: "earshot-api-client",
    startDate: "2026-02-01",
    endDate: "2026-03-04",
    patienceMs: 0,
    wait: async () => {},
    accounts,
  });
});
afterAll(async () => {
  await served?.close();
  await fixture?.stop();
});

/** A day of the generated stream, some of it tagged, a group, and lists. */
async function fill(): Promise<void> {
  const db = createDatabase(fixture.database.pool);
  const { clientId, projectId, userId, queries, categories } = fixture.account;
  const tag = { id: await putTag(db, projectId, "answered"), name: "answered" };
  const [topics] = categories;
  const details = (topics?.children ?? []).flatMap((child) => {
    const topic = TOPICS.find((name) => name === child.name);
    const parent = { parentId: String(topics?.id), parentName: String(topics?.name) };
    return topic === undefined
      ? []
      : [[topic, { id: String(child.id), name: child.name, ...parent }] as const];
  });
  const targets = { queries, categories: new Map(details) };
  for (let hour = T0 - 24 * HOUR; hour < T0; hour += HOUR) {
    const versions = generateHour("conformance", hour, { crises: [] })
      .flatMap((mention) => generatedVersions("conformance", mention, targets))
      .map((version) =>
        version.record.resourceId.startsWith("a")
          ? { ...version, record: { ...version.record, tags: [tag.name] }, tagIds: [tag.id] }
          : version,
      );
    await insertMentions(db, versions);
  }
  const queryId = queries.get("Parcelwing") ?? 0;
  const rich = mentionVersion({ queryId, queryName: "Parcelwing", ...RICH }, { added: T0 - HOUR });
  await insertMentions(db, [rich]);
  await putQueryGroup(db, { projectId, name: "All", queryIds: [...queries.values()], userId });
  const list = { clientId, userId, sharedProjectIds: [projectId] };
  await createSavedList(db, "site", {
    ...list,
    name: "Press",
    entries: ["news.example", "blog.example/acme"],
  });
  await createSavedList(db, "author", { ...list, name: "Fans", entries: ["ann", "bob"] });
}

async function otherAccounts() {
  const { pool } = fixture.database;
  const several = { username: "sue", password: "two hats" };
  const first = await seedAccount(pool, { ...SEED, client: { name: "North" }, user: several });
  const second = await seedAccount(pool, { ...SEED, client: { name: "South" }, user: several });
  const regular = { username: "reg", password: "regular", role: "Regular" };
  await seedAccount(pool, { ...SEED, client: { name: "North" }, user: regular });
  const withoutApi = { username: "vic", password: "viewer", role: "Viewer" };
  await seedAccount(pool, { ...SEED, client: { name: "North" }, user: withoutApi });
  return {
    regular,
    withoutApi,
    several: { ...several, clientIds: [first.clientId, second.clientId] },
    foreignProjectId: first.projectId,
  };
}

describe.each(PARTS)("$name", ({ rows }) => {
  test.each(rows)("$what ($section)", async (row) => {
    const verdict = await checkRow(row, subject, ["writes", "guesses", "accounts"]);
    if (verdict.outcome === "not applicable") process.stderr.write(`${row.what}: ${verdict.because}\n`);
    expect(verdict.because ?? "").toBe(verdict.outcome === "not applicable" ? verdict.because : "");
  });
});

test("a service that answers everything with an empty object conforms in nothing", async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(request.url?.startsWith("/oauth/token") ? '{"access_token":"x"}' : "{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const empty = createSubject({ ...subject.options, baseUrl: `http://127.0.0.1:${port}`, projectId: "1" });
  const verdicts = [];
  for (const row of PARTS.flatMap((part) => part.rows)) {
    const { outcome } = await checkRow(row, empty, ["writes", "guesses", "accounts"]);
    if (outcome === "conforms") verdicts.push(row.what);
  }
  server.close();
  expect(verdicts).toEqual([]);
});
