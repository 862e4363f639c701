import type { ApiCall, LoginAnswer } from "#monitor";
import { formatNumber } from "../../lib/numbers.ts";
import {
  cellText,
  fieldOf,
  formatTable,
  isRow,
  plainFields,
  type Row,
  titleOf,
} from "../common/format-table.ts";

/** The records of a list answer, with or without an envelope; null if the answer is one record. */
export function recordsOf(answer: unknown): readonly unknown[] | null {
  if (Array.isArray(answer)) return answer;
  const results = isRow(answer) ? answer["results"] : undefined;
  return Array.isArray(results) ? results : null;
}

/** An answer for people: a table of records, or the fields of a single one. */
export function formatAnswer(call: ApiCall, answer: unknown): string {
  const records = recordsOf(answer);
  if (records === null) return formatTable(fieldsOf(answer, ""), ["name", "value"]).replace(/^.*\n/, "");
  if (records.length === 0) return "nothing found";
  const rows = toRows(call, records);
  return formatTable(rows, call.columns ?? plainFields(rows));
}

/** Lines of CSV, with a header if it is wanted. */
export function csvLines(call: ApiCall, records: readonly unknown[], withHeader: boolean): string[] {
  const rows = toRows(call, records);
  const columns = call.columns ?? plainFields(rows);
  const lines = rows.map((row) => columns.map((column) => csvCell(fieldOf(row, column))).join(","));
  return withHeader ? [columns.map((column) => csvCell(titleOf(column))).join(","), ...lines] : lines;
}

/** How many of all records were shown, and how to see the rest; null if the answer is one record. */
export function describeTotal(call: ApiCall, answer: unknown): string | null {
  const records = recordsOf(answer);
  if (records === null) return null;
  const { resultsTotal, scaledResultsTotal } = answer as Row;
  const shown = `${formatNumber(records.length)} shown`;
  if (!call.isPaged || typeof resultsTotal !== "number" || resultsTotal <= records.length) return shown;
  const isSampled = typeof scaledResultsTotal === "number" && scaledResultsTotal > resultsTotal;
  const scaled = isSampled ? ` (a sample of about ${formatNumber(scaledResultsTotal)})` : "";
  return `${shown} of ${formatNumber(resultsTotal)}${scaled}; --all writes every one as a line of JSON`;
}

/** The answer of a login. The token is a secret: only JSON, made for scripts, has it. */
export function tokenRecord({ token, ...answer }: LoginAnswer, asJson: boolean): Row {
  return {
    access_token: asJson ? token : `received, ${token.length} characters (--json shows it)`,
    token_type: answer.tokenType,
    expires_in: answer.expiresInSeconds,
    scope: answer.scopes.join(" "),
  };
}

function fieldsOf(value: unknown, prefix: string): Row[] {
  return Object.entries(isRow(value) ? value : { value }).flatMap(([name, held]) =>
    isRow(held) && prefix.length < 100
      ? fieldsOf(held, `${prefix}${name}.`)
      : [{ name: `${prefix}${name}`, value: held ?? "–" }],
  );
}

function toRows(call: ApiCall, records: readonly unknown[]): readonly Row[] {
  const rows = records.map((record) => (isRow(record) ? record : { value: record }));
  return call.name === "chart" ? chartRows(rows) : rows;
}

/** A row for each point of a chart, in order of time where the first dimension is time. */
function chartRows(rows: readonly Row[]): Row[] {
  const isTime = rows.every(({ id }) => typeof id === "string" && /^\d{4}-\d\d-\d\dT/.test(id));
  const ordered = isTime ? rows.toSorted((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1)) : rows;
  return ordered.flatMap((row) => {
    const points = Array.isArray(row["values"]) ? row["values"].filter(isRow) : [];
    return points.map(({ id, name = id, value = 0 }) => ({
      name: row["name"] ?? row["id"],
      series: name,
      ...(isRow(value) ? value : { value }),
    }));
  });
}

/** A spreadsheet would run a text that begins like a formula; an apostrophe in front makes it a text. */
function csvCell(value: unknown): string {
  const text = cellText(value);
  const safe = typeof value !== "number" && /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
