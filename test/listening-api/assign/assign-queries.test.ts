import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { importMentions } from "../../../src/listening-api/import/import-mentions.ts";
import { createStream } from "../../../src/listening-api/simulate/create-stream.ts";
import { type Fixture, SEED, startFixture, T0 } from "../fixture.ts";

let fixture: Fixture;
let folder: string;
beforeAll(async () => {
  fixture = await startFixture();
  folder = await mkdtemp(join(tmpdir(), "earshot-assign-"));
});
afterAll(async () => {
  await fixture.stop();
  await rm(folder, { recursive: true, force: true });
});

function seed(name: string, queries: { name: string; text?: string }[]) {
  return seedAccount(fixture.database.pool, { ...SEED, project: { name }, queries, categories: [] });
}

async function importLines(projectId: number, lines: readonly object[]) {
  const path = join(folder, "mentions.jsonl");
  const given = lines.map((line, id) =>
    JSON.stringify({ id: `m${id}`, date: "2026-03-01T08:00:00.000+0000", ...line }),
  );
  await writeFile(path, given.join("\n"));
  return importMentions({ pool: fixture.database.pool, path, projectId });
}

async function mentionsOf(projectId: number, queryId: number | undefined) {
  const parameters = [
    ["queryId", queryId ?? -1],
    ["startDate", "2026-02-01"],
    ["endDate", "2026-04-01"],
    ["orderBy", "date"],
    ["pageSize", 5_000],
  ] as const;
  return (await fixture.get(`/projects/${projectId}/data/mentions`, parameters)).body.results;
}

it("an imported mention without a query comes into every query that it matches, with the words that do", async () => {
  const { projectId, queries } = await seed("Matched", [
    { name: "Bags", text: "(bag OR luggage) NEAR/5 lost" },
    { name: "Air", text: "brightair NOT refund" },
    { name: "By name" },
  ]);
  const result = await importLines(projectId, [
    { text: "@brightair you lost my bag" },
    { text: "A bag was lost" },
    { text: "nothing of the kind" },
    { text: "brightair lost my luggage", brand: "By name" },
    { text: "brightair flies", brand: "Air" },
    { text: "brightair gave me a refund", brand: "Air" },
  ]);
  expect(result).toMatchObject({ imported: 6, unmatched: 1, skippedTotal: 0 });
  expect(Object.fromEntries([...result.queries].map(([name, { mentions }]) => [name, mentions]))).toEqual({
    Bags: 2,
    Air: 3,
    "By name": 1,
  });
  const bags = await mentionsOf(projectId, queries.get("Bags"));
  const found = bags.find((mention: { snippet: string }) => mention.snippet.startsWith("@"));
  expect(found).toMatchObject({
    queryName: "Bags",
    matchPositions: [
      { start: 15, text: "lost", length: 4 },
      { start: 23, text: "bag", length: 3 },
    ],
  });
  const air = await mentionsOf(projectId, queries.get("Air"));
  const positions = new Map(
    air.map((mention: { snippet: string; matchPositions: object[] }) => [
      mention.snippet,
      mention.matchPositions,
    ]),
  );
  expect(positions.get("brightair flies")).toEqual([{ start: 0, text: "brightair", length: 9 }]);
  // Put there by name, although the text of the query would not have it.
  expect(positions.get("brightair gave me a refund")).toEqual([]);
});

it("a query keeps its text until it is given another, and refuses one that is not valid", async () => {
  const { projectId } = await seed("Texts", [{ name: "Q", text: "one" }]);
  await seed("Texts", [{ name: "Q" }]);
  expect((await importLines(projectId, [{ text: "one" }])).imported).toBe(1);
  await seed("Texts", [{ name: "Q", text: "two" }]);
  expect(await importLines(projectId, [{ text: "one more" }])).toMatchObject({ imported: 0, unmatched: 1 });
  await expect(seed("Texts", [{ name: "R", text: "one OR two AND rating:9" }])).rejects.toThrow(
    /"R" is not valid; at character 12: AND .* at character 16: rating/,
  );
  await expect(seed("Texts", [{ name: "R" }])).resolves.toBeDefined();
});

it("what the stream brings comes into queries with a text too", async () => {
  const { projectId } = await seed("Stream", [
    { name: "Anything", text: "NOT surelynotthere AND (the OR a OR my)" },
  ]);
  const stream = createStream({
    pool: fixture.database.pool,
    projectId,
    seed: "s",
    startAt: T0 - HOUR,
    crises: [],
  });
  await stream.fillUntil(T0);
  fixture.clock.set(T0 + HOUR);
  const queries = (await fixture.get(`/projects/${projectId}/queries/summary`)).body.results;
  const anything = queries.find((query: { name: string }) => query.name === "Anything");
  const mentions = await mentionsOf(projectId, anything.id);
  expect(mentions.length).toBeGreaterThan(0);
  for (const mention of mentions) {
    expect(mention.queryName).toBe("Anything");
    expect(mention.matchPositions.length).toBeGreaterThan(0);
  }
});

it("what the stream has stored ahead comes into a query that is made meanwhile, in its own time", async () => {
  const { projectId } = await seed("Ahead", [{ name: "Other", text: "surelynotthere" }]);
  const { pool } = fixture.database;
  const stream = createStream({ pool, projectId, seed: "s", startAt: T0 - HOUR, crises: [] });
  await stream.fillUntil(T0 + 2 * HOUR);
  fixture.clock.set(T0);
  const response = await fixture.api.app.inject({
    method: "POST",
    url: `/projects/${projectId}/queries`,
    headers: { authorization: `bearer ${fixture.token}` },
    payload: { name: "Made", booleanQuery: "NOT surelynotthere AND (the OR a OR my)" },
  });
  expect(response.statusCode).toBe(201);
  const { id } = response.json() as { id: number };
  const found = (await mentionsOf(projectId, id)).length;
  fixture.clock.set(T0 + 2 * HOUR);
  const shown = await mentionsOf(projectId, id);
  expect(shown.length).toBeGreaterThan(found);
  const coming = shown.filter(({ added }: { added: string }) => Date.parse(added) > T0 + HOUR);
  expect(coming.length).toBeGreaterThan(0);
});

it("query-validation answers with errors and issues that carry positions", async () => {
  const validate = async (path: string, payload: object) => {
    const response = await fixture.api.app.inject({
      method: "POST",
      url: path,
      headers: { authorization: `bearer ${fixture.token}` },
      payload,
    });
    return { status: response.statusCode, body: response.json() };
  };
  const valid = { status: 200, body: { errors: [], issues: [] } };
  expect(await validate("/query-validation", { booleanQuery: "apple AND juice", languages: [] })).toEqual(
    valid,
  );
  expect(await validate("/query-validation", { booleanQuery: "a OR b c", languages: ["en"] })).toMatchObject({
    status: 200,
    body: {
      errors: [{ rule: "mixed-operators", start: 6, end: 7 }],
      issues: [{ severity: "warning", rule: "implicit-and", start: 6, end: 7 }],
    },
  });
  const publication = { booleanQuery: "publication:Gazette" };
  expect((await validate("/query-validation", publication)).body.issues).toHaveLength(1);
  expect(await validate("/query-validation/searchwithin", publication)).toEqual(valid);
  expect((await validate("/query-validation", { languages: [] })).status).toBe(400);
  expect((await validate("/query-validation", { booleanQuery: "(".repeat(50_000) })).body.errors).toEqual([
    expect.objectContaining({ rule: "too-deep" }),
  ]);
  expect(
    (
      await fixture.get("/query-validation", [
        ["query", "NOT a"],
        ["language", "en"],
      ])
    ).body.errors,
  ).toHaveLength(1);
  expect((await fixture.get("/query-validation")).status).toBe(400);
});
