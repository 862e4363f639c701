import type { ApiCall } from "#monitor";
import { formatNumber } from "../../lib/numbers.ts";
import { recordsOf } from "./format-answer.ts";

/** How many of all records were shown, and how to see the rest; null if the answer is one record. */
export function printTotal(call: ApiCall, answer: unknown): string | null {
  const records = recordsOf(answer);
  if (records === null) return null;
  const { resultsTotal, scaledResultsTotal } = answer as {
    readonly [field in "resultsTotal" | "scaledResultsTotal"]?: unknown;
  };
  const shown = formatNumber(records.length);
  if (!call.isPaged || typeof resultsTotal !== "number" || resultsTotal <= records.length)
    return `${shown} shown`;
  const isSampled = typeof scaledResultsTotal === "number" && scaledResultsTotal > resultsTotal;
  const scaled = isSampled ? ` (a sample of about ${formatNumber(scaledResultsTotal)})` : "";
  return `${shown} shown of ${formatNumber(resultsTotal)}${scaled}; --all writes every one as a line of JSON`;
}
