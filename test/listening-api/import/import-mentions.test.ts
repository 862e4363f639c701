import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { tombstoneMentions } from "../../../src/listening-api/arrive/tombstone-mentions.ts";
import { currentVersion } from "../../../src/listening-api/edit/edit-mention.ts";
import { importMentions } from "../../../src/listening-api/import/import-mentions.ts";
import { readCurrentMentions } from "../../../src/listening-api/store/current-mentions.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { deleteMentions } from "../../../src/listening-api/store/delete-things.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { type Fixture, SEED, startFixture, T0 } from "../fixture.ts";
import { sharedFile } from "../shared-data.ts";

let fixture: Fixture;
let folder: string;
beforeAll(async () => {
  fixture = await startFixture();
  folder = await mkdtemp(join(tmpdir(), "earshot-import-"));
});
afterAll(async () => {
  await fixture.stop();
  await rm(folder, { recursive: true, force: true });
});

function line(id: string, more: object = {}): string {
  return JSON.stringify({
    id,
    brand: "Brightair",
    author: "ann",
    text: `@brightair where is my bag? #lost ${id}`,
    date: "2026-03-01T07:36:05.000+0000",
    sentiment: "negative",
    negativeReason: "Lost Luggage",
    location: "Boston, MA",
    coordinates: [0, 0],
    retweets: 3,
    ...more,
  });
}

async function project(name: string): Promise<number> {
  return (
    await seedAccount(fixture.database.pool, { ...SEED, project: { name }, queries: [], categories: [] })
  ).projectId;
}

async function importText(projectId: number, text: string) {
  const path = join(folder, "mentions.jsonl");
  await writeFile(path, text);
  const progress: number[] = [];
  const result = await importMentions({
    pool: fixture.database.pool,
    path,
    projectId,
    onProgress: ({ linesRead }) => progress.push(linesRead),
  });
  return { result, progress };
}

it("makes a query of each brand and subcategories of the reasons, and shows the mentions from their date on", async () => {
  const projectId = await project("Air");
  const repost = {
    brand: "Other Air",
    text: "RT @CNN: planes\n  land",
    negativeReason: null,
    sentiment: "neutral",
    coordinates: [40.5, -73.25],
  };
  const text = [
    line("a"),
    line("b", { negativeReason: "Late", date: "2026-03-01T08:00:00.000+0000" }),
    line("c", repost),
  ].join("\r\n");
  const { result, progress } = await importText(projectId, text);
  expect(result).toMatchObject({ imported: 3, alreadyThere: 0, skipped: [], skippedTotal: 0 });
  expect(result.from).toBe(Date.parse("2026-03-01T07:36:05Z"));
  expect(result.to).toBe(Date.parse("2026-03-01T08:00:00Z"));
  expect([...result.queries].map(([name, { mentions }]) => [name, mentions])).toEqual([
    ["Brightair", 2],
    ["Other Air", 1],
  ]);
  expect(progress.at(-1)).toBe(3);

  const categories = (await fixture.get(`/projects/${projectId}/categories`)).body.results;
  expect(categories).toMatchObject([
    { name: "Negative reason", children: [{ name: "Lost Luggage" }, { name: "Late" }] },
  ]);
  const [parent] = categories;
  const ask = async (at: string) => {
    fixture.clock.set(Date.parse(at));
    const queries = [...result.queries.values()].map(({ id }) => ["queryId", id] as const);
    const range = [
      ["startDate", "2026-03-01"],
      ["endDate", "2026-03-05"],
      ["orderDirection", "asc"],
    ] as const;
    return (await fixture.get(`/projects/${projectId}/data/mentions`, [...queries, ...range])).body.results;
  };
  expect(await ask("2026-03-01T07:36:04.999Z")).toEqual([]);
  const results = await ask("2026-03-01T08:00:00Z");
  expect(results.find((mention: { queryName: string }) => mention.queryName === "Brightair")).toMatchObject({
    resourceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    queryName: "Brightair",
    pageType: "twitter",
    author: "ann",
    snippet: "@brightair where is my bag? #lost a",
    date: "2026-03-01T07:36:05.000+0000",
    added: "2026-03-01T07:36:05.000+0000",
    sentiment: "negative",
    locationName: "Boston, MA",
    latitude: null,
    twitterRetweets: 3,
    threadEntryType: "reply",
    retweetOf: null,
    insightsHashtag: ["#lost"],
    insightsMentioned: ["@brightair"],
    categories: [parent.children[0].id],
    categoryDetails: [
      {
        id: String(parent.children[0].id),
        name: "Lost Luggage",
        parentId: String(parent.id),
        parentName: "Negative reason",
      },
    ],
  });
  expect(results.find((mention: { queryName: string }) => mention.queryName === "Other Air")).toMatchObject({
    threadEntryType: "share",
    retweetOf: expect.stringMatching(/^urn:post:cnn:/),
    latitude: 40.5,
    longitude: -73.25,
    categories: [],
  });
});

it("makes tags and categories that a line names, and finds mentions by them", async () => {
  const projectId = await project("Labelled");
  const categoryDetails = [
    { name: "Price", parentName: "Topics" },
    { name: "Safety", parentName: "Topics" },
  ];
  const text = [
    line("a", { tags: ["VIP", "VIP", "Press"], categoryDetails }),
    line("b", { tags: ["Press"] }),
  ];
  const { result } = await importText(projectId, text.join("\n"));
  fixture.clock.set(result.to ?? 0);
  const tags = (await fixture.get(`/projects/${projectId}/tags`)).body.results;
  expect(tags.map((tag: { name: string }) => tag.name).sort()).toEqual(["Press", "VIP"]);
  const ask = async (...more: [string, number][]) => {
    const queries = [...result.queries.values()].map(({ id }) => ["queryId", id] as const);
    const range = [
      ["startDate", "2026-03-01"],
      ["endDate", "2026-03-05"],
    ] as const;
    return (await fixture.get(`/projects/${projectId}/data/mentions`, [...queries, ...range, ...more])).body
      .results;
  };
  const vip = tags.find((tag: { name: string }) => tag.name === "VIP").id;
  const found = await ask(["tag", vip]);
  expect(found).toMatchObject([
    { tags: ["VIP", "Press"], categoryDetails: [...categoryDetails, { name: "Lost Luggage" }] },
  ]);
  expect(await ask(["xtag", vip])).toMatchObject([{ tags: ["Press"] }]);
  expect(await ask(["category", found[0].categories[1]])).toHaveLength(1);
});

it("reports every line that is no mention, with its number, and imports the others", async () => {
  const projectId = await project("Faulty");
  const lines = [
    line("a"),
    "{not json",
    "",
    line("b", { date: "yesterday" }),
    line("c", { brand: " " }),
    line("d", { sentiment: "furious" }),
    "[1, 2]",
    line("e", { text: "x".repeat(1_100_000) }),
    line("f", { brand: "Bright\0air" }),
    line("g", { text: "nul \0 and half a \ud83d pair", author: "a\0b" }),
    line("a"),
  ];
  const { result } = await importText(projectId, lines.join("\n"));
  expect(result).toMatchObject({ imported: 2, alreadyThere: 1, skippedTotal: 7 });
  expect(result.skipped.map((skipped) => skipped.line)).toEqual([2, 4, 5, 6, 7, 8, 9]);
  expect(result.skipped[0]?.reason).toBe("is not JSON");
  expect(result.skipped[1]?.reason).toMatch(/^date: expected YYYY-MM-DD/);
  expect(result.skipped[5]?.reason).toMatch(/longer than/);
});

it("imports nothing twice", async () => {
  const projectId = await project("Twice");
  const text = Array.from({ length: 1_203 }, (_, n) => line(`twice-${n}`)).join("\n");
  const first = await importText(projectId, text);
  expect(first.result).toMatchObject({ imported: 1_203, alreadyThere: 0 });
  expect(first.progress).toEqual([500, 1_000, 1_203]);
  const again = await importText(projectId, text);
  expect(again.result).toMatchObject({ imported: 0, alreadyThere: 1_203, queries: first.result.queries });
});

it("says so when the file has nothing, or is not there", async () => {
  const projectId = await project("Empty");
  const { result } = await importText(projectId, "\n\n");
  expect(result).toMatchObject({ imported: 0, from: null, to: null });
  const missing = importMentions({ pool: fixture.database.pool, path: join(folder, "none"), projectId });
  await expect(missing).rejects.toThrow("ENOENT");
});

it("imports the airline file, if it is next to the repository", async (context) => {
  const file = sharedFile("airline-tweets.jsonl");
  if ("absent" in file) return context.skip(file.absent);
  const projectId = await project("Airlines");
  const result = await importMentions({ pool: fixture.database.pool, path: file.path, projectId });
  expect(result).toMatchObject({ imported: 8_968, skippedTotal: 0 });
  expect(Object.fromEntries([...result.queries].map(([name, { mentions }]) => [name, mentions]))).toEqual({
    Delta: 2_222,
    Southwest: 2_420,
    United: 3_822,
    "Virgin America": 504,
  });
});

it("goes on after the last stored line when it was cut off, and begins anew with another file", async () => {
  const projectId = await project("Resumed");
  const path = join(folder, "cut-off.jsonl");
  await writeFile(path, Array.from({ length: 1_600 }, (_, n) => line(`cut-${n}`)).join("\n"));
  const { pool } = fixture.database;
  const cut = new AbortController();
  const stop = () => cut.abort();
  await expect(
    importMentions({ pool, path, projectId, signal: cut.signal, onProgress: stop }),
  ).rejects.toThrow();
  const resumed: number[] = [];
  const options = { pool, path, projectId, onResume: (after: number) => resumed.push(after) };
  const rest = await importMentions(options);
  expect(resumed).toEqual([500]);
  expect(rest).toMatchObject({ imported: 1_100, alreadyThere: 0 });
  expect(await importMentions(options)).toMatchObject({ imported: 0, alreadyThere: 1_600 });
  expect(resumed).toEqual([500]);
});

it("reports what a sample leaves out, future mentions, missing and unused fields", async () => {
  const { projectId } = await seedAccount(fixture.database.pool, {
    ...SEED,
    project: { name: "Sampled" },
    queries: [{ name: "Sampled", samplePercentage: 10 }],
  });
  const lines = Array.from({ length: 200 }, (_, n) => line(`s-${n}`, { brand: "Sampled", colour: "red" }));
  const path = join(folder, "sampled.jsonl");
  await writeFile(path, [...lines, '{"id": "x", "text": "no date", "brand": "Sampled"}'].join("\n"));
  const now = Date.parse("2026-02-28T00:00:00Z");
  const result = await importMentions({ pool: fixture.database.pool, path, projectId, now });
  expect(result.imported + result.sampledOut).toBe(200);
  expect(result.sampledOut).toBeGreaterThan(150);
  expect(result).toMatchObject({
    alreadyThere: 0,
    notYetShown: result.imported,
    unusedFields: ["colour"],
    skipped: [{ line: 201, reason: "date is missing" }],
  });
});

it("what enters now is shown at once, also where the import began earlier", async () => {
  const path = join(folder, "entering.jsonl");
  await writeFile(path, line("entering", { brand: "Alpha" }));
  const { pool } = fixture.database;
  const { projectId } = fixture.account;
  const result = await importMentions({ pool, path, projectId, now: T0, arriveAt: () => T0 + 1 });
  expect(result).toMatchObject({ imported: 1, notYetShown: 0 });
});

it("brings back nothing that was deleted or edited meanwhile, and shows nothing twice", async () => {
  const projectId = await project("Again");
  fixture.clock.set(T0);
  const [deleted, edited] = ["d", "e"].map((letter) => letter.repeat(32));
  const file = [deleted, edited].map((id) => line(id ?? "")).join("\n");
  const { result } = await importText(projectId, file);
  expect(result.imported).toBe(2);
  const db = createDatabase(fixture.database.pool);
  const queryId = result.queries.get("Brightair")?.id ?? 0;
  // As a feed does: the text of before is not kept.
  await db.transaction().execute(async (own) => {
    await tombstoneMentions(own, projectId, [deleted ?? ""], { at: T0, reason: "asked to" });
    const [known] = await readCurrentMentions(own, [{ queryId, resourceId: edited ?? "" }], T0);
    if (known === undefined) throw new Error("there is no mention to edit");
    const snippet = "@brightair found it";
    const next = currentVersion({ ...known, version: 2, updated: T0, fields: { ...known.fields, snippet } });
    await deleteMentions(own, { queryIds: [queryId], resourceIds: [edited ?? ""] });
    await insertMentions(own, [next]);
  });
  const again = await importText(projectId, `${file}\n`);
  expect(again.result).toMatchObject({ imported: 0, alreadyThere: 2 });
  const { body } = await fixture.get(`/projects/${projectId}/data/mentions`, [
    ["queryId", queryId],
    ["startDate", "2026-01-01"],
    ["endDate", "2027-01-01"],
    ["orderBy", "updated"],
    ["orderDirection", "asc"],
  ]);
  const shown = body.results.map((one: Record<string, unknown>) => [one["resourceId"], one["snippet"]]);
  expect(shown.sort()).toEqual([
    [deleted, null],
    [edited, "@brightair found it"],
  ]);
});
