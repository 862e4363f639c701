import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CsvRecord, readCsv } from "../../src/lib/read-csv.ts";
import { runs } from "../runs.ts";

async function read(text: string, chunkBytes = 1_000, maxCharacters = 10_000): Promise<CsvRecord[]> {
  async function* chunks() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const records: CsvRecord[] = [];
  for await (const record of readCsv(chunks(), { maxCharacters })) records.push(record);
  return records;
}

const written = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

test("whatever was written is read, however the bytes arrive", async () => {
  const cell = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll("\uFEFF", ""));
  const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom("\n", "\r\n"),
      async (table, size, end) => {
        const text = table.map((cells) => cells.map(written).join(",")).join(end);
        const records = await read(text, size);
        expect(records.map((record) => ("cells" in record ? record.cells : []))).toEqual(table);
      },
    ),
    { numRuns: runs(200) },
  );
});

test("delimiters are found out, lines counted, empty ones passed over, a byte order mark, too", async () => {
  expect(await read('\uFEFFa;b\n\n"x\ny";2\n3;4')).toEqual([
    { line: 1, cells: ["a", "b"] },
    { line: 3, cells: ["x\ny", "2"] },
    { line: 5, cells: ["3", "4"] },
  ]);
  expect(await read("a\tb\r\n1\t2\r\n")).toEqual([
    { line: 1, cells: ["a", "b"] },
    { line: 2, cells: ["1", "2"] },
  ]);
});

test("a record that is too long is reported, and the next one is read", async () => {
  expect(await read(`a,b\n${"x".repeat(50)},1\n2,3`, 7, 40)).toEqual([
    { line: 1, cells: ["a", "b"] },
    { line: 2, tooLong: true },
    { line: 3, cells: ["2", "3"] },
  ]);
});

test("files as RFC 4180 has them are read as csv-parse reads them", async () => {
  const sign = fc.constantFrom(",", '"', "\n", "\r\n", " ", "a", "é", "東", "😀");
  const cell = fc.array(sign, { maxLength: 5 }).map((signs) => signs.join(""));
  const quoted = fc
    .tuple(cell, fc.boolean())
    .map(([text, always]) => (always || /[,"\r\n]/.test(text) ? written(text) : text));
  const table = fc.array(fc.array(quoted, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      async (rows, size, end) => {
        const text = rows.map((cells) => cells.join(",")).join(end);
        const theirs = parse(text, { delimiter: ",", record_delimiter: end, relax_column_count: true });
        const ours: CsvRecord[] = [];
        async function* chunks() {
          const bytes = Buffer.from(text);
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        }
        for await (const record of readCsv(chunks(), { maxCharacters: 10_000, delimiter: "," }))
          ours.push(record);
        expect(ours.map((record) => ("cells" in record ? record.cells : []))).toEqual(theirs);
      },
    ),
    { numRuns: 200 },
  );
});

test("a line break inside of quotes is one line, also where it is two letters", async () => {
  expect(await read('a,b\r\n"x\r\ny",2\r\n3,4')).toEqual([
    { line: 1, cells: ["a", "b"] },
    { line: 2, cells: ["x\r\ny", "2"] },
    { line: 4, cells: ["3", "4"] },
  ]);
});
