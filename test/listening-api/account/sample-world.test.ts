import { afterAll, beforeAll, expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { openSampleWorld, type SampleWorld } from "../../../src/listening-api/account/sample.ts";
import { type Fixture, get, logIn, startFixture, T0 } from "../fixture.ts";

let fixture: Fixture;
let sample: SampleWorld;
let token: string;

beforeAll(async () => {
  fixture = await startFixture();
  const opened = await openSampleWorld(fixture.database.pool, T0, ["Acme"]);
  if (opened === null) throw new Error("no sample");
  sample = opened;
  await sample.streamFrom(T0 - 6 * HOUR).fillUntil(T0);
  token = String((await logIn(fixture.api, sample)).body.access_token);
});
afterAll(() => fixture.stop());

const ask = async (path: string) => {
  const all = [...sample.queries.values()].map((id) => ["queryId", id] as const);
  const range = [
    ["startDate", "2026-03-01"],
    ["endDate", "2026-03-05"],
  ] as const;
  const parameters = path.startsWith("data/") ? [...all, ...range] : [];
  return (await get(fixture.api, `/projects/${sample.account.projectId}/${path}`, parameters, token)).body
    .results;
};

test("its queries have Boolean texts, and mentions say where they match", async () => {
  const texts = (await ask("queries")).map(({ booleanQuery }: { booleanQuery: string }) => booleanQuery);
  expect(texts).toHaveLength(4);
  for (const text of texts) expect(text).toMatch(/\w OR #\w/);
  const mentions = await ask("data/mentions");
  expect(mentions.length).toBeGreaterThan(10);
  for (const { matchPositions, queryName, snippet } of mentions) {
    // A slip of the writer's may hide the name of the brand.
    if (!snippet.includes(queryName)) continue;
    expect(matchPositions.length).toBeGreaterThan(0);
  }
});

test("some mentions have links, and the same ones are shared by many", async () => {
  const urls = await ask("data/urls");
  expect(urls.length).toBeGreaterThan(5);
  for (const { name } of urls) expect(name).toMatch(/^https:\/\/[a-z.-]+\.example\//);
  expect(urls[0].volume).toBeGreaterThan(1);
  expect((await ask("data/sharedsites")).length).toBeGreaterThan(1);
  const mentions = await ask("data/mentions/fulltext");
  const linked = mentions.filter((mention: { expandedUrls: string[] }) => mention.expandedUrls.length > 0);
  expect(linked.length).toBeGreaterThan(0);
  for (const { fullText, expandedUrls } of linked) expect(fullText).toContain(expandedUrls[0]);
});
