import fc from "fast-check";
import { expect, test } from "vitest";
import { type CsvRecord, readCsv } from "../../../src/local-api/import/read-csv.ts";
import { readDate } from "../../../src/local-api/import/read-date.ts";

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
    { numRuns: 200 },
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

test("a record that is too long is told, and the next one is read", async () => {
  expect(await read(`a,b\n${"x".repeat(50)},1\n2,3`, 7, 40)).toEqual([
    { line: 1, cells: ["a", "b"] },
    { line: 2, tooLong: true },
    { line: 3, cells: ["2", "3"] },
  ]);
});

test.each([
  ["2026-03-01", "2026-03-01T00:00:00Z"],
  ["2026-03-01T10:00:00.000+0100", "2026-03-01T09:00:00Z"],
  ["2015-02-24 11:35:52 -0800", "2015-02-24T19:35:52Z"],
  ["2026-03-01 10:00", "2026-03-01T10:00:00Z"],
  ["Sun, 01 Mar 2026 10:00:00 GMT", "2026-03-01T10:00:00Z"],
  ["Tue Feb 24 11:35:52 +0000 2015", "2015-02-24T11:35:52Z"],
  ["1772359200", "2026-03-01T10:00:00Z"],
])("the date %s is read", (text, expected) => {
  expect(readDate(text, {})).toBe(Date.parse(expected));
});

test("a date that may be read in two ways wants a format, and one without an offset a zone", () => {
  expect(readDate("03/04/2026", {})).toBeUndefined();
  expect(readDate("03/04/2026 10:00", { format: "dd/MM/yyyy HH:mm", timezone: "Europe/Berlin" })).toBe(
    Date.parse("2026-04-03T08:00:00Z"),
  );
});
