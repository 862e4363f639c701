import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DAY, MINUTE } from "../../../src/lib/instant.ts";
import { compile } from "../../../src/listening-api/query-language/compile.ts";
import { searchableMention } from "../../../src/listening-api/query-language/search-text.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import type { MentionVersion } from "../../../src/listening-api/store/mention-version.ts";
import { runs } from "../../runs.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";

const WORDS = [
  "hot",
  "water",
  "Niño",
  "nino",
  "100%",
  "a_b",
  "re\u0000fund",
  "\ud83d",
  "ﬁre",
  "fire",
  "WATER",
  "#tag",
  "x#tag",
  "@ann",
  "it's",
  "👍🏽",
  "Straße",
];
const TERMS = [
  "hot",
  "water",
  "nino",
  "niño",
  '"hot water"',
  "wat*",
  "fire",
  "refund",
  "{WATER}",
  "#tag",
  "a_b",
  "@ann",
  "#ta*",
  "wa*er",
  '"it\'s"',
  "👍",
  "👍🏽",
  "strasse",
  '"water it"',
  '"water hot water"',
  '"hot wat*"',
];

const Search = fc.letrec<{ search: string }>((tie) => ({
  search: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...TERMS, "title:hot", "language:de", "site:news.example"),
    fc
      .tuple(tie("search"), fc.constantFrom("AND", "OR", "NOT"), tie("search"))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc.tuple(fc.constantFrom(...TERMS), fc.constantFrom(...TERMS)).map(([a, b]) => `(${a} NEAR/1 ${b})`),
  ),
})).search;

const Text = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((words) => words.join(" "));

let fixture: Fixture;
let stored: MentionVersion[] = [];
beforeAll(async () => {
  fixture = await startFixture();
  fixture.clock.set(T0 + DAY);
  const queryIds = [...fixture.account.queries.values()];
  const texts = fc.sample(fc.tuple(Text, fc.option(Text), fc.option(Text)), { numRuns: 120, seed: 11 });
  stored = texts.map(([snippet, title, fullText], n) => ({
    ...mentionVersion(
      {
        queryId: queryIds[n % 2] ?? 0,
        resourceId: resourceId(n),
        snippet,
        title,
        language: n % 3 === 0 ? "de" : "en",
        domain: n % 4 === 0 ? "news.example" : null,
        url: n % 4 === 0 ? "https://news.example/1" : null,
      },
      { added: T0 + n * MINUTE },
    ),
    fullText,
  }));
  await insertMentions(createDatabase(fixture.database.pool), stored);
});
afterAll(() => fixture.stop());

async function ask(parameters: readonly (readonly [string, string | number])[]) {
  return fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
    ["projectId", fixture.account.projectId],
    ["startDate", "2026-03-01"],
    ["endDate", "2026-04-01"],
    ["orderBy", "added"],
    ["orderDirection", "asc"],
    ...parameters,
  ]);
}

function matching(search: string): string[] {
  const compiled = compile(search);
  if (!compiled.ok) throw new Error(`${search} is not valid`);
  return stored
    .filter(({ record, fullText }) => compiled.query.matches(searchableMention(record, fullText)))
    .map(({ record }) => record.resourceId);
}

it("finds exactly what the matcher finds, on every page, with the exact total", async () => {
  await fc.assert(
    fc.asyncProperty(Search, async (search) => {
      const expected = matching(search);
      const seen: string[] = [];
      let { status, body } = await ask([
        ["search", search],
        ["pageSize", 25],
      ]);
      expect({ search, status }).toEqual({ search, status: 200 });
      while (body.results.length > 0) {
        expect(body.resultsTotal).toBe(expected.length);
        seen.push(...body.results.map((mention: { resourceId: string }) => mention.resourceId));
        ({ status, body } = await ask([
          ["search", search],
          ["pageSize", 25],
          ["cursor", body.nextCursor],
        ]));
      }
      expect({ search, seen }).toEqual({ search, seen: expected });
    }),
    { numRuns: runs(40) },
  );
}, 120_000);

it("searches inside what the filters leave, and finds what arrives", async () => {
  const inGerman = async () =>
    (
      await ask([
        ["search", "hot"],
        ["language", "de"],
        ["pageSize", 1],
      ])
    ).body.resultsTotal;
  const german = new Set(
    stored.filter(({ record }) => record.language === "de").map((m) => m.record.resourceId),
  );
  const before = matching("hot").filter((id) => german.has(id)).length;
  expect(await inGerman()).toBe(before);
  const [first] = stored;
  if (first === undefined) throw new Error("nothing is stored");
  const record = { ...first.record, resourceId: resourceId(5_000), language: "de", snippet: "HOT" };
  await insertMentions(createDatabase(fixture.database.pool), [{ ...first, record, fullText: null }]);
  expect(await inGerman()).toBe(before + 1);
});

it("reports what is wrong with a text, and where", async () => {
  const { status, body } = await ask([["search", "a OR b AND c"]]);
  expect(status).toBe(400);
  expect(body.errors[0].message).toMatch(/^search: at character \d+: /);
});

it("finds words that PostgreSQL keeps no place for, in texts that are longer than its limits", async () => {
  const [first] = stored;
  if (first === undefined) throw new Error("nothing is stored");
  const many = Array.from({ length: 120_000 }, (_, n) => `w${n.toString(36)}`).join(" ");
  const texts = [
    `${many} needle ${"x".repeat(3_000)} haystack`,
    `${"again ".repeat(400)} last needle`,
    `${"'\\\\'".repeat(20)} needle`,
    `${"y".repeat(700)} `,
  ];
  await insertMentions(
    createDatabase(fixture.database.pool),
    texts.map((fullText, n) => ({
      ...first,
      record: { ...first.record, resourceId: resourceId(6_000 + n), snippet: null },
      fullText,
    })),
  );
  const total = async (search: string) =>
    (
      await ask([
        ["search", search],
        ["pageSize", 1],
      ])
    ).body.resultsTotal;
  expect(await total("needle")).toBe(3);
  expect(await total("needle NOT haystack")).toBe(2);
  expect(await total('"last needle"')).toBe(1);
  expect(await total('"again last"')).toBe(1);
  expect(await total('needle NOT "last needle"')).toBe(2);
  expect(await total('needle NOT "again last"')).toBe(2);
  expect(await total(`${"x".repeat(3_000)}`)).toBe(1);
  expect(await total(`${"y".repeat(699)}*`)).toBe(1);
  expect(await total(`w${(119_999).toString(36)}`)).toBe(1);
});

it("a search that the index decides costs no look at the texts, and one that it does not is remembered", async () => {
  const { pool } = fixture.database;
  const searches = async () =>
    Number((await pool.query("select count(*) from local_api.search")).rows[0].count);
  await pool.query("delete from local_api.mention where resource_id = any($1)", [
    Array.from({ length: 4 }, (_, n) => resourceId(6_000 + n)),
  ]);
  const before = await searches();
  await ask([["search", '(hot OR wat* OR #tag OR "hot water") NOT "refund it"']]);
  expect(await searches()).toBe(before);
  for (let i = 0; i < 3; i++)
    await ask([
      ["search", '"hot water" OR {WATER}'],
      ["pageSize", 1 + i],
    ]);
  expect(await searches()).toBe(before + 1);
});
