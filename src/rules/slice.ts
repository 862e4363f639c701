import { foldText } from "../lib/fold-text.ts";
import { stableHash } from "../lib/stable-hash.ts";
import type { Mention } from "../model/mention.ts";
import { storyKey } from "../model/story.ts";
import type { Predicate } from "./predicate.ts";
import type { Series } from "./window-condition.ts";

/** The mentions that a window condition looks at, with the words for them. */
export interface Slice {
  readonly predicate: Predicate;
  readonly series: Series;
  /** `mentions`, `negative mentions in category "Safety"`, or `matching mentions` where that would be too long. */
  readonly subject: string;
}

/** What is counted of a slice: its mentions, or each author or story once in six hours. */
export const UNITS = ["mentions", "authors", "stories"] as const;
export type Unit = (typeof UNITS)[number];

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

/** Authors are not negative, what they say is. */
function subjectIn(unit: Exclude<Unit, "mentions">, mentions: string): string {
  if (mentions === "mentions") return `different ${unit}`;
  return unit === "authors" ? `authors of ${mentions}` : mentions.replace("mentions", "stories");
}

/** A new number has a unit counted anew in what is stored: stories were once copies of one text alone. */
const VERSION = { authors: 1, stories: 2 } as const;

/** Where the source withholds the author, everybody is somebody else. */
function authorOf({ author, authorName, resourceId }: Mention): string {
  const name = author ?? authorName;
  return name === null ? `mention ${resourceId}` : `author ${foldText(name)}`;
}

/** The slice of the mentions that pass `predicate`; of all mentions without one. */
export function sliceOf(predicate: Predicate, isEverything: boolean): Slice {
  return {
    predicate,
    series: { key: stableHash({ slice: 1, form: predicate.form }), counts: predicate.matches },
    subject: isEverything ? "mentions" : subjectOf(predicate),
  };
}

function subjectOf({ adjective, attribute, subject }: Predicate): string {
  if (adjective !== undefined) return `${adjective} mentions`;
  const said = subject ?? (attribute === undefined ? undefined : `mentions ${attribute}`);
  return said === undefined || said.length > LONGEST_SUBJECT ? "matching mentions" : said;
}

/** A sentence with a longer one has lost its numbers to whoever reads it in haste. */
const LONGEST_SUBJECT = 60;
