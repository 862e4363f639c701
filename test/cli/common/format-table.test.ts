import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { csvLines, formatAnswer } from "../../../src/cli/api/print-answer.ts";
import { formatTable } from "../../../src/cli/common/format-table.ts";
import { showJson } from "../../../src/cli/common/print.ts";
import { printRows } from "../../../src/cli/common/print-rows.ts";
import { cutToWidth, padToWidth, textWidth } from "../../../src/cli/common/text-width.ts";
import { API_CALLS } from "../../../src/monitor/source/call-table.ts";
import { attacks } from "../../fixtures/attacks.ts";

const ACTING = /(?!\n)[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

test("columns are as wide as needed, numbers are right-aligned, empty columns are left out", () => {
  const rows = [
    { id: 1, name: "Acme", when: "2026-02-17T07:36:05.000+0000", none: null, more: { name: "in" } },
    { id: 20, name: "", when: null, none: "" },
  ];
  expect(formatTable(rows)).toBe(
    ["id  name  when", " 1  Acme  2026-02-17 07:36:05", "20  –     –"].join("\n"),
  );
  expect(formatTable(rows, ["none|more.name", "id"])).toBe(["none  id", "in     1", "–     20"].join("\n"));
});

const [projects] = API_CALLS.filter(({ name }) => name === "projects");
if (projects === undefined) throw new Error("no projects");

test("a spreadsheet has every item of a list, and an empty cell where there is nothing", () => {
  const records = [
    { name: "All", queries: Array.from({ length: 60 }, (_, n) => `q${n}`), tags: [] },
    { name: "None", queries: [], tags: null },
  ];
  const lines = csvLines({ ...projects, columns: ["name", "queries", "tags"] }, records, false);
  expect(lines[0]).toMatch(/^All,"q0, q1, .*, q58, q59",$/);
  expect(lines[1]).toBe("None,,");
});

test("what is too wide is cut with an ellipsis", () => {
  expect(formatTable([{ text: "x".repeat(100) }]).split("\n")[1]).toBe(`${"x".repeat(59)}…`);
});

const [call] = API_CALLS.filter(({ name }) => name === "chart");
if (call === undefined) throw new Error("no chart");

test.each([
  ["plain", 5],
  ["東京", 4],
  ["é", 1],
  ["e\u0301", 1],
  ["👩‍👩‍👧", 2],
  ["❤️", 2],
  ["\u200b", 0],
  ["한국", 4],
  ["🫠", 2],
  ["🇩🇪", 2],
  ["ﾊﾟ", 2],
])("%s takes %i cells", (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test("a cut text is never wider than it may be", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.integer({ min: 1, max: 30 }),
      (text, width) => {
        expect(textWidth(cutToWidth(text, width))).toBeLessThanOrEqual(Math.max(width, 1));
      },
    ),
  );
});

test("columns are aligned in any script, and no character is split", () => {
  const names = ["Acme", "東京東京東京", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "🫠🫠🫠🫠🫠🫠", "नमस्ते दुनिया", "한국어"];
  const lines = formatTable(
    names.map((name) => ({ name, end: "|" })),
    ["name", "end"],
  ).split("\n");
  expect(lines.slice(1).map((line) => textWidth(line.slice(0, line.indexOf("|"))))).toEqual(
    names.map(() => textWidth(lines[0]?.slice(0, lines[0].indexOf("end")) ?? "")),
  );
  for (const line of lines) expect(line).not.toMatch(/\p{Surrogate}/u);
  expect(padToWidth("東京", 6)).toBe("東京  ");
});

test("the lists of the local API are aligned, too", async () => {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => lines.push(line));
  await printRows(
    [
      { name: "東京", id: 1 },
      { name: "Acme", id: 2 },
    ],
    { json: false, none: "" },
  );
  log.mockRestore();
  expect(lines).toEqual(["name  id\n東京   1\nAcme   2"]);
});

test("no text of any record acts on the terminal or breaks its line", () => {
  const key = fc.oneof(
    fc.string({ unit: "binary", maxLength: 5 }),
    fc.constantFrom("id", "name", "a.b", "__proto__"),
  );
  const rows = fc.array(
    fc.dictionary(key, fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }), { maxKeys: 5 }),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  fc.assert(
    fc.property(rows, (records) => {
      const table = formatTable(records);
      expect(table).not.toMatch(ACTING);
      expect(table.split("\n")).toHaveLength(records.length + 1);
      expect(formatAnswer(call, records[0])).not.toMatch(ACTING);
      const csv = csvLines(call, records, true).join("\n");
      expect(csv).not.toMatch(ACTING);
      const json = showJson(records);
      expect(json).not.toMatch(ACTING);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(records)));
    }),
  );
});

test("a point of a chart may have anything as its id", () => {
  expect(() => csvLines(call, [{ id: { toString: false }, value: 1 }], true)).not.toThrow();
});

test("known attacks come out as text", () => {
  for (const attack of attacks) {
    expect(formatTable([{ text: attack }])).not.toMatch(ACTING);
  }
});

test("a chart has a line for each point, in order of time", () => {
  const values = [
    { id: 1, name: "Alpha", value: 3 },
    { id: 2, name: "2026", value: 0 },
  ];
  const day = (number: number, points: unknown) => {
    const at = `2026-02-${number}T00:00:00.000+0000`;
    return { id: at, name: at, values: points };
  };
  const answer = { results: [day(18, values), day(17, values.slice(0, 1))] };
  expect(formatAnswer(call, answer)).toBe(
    [
      "name                 series  value",
      "2026-02-17 00:00:00  Alpha       3",
      "2026-02-18 00:00:00  Alpha       3",
      "2026-02-18 00:00:00  2026        0",
    ].join("\n"),
  );
  expect(formatAnswer(call, { results: [] })).toBe("nothing found");
});

test("a cell of a spreadsheet is a text, never a formula", () => {
  const [queries] = API_CALLS.filter(({ name }) => name === "tags");
  if (queries === undefined) throw new Error("no tags");
  const tags = [
    { id: -1, name: '=cmd|"x",1' },
    { id: 2, name: "plain" },
  ];
  expect(csvLines(queries, tags, true)).toEqual(["id,name", '-1,"\'=cmd|""x"",1"', "2,plain"]);
});
