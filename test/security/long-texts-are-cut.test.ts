import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cutText } from "../../src/lib/text.ts";
import { parseRule } from "../../src/monitor/rules/parse-rule.ts";
import { parseJson } from "../../src/monitor/source/parse-json.ts";
import { toMention } from "../../src/monitor/source/to-mention.ts";
import { createConsoleMentions } from "../../src/monitor/store/console/mentions.ts";
import { type Database, openDatabase } from "../../src/monitor/store/database.ts";
import { buildMentionView } from "../../src/monitor/templates/mention-view.ts";
import { aMention } from "../mention.ts";
import { aRule } from "../monitor/rules/a-rule.ts";
import { createTestDatabase, type TestDatabase } from "../postgres.ts";

const WIRE = { resourceId: "a1", queryId: 7, added: "2026-02-17T07:36:05.000+0000" };

let database: TestDatabase;
let book: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  book = openDatabase({ url: database.url, onError: () => {} });
});
afterAll(async () => {
  await book.close();
  await database.drop();
});

it.each(["a", "é", "あ", "\u{1f600}"])(
  "title and text of %s are cut at 20,000 when a mention is read",
  (letter) => {
    const long = letter.repeat(1_000_000 / letter.length);
    const bytes = Buffer.from(JSON.stringify({ ...WIRE, title: long, snippet: long, author: long }));
    const { value, read } = parseJson(bytes, { longIds: false });
    const { mention } = toMention(value, read);
    for (const text of [mention?.title, mention?.text]) {
      expect(text?.length).toBeGreaterThan(19_990);
      expect(text?.length).toBeLessThanOrEqual(20_000);
      expect(text?.replaceAll(letter, "")).toBe("…");
    }
    expect(mention?.author?.length).toBeLessThanOrEqual(1_000);
  },
);

it("a text of an ordinary length stays as it is", () => {
  expect(toMention({ ...WIRE, title: "x".repeat(20_000) }).mention?.title).toBe("x".repeat(20_000));
  expect(cutText("ab\u{1f600}cd", 4)).toBe("ab…");
});

it("lists of the console take the beginning of a long text that was stored before", async () => {
  const body = aMention({ queryId: "7", resourceId: "a1", title: "t".repeat(1_000_000), text: "short" });
  const moment = new Date(body.addedAt);
  const day = moment.toISOString().slice(0, 10);
  await sql`
    insert into earshot.mentions
      (project_id, query_id, resource_id, day, event_at, added_at, updated_at, seen_at, story, body)
    values ('1', '7', 'a1', ${day}::date, ${moment}, ${moment}, ${moment}, ${moment}, 's', ${JSON.stringify(body)}::json)
  `.execute(book.db);
  const mentions = createConsoleMentions(book.db);
  const filter = { projectId: null, queryId: null, sentiment: null, contains: null };
  const [newest] = await mentions.newestMentions(5);
  const [listed] = (await mentions.mentions(filter, null, 5)).mentions;
  for (const shown of [newest, listed]) {
    expect(shown?.mention).toEqual({ ...body, title: "t".repeat(4_000) });
  }
});

it("a link of a mail is called what it leads to", () => {
  const view = (url: string) => buildMentionView(aMention({ url, domain: "paypal.com" }));
  expect(view("https://evil.example/login")).toMatchObject({ domain: "evil.example" });
  expect(view("https://www.brand.example/a")).toMatchObject({ domain: "brand.example" });
  expect(view(`https://paypal.com.${"a".repeat(60)}.evil.example/`).domain).toMatch(/^….*\.evil\.example$/);
  expect(view("javascript:alert(1)")).toMatchObject({ url: null, domain: "paypal.com" });
});

it("a rule's pattern looks at the first 20,000 characters, and check reports one that is slow", () => {
  const rule = aRule("when: { pattern: needle }");
  expect(rule.judge(aMention({ text: `${"a ".repeat(9_000)}needle` })).met).toBe(true);
  expect(rule.judge(aMention({ text: `${"a ".repeat(20_000)}needle` })).met).toBe(false);
  // What is cut off does not end there.
  expect(aRule("when: { pattern: 'a$' }").judge(aMention({ text: "a".repeat(30_000) })).met).toBe(false);

  const read = (pattern: string) =>
    parseRule(
      "one",
      "one.yaml",
      `description: One.\nseverity: info\nwhen: { any: [{ tag: x }, { pattern: ${JSON.stringify(pattern)} }] }\n`,
    );
  for (const slow of [".{0,1000}z", "a{1,300}b"]) {
    expect(read(slow)).toMatchObject({
      warnings: [{ file: "one.yaml", line: 3, message: expect.stringContaining("slow") }],
    });
  }
  for (const fast of ["order #[0-9]{6}", "[a-z0-9.]{1,64}@[a-z]+"])
    expect(read(fast)).toMatchObject({ warnings: [] });
});
