import fc from "fast-check";
import { expect, it } from "vitest";
import { parseImportLine } from "../../../src/listening-api/import/import-line.ts";
import { type ImportFormat, readImportRows } from "../../../src/listening-api/import/read-import-rows.ts";

/** The rows of a file that comes in pieces of so many bytes. */
async function rowsOf(text: string, format: ImportFormat, piece = 1_000_000) {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  }
  const rows = [];
  for await (const row of readImportRows(pieces(), format)) rows.push(row);
  return rows;
}

async function cellsOf(header: string, cells: string, format: Partial<ImportFormat> = {}) {
  const [row] = await rowsOf(`id,text,date,${header}\n7,hello,2026-03-01,${cells}\n`, {
    kind: "csv",
    ...format,
  });
  const parsed = parseImportLine(row !== undefined && "value" in row ? row.value : undefined);
  return "reason" in parsed ? parsed.reason : parsed;
}

it("a file of JSON lines has the same lines however it comes, wherever it was written", async () => {
  const values = fc.array(fc.record({ id: fc.string({ unit: "binary" }) }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      values,
      fc.constantFrom("\n", "\r\n", "\n\n"),
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      async (all, end, isMarked, isEnded, piece) => {
        const text = all.map((one) => JSON.stringify(one)).join(end);
        const file = `${isMarked ? "\ufeff" : ""}${text}${isEnded ? end : ""}`;
        const rows = await rowsOf(file, { kind: "jsonl" }, piece);
        expect(rows).toEqual(all.map((value, n) => ({ line: 1 + n * (end === "\n\n" ? 2 : 1), value })));
      },
    ),
  );
});

it("goes on after a line, and says which lines are too long or no JSON", async () => {
  const file = ["{}", "[1", `"${"x".repeat(1_048_574)}"`, `"${"x".repeat(1_048_575)}"`, "1"].join("\n");
  expect(
    (await rowsOf(file, { kind: "jsonl" })).map((row) => ("reason" in row ? row.reason : row.line)),
  ).toEqual([1, "is not JSON", 3, "is longer than 1048576 bytes", 5]);
  expect(await rowsOf(file, { kind: "jsonl", afterLine: 4 })).toEqual([{ line: 5, value: 1 }]);
  expect(
    (await rowsOf("text,date\na,b\nc,d\ne,f", { kind: "csv", afterLine: 2 })).map(({ line }) => line),
  ).toEqual([3, 4]);
});

it.each([
  ["likes", '"1,234"', { likes: 1234 }],
  ["likes", '"12,345,678"', { likes: 12_345_678 }],
  ["likes", "+5", { likes: 5 }],
  ["likes", "5.0", { likes: 5 }],
  ["likes", "5.5", expect.stringContaining("likes")],
  ["likes", "-1", expect.stringContaining("likes")],
  ["likes", '"12,34"', expect.stringContaining("likes")],
  ["likes", "1 234", expect.stringContaining("likes")],
  ["impact", "-3", { impact: -3 }],
  ["rating", "0012", { rating: "0012" }],
  ["verified", "Yes", { verified: true }],
  ["verified", "0", { verified: false }],
  ["checked", "N", { checked: false }],
  ["sentiment", "NEG", { sentiment: "negative" }],
  ["sentiment", "0", { sentiment: "neutral" }],
  ["coordinates", '"[40.7, -74]"', { coordinates: [40.7, -74] }],
  ["coordinates", '"(40.7,-74)"', { coordinates: [40.7, -74] }],
  ["coordinates", "40.7;-74", { coordinates: [40.7, -74] }],
  ["coordinates", '"40.7,"', expect.stringContaining("coordinates")],
  ["tags", '"vip, press office;a"', { tags: ["vip", "press office", "a"] }],
  ["tags", '"[""a,b"",""c""]"', { tags: ["a,b", "c"] }],
  ["tags", "5", { tags: ["5"] }],
  ["author", "NULL", {}],
  ["author", "", {}],
  ["author", "007", { author: "007" }],
])("the cell %s of %s", async (header, cell, expected) => {
  const found = await cellsOf(header, cell);
  if (typeof found === "string") expect(found).toEqual(expected);
  else
    expect(found).toEqual({
      id: "7",
      text: "hello",
      date: Date.parse("2026-03-01"),
      ...(expected as object),
    });
});

it("an id is the same for the same cells, and an empty text is a text", async () => {
  const [first, again, other] = (
    await rowsOf("text,date\n,2026-03-01\n,2026-03-01\nb,2026-03-01", { kind: "csv" })
  ).map((row) => ("value" in row ? (row.value as { id: string; text: string }) : undefined));
  expect(first).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{32}$/), text: "" });
  expect(again).toEqual(first);
  expect(other?.id).not.toBe(first?.id);
});

it("tells columns that no field takes, and rows with more cells than the header", async () => {
  const unused: string[] = [];
  const format: ImportFormat = { kind: "csv", onUnused: (columns) => unused.push(...columns) };
  const rows = await rowsOf("text,date,shoe size\na,2026-03-01,44\na,2026-03-01\na,b,c,d", format);
  expect(unused).toEqual(["shoe size"]);
  expect(rows.map((row) => ("reason" in row ? row.reason : row.line))).toEqual([
    2,
    3,
    "has 4 cells, the header has 3",
  ]);
});
