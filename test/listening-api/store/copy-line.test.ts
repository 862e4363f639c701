import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { storableText } from "../../../src/lib/text.ts";
import { textAsFound } from "../../../src/listening-api/records/mention-text.ts";
import { copyLines, createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { copyLine, textArray } from "../../../src/listening-api/store/mention-row.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";

let fixture: Fixture;
let db: Database;
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  await fixture.database.pool.query("create table copied (n integer, alone text, many text[])");
});
afterAll(() => fixture.stop());

/** What COPY gives a meaning, what PostgreSQL cannot keep, and everything else. */
const sign = fc.oneof(
  fc.constantFrom(..."\\\t\n\r\b\f\v\0\"'{}, N", "\\N", "\\.", "\n\\.\n", "NULL", "\ud83d", "\ude00", "😀"),
  fc.string({ unit: "binary", maxLength: 4 }),
);
const text = fc.array(sign, { maxLength: 12 }).map((signs) => signs.join(""));

it("copies every text, list and NULL as it was", async () => {
  const row = fc.record({ alone: fc.option(text), many: fc.option(fc.array(text, { maxLength: 4 })) });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
      const storable = rows.map(({ alone, many }) => ({
        alone: alone === null ? null : storableText(alone),
        many: many === null ? null : many.map(storableText),
      }));
      const lines = storable.map(({ alone, many }, n) =>
        copyLine([String(n), alone, many === null ? null : textArray(many)]),
      );
      await fixture.database.pool.query("truncate copied");
      await copyLines(db, "copy copied from stdin", lines);
      const read = await fixture.database.pool.query("select alone, many from copied order by n");
      expect(read.rows).toEqual(storable);
    }),
    { numRuns: 150 },
  );
});

it("stores mentions of any text as they were found", async () => {
  let number = 0;
  const mention = fc.record({
    title: fc.option(text),
    fullText: text,
    tags: fc.array(text, { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(mention, { minLength: 1, maxLength: 10 }), async (mentions) => {
      const queryId = fixture.account.queries.get("Alpha") ?? 0;
      const ids = mentions.map(() => resourceId(++number));
      const versions = mentions.map(({ title, fullText, tags }, n) => ({
        ...mentionVersion(
          { queryId, resourceId: ids[n] ?? "", title, snippet: fullText, insightsHashtag: tags },
          { added: T0 },
        ),
        fullText,
      }));
      expect(await insertMentions(db, versions)).toBe(mentions.length);
      expect(await insertMentions(db, versions)).toBe(0);
      const { rows } = await fixture.database.pool.query(
        `select title, full_text, exact_text, insights_hashtag,
           filled_fields || (select empty_fields from local_api.record_shape where id = shape_id) as record
         from local_api.mention where resource_id = any($1) order by resource_id`,
        [ids],
      );
      expect(
        rows.map((row) => ({ ...row, record: undefined, full_text: textAsFound(row), exact_text: 0 })),
      ).toEqual(
        mentions.map(({ title, fullText, tags }) => ({
          ...{ title: title === null ? null : storableText(title), full_text: fullText, exact_text: 0 },
          insights_hashtag: tags.map(storableText),
        })),
      );
      expect(rows.map((row) => JSON.parse(row.record))).toMatchObject(
        mentions.map(({ title, fullText, tags }) => ({ title, snippet: fullText, insightsHashtag: tags })),
      );
    }),
    { numRuns: 80 },
  );
});

it("a line that PostgreSQL refuses rolls the transaction back and leaves the connection usable", async () => {
  const one = fixture.database.pool;
  await one.query("truncate copied");
  const broken = db.transaction().execute(async (transaction) => {
    await copyLines(transaction, "copy copied from stdin", [copyLine(["1", "good", null])]);
    await copyLines(transaction, "copy copied from stdin", [copyLine(["two", "bad", null])]);
  });
  await expect(broken).rejects.toThrow(/invalid input syntax for type integer/);
  expect((await one.query("select * from copied")).rows).toEqual([]);
});
