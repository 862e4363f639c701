import { strToU8, Zip, ZipDeflate } from "fflate";
import { type ShownMention, STATUS_WORDS } from "#monitor";
import { toIso } from "../../lib/instant.ts";

/** One mention as a row of a table. Texts are of strangers, numbers are ours. */
type Cell = string | number | null;

const COLUMNS: Readonly<Record<string, (shown: ShownMention) => Cell>> = {
  time: ({ eventAt }) => toIso(eventAt),
  query: ({ queryName }) => queryName,
  sentiment: ({ mention }) => mention.sentiment,
  author: ({ mention }) => mention.author,
  name: ({ mention }) => mention.authorName,
  domain: ({ mention }) => mention.domain,
  type: ({ mention }) => mention.pageType,
  language: ({ mention }) => mention.language,
  country: ({ mention }) => mention.country,
  title: ({ mention }) => mention.title,
  text: ({ mention }) => mention.text,
  url: ({ mention }) => mention.url,
  followers: ({ mention }) => mention.followers,
  reach: ({ mention }) => mention.reach,
  categories: ({ mention }) => mention.categories.map(({ name, id }) => name ?? id).join(", "),
  tags: ({ mention }) => mention.tags.join(", "),
  status: ({ workflow }) => STATUS_WORDS[workflow?.status ?? "open"],
  assignee: ({ workflow }) => workflow?.assignee ?? null,
  "own tags": ({ workflow }) => workflow?.tags.join(", ") ?? "",
  lists: ({ lists = [] }) => [...new Set(lists.map(({ list }) => list))].join(", "),
  id: ({ mention }) => mention.resourceId,
};

export type ExportKind = keyof typeof EXPORTS;

/** The kinds of files, each with its type and how it is written, a batch of mentions at a time. */
export const EXPORTS = {
  csv: { type: "text/csv; charset=utf-8", write: writeCsv },
  jsonl: { type: "application/jsonl; charset=utf-8", write: writeJsonLines },
  xlsx: { type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", write: writeXlsx },
} as const;

/** Of one file. */
export const MOST_EXPORTED = 100_000;

type Batches = AsyncIterable<readonly ShownMention[]>;

async function* writeCsv(batches: Batches): AsyncGenerator<string> {
  // Without the mark at its beginning, spreadsheets read the file in another encoding.
  yield `\uFEFF${Object.keys(COLUMNS).join(",")}\r\n`;
  for await (const batch of batches)
    yield batch
      .map(
        (shown) =>
          `${Object.values(COLUMNS)
            .map((of) => csvCell(of(shown)))
            .join(",")}\r\n`,
      )
      .join("");
}

/** Spreadsheets run a cell that begins with one of these as a formula; an apostrophe before it makes it text. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20|\t\r]/;

export function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n';\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

async function* writeJsonLines(batches: Batches): AsyncGenerator<string> {
  for await (const batch of batches)
    yield batch
      .map((shown) => {
        const row = Object.entries(COLUMNS).map(([name, of]) => [name, of(shown)]);
        return `${JSON.stringify(Object.fromEntries(row))}\n`;
      })
      .join("");
}

/** A workbook with one sheet, compressed as it is written. Its texts are inline strings, and so never formulas. */
async function* writeXlsx(batches: Batches): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error !== null) throw error;
    ready.push(bytes);
  });
  for (const [name, content] of Object.entries(WORKBOOK)) {
    const part = new ZipDeflate(name);
    zip.add(part);
    part.push(strToU8(content), true);
  }
  const sheet = new ZipDeflate("xl/worksheets/sheet1.xml");
  zip.add(sheet);
  sheet.push(strToU8(`${SHEET}${xlsxRow(Object.keys(COLUMNS))}`));
  for await (const batch of batches) {
    const rows = batch.map((shown) => xlsxRow(Object.values(COLUMNS).map((of) => of(shown))));
    sheet.push(strToU8(rows.join("")));
    yield* ready.splice(0);
  }
  sheet.push(strToU8("</sheetData></worksheet>"), true);
  zip.end();
  yield* ready.splice(0);
}

/** The most that a cell may hold. */
const MOST_LETTERS = 32_767;
/** Control characters and halves of characters may not stand in XML, not even escaped. */
const NOT_IN_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function xlsxRow(cells: readonly Cell[]): string {
  return `<row>${cells
    .map((value) => {
      if (value === null) return "<c/>";
      if (typeof value === "number") return `<c><v>${value}</v></c>`;
      return `<c t="inlineStr"><is><t xml:space="preserve">${xmlText(value.slice(0, MOST_LETTERS))}</t></is></c>`;
    })
    .join("")}</row>`;
}

function xmlText(text: string): string {
  return text
    .replaceAll(NOT_IN_XML, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OF_SHEETS = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const SHEET = `${XML}<worksheet xmlns="${MAIN}"><sheetData>`;
/** The files of a workbook besides its sheet. */
const WORKBOOK: Readonly<Record<string, string>> = {
  "[Content_Types].xml": `${XML}<Types xmlns="${PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml" ContentType="${OF_SHEETS}.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${OF_SHEETS}.worksheet+xml"/>
</Types>`,
  "_rels/.rels": `${XML}<Relationships xmlns="${PACKAGE}/relationships">
<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/>
</Relationships>`,
  "xl/workbook.xml": `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">
<sheets><sheet name="Mentions" sheetId="1" r:id="rId1"/></sheets>
</workbook>`,
  "xl/_rels/workbook.xml.rels": `${XML}<Relationships xmlns="${PACKAGE}/relationships">
<Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>
</Relationships>`,
};
