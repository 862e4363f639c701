import type { Instant } from "../../lib/instant.ts";
import type { Mention } from "../model/mention.ts";
import type { Budget } from "./budget.ts";
import { parseJson } from "./parse-json.ts";
import { type Rejection, toMention } from "./to-mention.ts";
import { parseHttpDate } from "./wire-values.ts";

interface RejectedMention extends Rejection {
  /** Its index among the page's results. */
  readonly index: number;
}

/** One answer of the mentions call. */
export interface Page {
  readonly mentions: readonly Mention[];
  /** Mentions that arrived and cannot be stored. Together with `mentions` it is everything that the source sent. */
  readonly rejected: readonly RejectedMention[];
  readonly nextCursor: string | null;
  /** How many mentions match in all; null if the source did not count. */
  readonly total: number | null;
  /** The page size that the source says it used; null if it does not say. */
  readonly pageSize: number | null;
  readonly budget: Budget | null;
  /** The server's own time, in whole seconds; null if it does not say. */
  readonly servedAt: Instant | null;
  /**
   * Only Earshot's own local API sends it, for a call about one query: a number that rises with every write to the
   * query's mentions, as it was before the page was read.
   */
  readonly revision: string | null;
}

/** Reads a page. Throws a SyntaxError if the bytes are not JSON or have no list of results. */
export function toPage(
  body: Buffer,
  budget: Budget | null,
  date: string | null = null,
  revision: string | null = null,
): Page {
  const { envelope, results, read } = parseEnvelope(body);
  const mentions: Mention[] = [];
  const rejected: RejectedMention[] = [];
  for (let index = 0; index < results.length; index++) {
    const outcome = toMention(results[index], read);
    if (outcome.mention !== null) mentions.push(outcome.mention);
    else rejected.push({ index, ...outcome.rejection });
  }
  return {
    mentions,
    rejected,
    nextCursor: toCursor(envelope.nextCursor, read),
    total: toSize(envelope.resultsTotal, 0),
    pageSize: toSize(envelope.resultsPageSize, 1),
    budget,
    servedAt: parseHttpDate(date),
    revision,
  };
}

type Envelope = { readonly [field in Field]?: unknown };
type Field = "results" | "resultsTotal" | "resultsPageSize" | "nextCursor";

/** Whatever it is, it is sent back unchanged. */
function toCursor(raw: unknown, read: (raw: string) => string): string | null {
  if (typeof raw === "number" && Number.isSafeInteger(raw) && raw > 0) return String(raw);
  return typeof raw === "string" && raw !== "" ? read(raw) : null;
}

function toSize(raw: unknown, least: number): number | null {
  return typeof raw === "number" && Number.isSafeInteger(raw) && raw >= least ? raw : null;
}

interface ParsedEnvelope {
  readonly envelope: Envelope;
  readonly results: readonly unknown[];
  readonly read: (raw: string) => string;
}

function parseEnvelope(body: Buffer, longIds = false): ParsedEnvelope {
  const { value, read } = parseJson(body, { longIds });
  const envelope = (typeof value === "object" ? value : null) as Envelope | null;
  const results: unknown = envelope?.results;
  if (envelope === null || !Array.isArray(results)) throw new SyntaxError("there is no list of results");
  // The earlier version has integers for ids. Those that lost digits are read once more, as text.
  return !longIds && results.some(hasLostDigits) ? parseEnvelope(body, true) : { envelope, results, read };
}

function hasLostDigits(result: unknown): boolean {
  const { id, resourceId, queryId, categories } = (result ?? {}) as {
    readonly [field in "id" | "resourceId" | "queryId" | "categories"]?: unknown;
  };
  return (
    isUnsafe(resourceId) ||
    isUnsafe(queryId) ||
    isUnsafe(id) ||
    (Array.isArray(categories) && categories.length > 0 && categories.some(isUnsafe))
  );
}

function isUnsafe(raw: unknown): boolean {
  return typeof raw === "number" && !Number.isSafeInteger(raw);
}
