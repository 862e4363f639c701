import type { Message } from "./message.ts";
import type { Moment, Recount, Slice } from "./world.ts";

/** What is known of the thing that a message is about, from the words of its thread. */
export interface Topic {
  brand: string | null;
  /** What its counts count, in the words of the message: "negative mentions". */
  subject: string | null;
  /** Its first sign, as the message says. */
  since: Moment | null;
  /** The beginning of the time in which an incident is counted. */
  countedFrom: Moment | null;
  /** The end of that time, as the message says. */
  countedTo: Moment | null;
  /** When its thread last spoke of another wave. */
  waveAt: Moment | null;
  /** Its end, as the message says. */
  until: Moment | null;
  /** How long it was, as the row of an incident in a digest says. */
  lastedMs: number | null;
  /** Names of people in whose words it is grouped. */
  author: string | null;
  /** The width of its count. */
  widthMs: number | null;
  /** The peak that its thread has said, and when the message was sent. */
  readonly peaks: { readonly text: string; readonly at: Moment }[];
  /** What is said of chance, in words. */
  readonly chances: string[];
}

export interface Context {
  readonly recount: Recount;
  readonly message: Message;
  readonly line: string;
  /** The line with the sentences about other brands of the same incident. */
  readonly whole: string;
  readonly topic: Topic;
  /** The brand that this line is about. */
  readonly brand: string | null;
  /** When other things of its brand began, as their threads say. */
  readonly begun: readonly Moment[];
  /** Other numbers of the same line. */
  readonly said: Map<string, number>;
}

/** Why a number is false, with what was counted; null where it is true. */
export type Verdict = string | null;

/** One kind of statement with a number, and how it is recounted. */
export interface Statement {
  readonly name: string;
  /** What the number means, in one sentence, to somebody who knows nothing. */
  readonly means: string;
  readonly pattern: RegExp;
  judge(groups: readonly string[], context: Context): Verdict;
}

/** A statement of this kind was found in a line. */
export interface FoundStatement {
  readonly statement: Statement;
  readonly text: string;
  readonly verdict: Verdict;
}

export interface ReadLine {
  readonly found: readonly FoundStatement[];
  /** Numbers that no kind of statement explains. */
  readonly unknown: readonly string[];
}

/**
 * Finds the statements of a line, the first kind first; no part of the line belongs to two. What is left and has a digit
 * is a number that nobody can explain.
 */
export function readLine(
  statements: readonly Statement[],
  context: Context,
  names: ReadonlySet<string>,
): ReadLine {
  if (!/\d|once a/.test(context.line)) return { found: [], unknown: [] };
  // What stands between quotation marks, a stranger has written.
  let left = context.line
    .replaceAll(/“[^”]*”/g, hide)
    .replaceAll(NAME_WITH_DIGITS, (word) => (names.has(word) ? hide(word) : word));
  const found: FoundStatement[] = [];
  for (const statement of statements) {
    left = left.replaceAll(statement.pattern, (text, ...groups: unknown[]) => {
      const captured = groups.slice(
        0,
        groups.findIndex((group) => typeof group === "number"),
      );
      const words = captured.map((group) => (typeof group === "string" ? show(group) : ""));
      found.push({ statement, text: show(text), verdict: statement.judge(words, context) });
      return "_".repeat(text.length);
    });
  }
  const unknown = left.match(/[^\s_]*\d[^\s_]*/g) ?? [];
  return { found, unknown };
}

/** Digits of names, as characters that are no digits. */
const HIDDEN = 0xe000;

function hide(word: string): string {
  return word.replaceAll(/\d/g, (digit) => String.fromCharCode(HIDDEN + Number(digit)));
}

function show(text: string): string {
  return text.replaceAll(/[\ue000-\ue009]/g, (sign) => String(sign.charCodeAt(0) - HIDDEN));
}

/** A word with a digit and a letter, as it may be in a name. */
export const NAME_WITH_DIGITS = /(?<![\p{L}\p{N}_])(?=[\p{L}\p{N}_-]*\d)(?=[\d_-]*\p{L})[\p{L}\p{N}_-]+/gu;

/** Words for what is counted. */
const SUBJECTS: Readonly<Record<string, Slice["test"]>> = {
  "negative mentions": ({ sentiment }) => sentiment === "negative",
  "negative mention": ({ sentiment }) => sentiment === "negative",
  negative: ({ sentiment }) => sentiment === "negative",
  "positive mentions": ({ sentiment }) => sentiment === "positive",
  "positive mention": ({ sentiment }) => sentiment === "positive",
  positive: ({ sentiment }) => sentiment === "positive",
  neutral: ({ sentiment }) => sentiment === "neutral",
  mentions: () => true,
  mention: () => true,
};

/** `in category "Safety" or others`: one of these words, or of others like it. */
export const CATEGORY = String.raw` in category "[^"]+"(?: or others)?`;

export const SUBJECT = String.raw`(?:negative |positive |neutral |matching |different )?(?:mentions?|stor(?:y|ies)|authors?)(?: of (?:negative |positive )?mentions)?(?:${CATEGORY})?|negative|positive`;

/** What is counted one by one: not authors or stories, of which only the product can tell which ones count. */
export const COUNTED_SUBJECT = String.raw`(?:negative|positive) mentions?|mentions?(?:${CATEGORY})?|stor(?:y|ies)${CATEGORY}|negative|positive`;

/** The mentions that a subject of a brand means; null for subjects that only the product can tell. */
export function sliceOf(subject: string, brand: string | null): Slice | null {
  const test = SUBJECTS[subject] ?? categoryOf(subject);
  return test === undefined ? null : { brand, test };
}

/** Which mentions are looked at, where not they are counted but their stories or authors. */
export function lookedAt(subject: string, brand: string | null): Slice | null {
  return sliceOf(
    subject.replace(/^(?:stor(?:y|ies)|authors of mentions)(?= in category)/, "mentions"),
    brand,
  );
}

/** "Product safety" is like "Safety". */
function categoryOf(subject: string): Slice["test"] | undefined {
  const [, name] = /^mentions? in category "([^"]+)"/.exec(subject) ?? [];
  const word = name?.toLowerCase();
  return word === undefined
    ? undefined
    : ({ categories }) => categories.some((one) => one.toLowerCase().includes(word));
}
