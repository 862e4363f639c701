import { z } from "zod";
import { stableHash } from "../../lib/json.ts";
import { foldText } from "../../lib/text.ts";
import type { Mention } from "../model/mention.ts";
import { storyKey } from "../model/story.ts";
import type { Predicate } from "./predicate.ts";
import type { Series } from "./window-condition.ts";

/** The mentions that a window condition counts, with the words for them. */
export interface Slice {
  readonly predicate: Predicate;
  readonly series: Series;
  /** `mentions`, `negative mentions in category "Safety"`, or `matching mentions` where that would be too long. */
  readonly subject: string;
}

/** The unit of a slice: its mentions, or each author or story once in six hours. */
const UNITS = ["mentions", "authors", "stories"] as const;
type Unit = (typeof UNITS)[number];

/** The parameter of a window condition that names the unit. */
export const CountedUnit = z
  .enum(UNITS)
  .default("mentions")
  .describe("What is counted: mentions, or each author or each story once in six hours.");

/** The same slice, counted in another unit. */
export function inUnit(slice: Slice, unit: Unit): Slice {
  if (unit === "mentions") return slice;
  const { key, counts } = slice.series;
  const distinct =
    unit === "authors" ? { author: authorOf } : { author: storyKey, countsStories: true as const };
  return {
    ...slice,
    series: { key: stableHash({ slice: VERSION[unit], of: key, unit }), counts, ...distinct },
    subject: subjectIn(unit, slice.subject),
  };
}

/** The phrase for authors: mentions are negative, authors are not. */
function subjectIn(unit: Exclude<Unit, "mentions">, mentions: string): string {
  if (mentions === "mentions") return `different ${unit}`;
  return unit === "authors" ? `authors of ${mentions}` : mentions.replace("mentions", "stories");
}

/** A new number makes the stored units be counted again: a story used to be copies of one text only. */
const VERSION = { authors: 1, stories: 2 } as const;

/** If the source withholds the author, each mention counts as another author. */
export function authorOf({ author, authorName, resourceId }: Mention): string {
  const name = author ?? authorName;
  return name === null ? `mention ${resourceId}` : `author ${foldText(name)}`;
}

/** The slice of mentions that pass `predicate`; without one, all mentions. */
export function sliceOf(predicate: Predicate, isEverything: boolean): Slice {
  return {
    predicate,
    series: { key: stableHash({ slice: 1, form: predicate.form }), counts: predicate.matches },
    subject: isEverything ? "mentions" : subjectOf(predicate),
  };
}

function subjectOf({ adjective, attribute, shortAttribute, subject }: Predicate): string {
  if (adjective !== undefined) return `${adjective} mentions`;
  const phrases = [subject, ...[attribute, shortAttribute].map((one) => one && `mentions ${one}`)];
  return phrases.find((one) => one !== undefined && one.length <= LONGEST_SUBJECT) ?? "matching mentions";
}

/** Longer phrases would hide the numbers of the sentence. */
const LONGEST_SUBJECT = 60;
