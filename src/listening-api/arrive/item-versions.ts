import type { Instant } from "../../lib/instant.ts";
import { inQuery, type ProjectQueries, withMatchPositions } from "../assign/assign-queries.ts";
import type { ImportLine } from "../import/import-line.ts";
import { importedMention } from "../import/imported-mention.ts";
import { searchableMention } from "../query-language/search-text.ts";
import { categoryJudgementsOf } from "../records/category-judgement.ts";
import { judgeable } from "../records/judgement.ts";
import type { MentionRecord } from "../records/mention-record.ts";
import { excerptOf } from "../records/mention-text.ts";
import { wireTime } from "../records/wire.ts";
import type { CurrentMention } from "../store/current-mentions.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import type { ItemKeys } from "./decide-item.ts";

/** An item of a feed that came in. */
export interface ArrivedItem extends ItemKeys {
  readonly nativeId: string;
  /** With the whole text, which queries see. Its id is `idKey`, which becomes the id of the mention. */
  readonly line: ImportLine;
  /** How its source is asked for it again, where that is not by its id. */
  readonly reference?: string | null;
  /** How much of the text may be stored, in UTF-16 code units; null: all of it. */
  readonly storedCharacters: number | null;
  /** Hash of the account that wrote it, by which a removal of the account finds it. */
  readonly authorKey?: string;
}

/**
 * The item in every query that its whole text matches, with as much of it as may be stored. Step by step, one for each
 * query: a long text and a thousand queries take seconds.
 */
export function* matching(
  item: ArrivedItem,
  queries: ProjectQueries,
  at: Instant,
): Generator<void, MentionVersion[]> {
  if (queries.isEmpty) return [];
  const whole = importedMention(arriving(item.line, at), { id: 0, name: "" }, NO_LABELS);
  const mention = searchableMention(whole.record, whole.fullText);
  const found: MentionVersion[] = [];
  for (const id of queries.candidates(mention)) {
    yield;
    const query = yield* queries.match(id, mention);
    if (query === null) continue;
    if (isStoredWhole(item)) found.push(inQuery(whole, query));
    else {
      const from = Math.min(...query.positions.map(startOf), Number.POSITIVE_INFINITY);
      found.push(withMatchPositions(storedVersion(item, query, from, at), queries));
    }
  }
  return found;
}

const NO_LABELS = { categories: [], tags: [] };

function isStoredWhole({ line, storedCharacters }: ArrivedItem): boolean {
  return storedCharacters === null || line.text.length <= storedCharacters;
}

function startOf(position: object): number {
  const start: unknown = Reflect.get(position, "start");
  return typeof start === "number" ? start : Number.POSITIVE_INFINITY;
}

/** Enough to understand what is said about a word. */
const BEFORE_MATCH = 200;
/** Of a character of two code units: what is left of it where a text is cut in its middle. */
const SECOND_HALF = /^[\uDC00-\uDFFF]/;

/** The part of the text around its first match, which is what a reader looks for. */
export function storedVersion(
  item: ArrivedItem,
  query: { readonly id: number; readonly name: string },
  matchAt: number,
  at: Instant,
): MentionVersion {
  const { line, storedCharacters: most } = item;
  if (most === null || isStoredWhole(item)) return importedMention(arriving(line, at), query, NO_LABELS);
  const isFar = Number.isFinite(matchAt) && matchAt > most - BEFORE_MATCH;
  const from = isFar ? Math.max(0, matchAt - BEFORE_MATCH) : 0;
  const rest = from === 0 ? line.text : `…${line.text.slice(from).replace(SECOND_HALF, "")}`;
  const text = rest.length > most ? `${excerptOf(rest, most - 1)}…` : rest;
  return importedMention(arriving({ ...line, text }, at), query, NO_LABELS);
}

/** Whatever its own date is, it arrives now. */
function arriving(line: ImportLine, at: Instant): ImportLine {
  return { ...line, added: at, updated: at };
}

/** Who wrote it where, as people ask for it to be forgotten; without its text. */
export function recordOf({ line }: ArrivedItem, at: Instant): MentionRecord {
  return importedMention(arriving({ ...line, text: "" }, at), { id: 0, name: "" }, NO_LABELS).record;
}

/** What people and rules did to a mention, and a text that changes does not undo. */
const KEPT_FIELDS = [
  ...["tags", "categories", "categoryDetails", "assignment", "lastAssignmentDate"],
  ...["priority", "status", "checked", "starred"],
] as const;

/** Of the place of a mention. People and rules say it as a whole. */
const PLACE_FIELDS = [
  ...["city", "cityCode", "region", "regionCode"],
  ...["country", "countryCode", "continent", "continentCode"],
] as const;

/** The next version is visible from the arrival of the mention on: a read of that time finds the newest content. */
export function nextVersion(before: CurrentMention, after: MentionVersion, at: Instant): MentionVersion {
  const updated = Math.max(at, before.updated + 1);
  const kept = withKept(before, after);
  const times = { added: wireTime(before.added), updated: wireTime(updated) };
  return {
    ...kept,
    version: before.version + 1,
    record: { ...kept.record, ...times },
    added: before.added,
    updated,
    visibleAt: before.added,
    backfilled: before.backfilled,
  };
}

/** The new version, with what people and rules did to the one before it. */
export function withKept(before: CurrentMention, after: MentionVersion): MentionVersion {
  // A source that says no place does not take back what a person or a rule said.
  const isPlaced = PLACE_FIELDS.some((name) => Reflect.get(after.record, name) !== null);
  const names = isPlaced ? KEPT_FIELDS : [...KEPT_FIELDS, ...PLACE_FIELDS];
  const kept = Object.fromEntries(
    names.flatMap((name) => (before.fields[name] === undefined ? [] : [[name, before.fields[name]]])),
  ) as Partial<MentionRecord>;
  // What a person or the source said of it stays; an analyser judges the new text anew.
  const judged = judgeable(before.fields) ? {} : { sentiment: before.fields["sentiment"] as string };
  const classifications = [...after.record.classifications, ...categoryJudgementsOf(before.fields)];
  const record = { ...after.record, ...kept, ...judged, classifications };
  return { ...after, record, tagIds: before.tagIds };
}
