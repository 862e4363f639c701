import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse as readCsv } from "csv-parse/sync";
import { strFromU8, unzipSync } from "fflate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { csvCell } from "../../src/console/search/export-mentions.ts";
import { readSearch } from "../../src/console/search/read-search.ts";
import { HOUR, MINUTE } from "../../src/lib/instant.ts";
import type { Mention } from "../../src/monitor/model/mention.ts";
import { aMention } from "../mention.ts";
import { aVisitor, tokenIn } from "../security/console-visitor.ts";
import { PROJECT, storeMentions } from "./make-a-story.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const FORMULA = '=HYPERLINK("https://evil.example","click")';
let web: TestConsole;

const SAID: readonly Partial<Mention>[] = [
  {
    text: "My battery caught fire on the train",
    author: "@ann",
    domain: "news.example",
    sentiment: "negative",
  },
  {
    text: "Battery life is great, no fire here",
    authorName: "Bob",
    domain: "www.news.example",
    language: "de",
  },
  {
    text: "Recall notice for the charger",
    title: "Battery recall",
    domain: "blog.example",
    pageType: "blog",
  },
  { text: "<b>battery</b> & smoke\u202e", domain: "notnews.example", categories: [aCategory("Safety")] },
  { text: "Straße brennt, der Akku auch", domain: "forum.example", language: "de" },
  { text: FORMULA, author: "+1", title: "@SUM(A1)", domain: "forum.example" },
];

function aCategory(name: string) {
  return { id: "1", name, parentId: null, parentName: null };
}

beforeAll(async () => {
  web = await startTestConsole(NOW);
  const query = { projectId: PROJECT, queryId: "1", name: "Acme", projectName: "Brands", timezone: "UTC" };
  await web.stores.queries.register([query], NOW - HOUR, NOW - HOUR);
  const mentions = SAID.map((facts, n) => {
    const at = NOW - n * 6 * HOUR - MINUTE;
    const given = {
      resourceId: `m${n}`,
      title: null,
      url: `https://x.example/${n}`,
      publishedAt: at,
      addedAt: at,
    };
    return aMention({ ...given, author: null, authorName: null, language: "en", sentiment: null, ...facts });
  });
  await storeMentions(web.stores, mentions, NOW);
});
afterAll(() => web.close());

const ask = (path: string) => fetch(`${web.url}${path}`);
const page = async (of: Record<string, string>) => (await ask(`/mentions?${new URLSearchParams(of)}`)).text();
async function found(of: Record<string, string>): Promise<readonly string[]> {
  const answer = await (await ask(`/mentions.json?${new URLSearchParams(of)}`)).json();
  const { mentions } = answer as { mentions: { mention: Mention }[] };
  return mentions.map(({ mention }) => mention.resourceId);
}

test("simple words have all to be there; a query means what it means in a query", async () => {
  for (const [contains, ids] of [
    ["battery fire", ["m0", "m1"]],
    ["BATTERY recall", ["m2"]],
    ["batt", ["m0", "m1", "m2", "m3"]],
    ["battery AND NOT fire", ["m2", "m3"]],
    ['"caught fire"', ["m0"]],
    ['"fire caught"', []],
    ["fire NEAR/2 battery", ["m0"]],
    ["title:recall", ["m2"]],
    ["(smoke OR recall) AND battery", ["m2", "m3"]],
    ["batt* AND language:de", ["m1"]],
    ["strasse AND akku", ["m4"]],
  ] as const)
    expect([contains, await found({ contains })]).toEqual([contains, ids]);
});

test("author, site, language, type, category and range narrow it down", async () => {
  for (const [of, ids] of [
    [{ author: "Ann" }, ["m0"]],
    [{ author: "bob" }, ["m1"]],
    [{ domain: "news.example" }, ["m0", "m1"]],
    [{ language: "DE" }, ["m1", "m4"]],
    [{ type: "blog" }, ["m2"]],
    [{ category: "safety" }, ["m3"]],
    [{ last: "24h", contains: "battery" }, ["m0", "m1", "m2", "m3"]],
    [{ last: "24h", domain: "forum.example" }, []],
    [{ sentiment: "negative", contains: "battery OR recall" }, ["m0"]],
  ] as const)
    expect([of, await found(of)]).toEqual([of, ids]);
});

test("what was found is marked, and stays text", async () => {
  expect(await page({ contains: "battery fire" })).toContain(
    "My <mark>battery</mark> caught <mark>fire</mark> on the train",
  );
  expect(await page({ contains: "smoke OR battery" })).toContain(
    "&lt;b&gt;<mark>battery</mark>&lt;/b&gt; &amp; <mark>smoke</mark>",
  );
  const marked = await page({ contains: "<b>" });
  expect(marked).toContain("<mark>&lt;b&gt;</mark>battery");
});

test("a query that cannot be read says why, on the page and in a download", async () => {
  expect(readSearch('"open')).toMatchObject({ kind: "Fault" });
  expect(await page({ contains: "battery AND (" })).toContain("no query that can be read");
  expect((await ask("/mentions.csv?contains=battery%20AND%20(")).status).toBe(400);
  for (const contains of ["https://x.example/1", "a:b c", "50% off", "why not?", "$&"])
    expect([contains, readSearch(contains).kind]).toEqual([contains, "Words"]);
});

test("older pages of a query go on where the one before ended, and miss none", async () => {
  const now = NOW - 40 * HOUR;
  const many = Array.from({ length: 130 }, (_, n) =>
    aMention({
      ...{ resourceId: `p${n}`, title: null, publishedAt: now - n * MINUTE, addedAt: now - n * MINUTE },
      text: n % 2 === 0 ? "kestrel in the air" : "kestrel on the ground",
    }),
  );
  await storeMentions(web.stores, many, NOW);
  const seen: string[] = [];
  let address: string | null = `/mentions?${new URLSearchParams({ contains: "kestrel AND NOT ground" })}`;
  for (let pages = 0; address !== null && pages < 5; pages++) {
    const text: string = await (await ask(address)).text();
    seen.push(...[...text.matchAll(/\/why\?of=(p\d+)/g)].map(([, id = ""]) => id));
    address = /<a href="([^"]+)">Older mentions</.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? null;
  }
  expect(seen).toEqual(many.flatMap(({ resourceId }, n) => (n % 2 === 0 ? [resourceId] : [])));
});

test("downloads have all that the page finds, and no cell is a formula", async () => {
  const csv = await ask("/mentions.csv?domain=forum.example");
  expect(csv.headers.get("content-disposition")).toBe('attachment; filename="mentions.csv"');
  const [head = [], ...rows] = readCsv(await csv.text()) as string[][];
  expect(head.slice(0, 3)).toEqual(["time", "query", "sentiment"]);
  expect(rows.map((row) => row.at(-1))).toEqual(["m4", "m5"]);
  for (const row of rows) for (const cell of row) expect(cell).not.toMatch(/^\s*[=+\-@]/);
  expect(rows[1]?.[head.indexOf("text")]).toBe(`'${FORMULA}`);
  for (const value of ["=1", " =1", "\t=1", "@a", "-1", "+1", "\uFF1D1", "|x"])
    expect(csvCell(value).replace(/^"/, "").startsWith("'")).toBe(true);
  expect([csvCell(-5), csvCell("a-b"), csvCell('say "a", b')]).toEqual(["-5", "a-b", '"say ""a"", b"']);

  const lines = (await (await ask("/mentions.jsonl?domain=forum.example")).text()).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).text)).toEqual([SAID[4]?.text, FORMULA]);

  const workbook = unzipSync(
    new Uint8Array(await (await ask("/mentions.xlsx?domain=forum.example")).arrayBuffer()),
  );
  const sheet = strFromU8(workbook["xl/worksheets/sheet1.xml"] ?? new Uint8Array());
  expect(sheet).toContain('<t xml:space="preserve">=HYPERLINK("https://evil.example","click")</t>');
  expect(sheet).not.toContain("<f>");
  expect(sheet.match(/<row>/g)).toHaveLength(3);
  expect(Object.keys(workbook).sort()).toEqual([
    "[Content_Types].xml",
    "_rels/.rels",
    "xl/_rels/workbook.xml.rels",
    "xl/workbook.xml",
    "xl/worksheets/sheet1.xml",
  ]);
});

test("two downloads at a time; a third is told to come later", async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask("/mentions.jsonl")));
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toContain(200);
  expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  expect(bodies.join("")).toContain("kestrel");
  expect((await ask("/mentions.jsonl")).status).toBe(200);
});

test("a search is saved under a title, shared, opened and deleted; no other page is", async () => {
  const visitor = aVisitor(web.url);
  const searched = await page({ contains: "battery", language: "de" });
  const save = /href="(\/views\?save=[^"]+)"/.exec(searched)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const form = await (await visitor.ask(save)).text();
  const address = /name="address" value="([^"]+)"/.exec(form)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect(address).toBe("/mentions?contains=battery&language=de");
  const token = tokenIn(form.split('<main id="main"')[1] ?? "");
  const post = (path: string, more: Record<string, string>) => visitor.post(path, { token, ...more });
  expect((await post("/views", { title: "<i>Fires</i>", address, shared: "yes" })).status).toBe(303);
  const listed = await (await visitor.ask("/views")).text();
  expect(listed).toContain(
    '<a href="/mentions?contains=battery&amp;language=de" dir="auto">&lt;i&gt;Fires&lt;/i&gt;</a>',
  );
  expect(await web.stores.views.list("somebody else")).toMatchObject([
    { title: "<i>Fires</i>", isShared: true },
  ]);
  for (const wrong of [
    "//evil.example?x",
    "https://evil.example",
    "/mentions",
    "/users?x",
    "/mentions?a=\n",
    "javascript:x",
  ])
    expect((await post("/views", { title: "x", address: wrong })).status).toBe(400);
  expect((await post("/views", { title: " ", address })).status).toBe(400);
  const japanese = `/mentions?${new URLSearchParams({ contains: "電池".repeat(500) })}`;
  expect(await (await visitor.ask(`/views?${new URLSearchParams({ save: japanese })}`)).text()).toContain(
    `name="address" value="${japanese}"`,
  );
  expect((await post("/views", { title: "電池", address: japanese })).status).toBe(303);
  const id = /name="id" value="([^"]+)"/.exec(listed)?.[1] ?? "";
  await web.stores.views.end(id, "somebody else");
  expect(await (await visitor.ask("/views")).text()).toContain("Fires");
  expect((await post("/views/end", { id })).status).toBe(303);
  expect(await (await visitor.ask("/views")).text()).not.toContain("Fires");
});

test("a search becomes a rule in the editor, with what else was chosen, and what is not in it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-search-"));
  const withRules = await startTestConsole(NOW, { folder });
  try {
    const read = async (path: string) => (await fetch(`${withRules.url}${path}`)).text();
    const searched = await read("/mentions?contains=battery&sentiment=negative&language=de");
    const link = /href="(\/rules\/try\?[^"]+)"/.exec(searched)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const editor = await read(link);
    expect(editor).toMatch(/name="keyword"[^>]* value="battery\*"/);
    expect(editor).toMatch(/name="language"[^>]* value="de"/);
    expect(editor).toMatch(/value="negative"[^>]* checked/);
    // The form has no field for these: they are shown as YAML, with what a rule cannot say.
    const searchedFor = async (contains: string) => {
      const page = await read(`/mentions?${new URLSearchParams({ contains, last: "7d" })}`);
      const address = /href="(\/rules\/try\?rule=search[^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
      return address === undefined ? null : await read(address);
    };
    const several = await searchedFor("battery AND (fire OR smoke) AND site:news.example");
    expect(several).toMatch(/<textarea id="text".*- keyword:\s+- fire\s+- smoke.*<\/textarea>/s);
    expect(several).toMatch(/id="not-carried".*<code dir="auto">site:news.example<\/code>.*the time/s);
    expect(await searchedFor(`"<script>alert(1)</script>" AND site:"<b>x</b>"`)).not.toMatch(
      /<script>a|<b>x/,
    );
    expect(await searchedFor("site:news.example")).toContain("so it is left out");
    expect(await searchedFor("")).toBeNull();
    expect(await searchedFor("battery AND")).toBeNull();
  } finally {
    await withRules.close();
    await rm(folder, { recursive: true });
  }
});
