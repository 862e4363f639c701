import { normalized } from "../../lib/text.ts";
import { UNSPACED } from "../../lib/unspaced-scripts.ts";
import type { FieldExpression, Piece, Term, WordPattern } from "./expression.ts";
import type { Field } from "./fields/define-field.ts";
import type { TextForm } from "./lexemes.ts";
import type { Problems, Span } from "./problem.ts";
import {
  casedWord,
  foldWord,
  lowerWord,
  significantSigns,
  splitWords,
  WORD_WITH_WILDCARDS,
  withOneSigma,
} from "./split-words.ts";

/** The term that a piece of text asks for, or undefined when it has nothing that could be found. */
export function readTerm(
  { text: given, form, where }: { text: string; form: TextForm; where: Term["where"] },
  span: Span,
  problems: Problems,
): Term | undefined {
  const text = hasWildcards(given) ? withoutNeedlessStars(given) : given;
  const words = hasWildcards(text) ? wildWords(text) : splitWords(text);
  const pieces: Piece[] = [];
  let endBefore = 0;
  let lead = "";
  for (const { start, end } of words) {
    const between = text.slice(endBefore, start);
    const signs = significantSigns(between);
    if (pieces.length === 0) lead = glued(between, "before");
    checkWildcards(
      text.slice(start, end),
      { between, lead: pieces.length === 0 ? lead : "" },
      span,
      problems,
    );
    pieces.push({
      word: wordPattern(text.slice(start, end), form, span, problems),
      signs: pieces.length === 0 ? "" : signs,
    });
    endBefore = end;
  }
  const rest = text.slice(endBefore);
  if (rest.includes("*")) leadingStar(span, problems);
  if (pieces.length > 0) return { kind: "term", pieces, lead, trail: glued(rest, "after"), where, ...span };
  const signs = significantSigns(text);
  if (signs !== "") return { kind: "term", pieces, lead: signs, trail: "", where, ...span };
  if (!rest.includes("*")) {
    problems.add(
      "error",
      "nothing-to-find",
      span,
      "There is nothing to find in this: it has no letter, digit, emoji or sign that is searched; remove it.",
    );
  }
  return undefined;
}

function hasWildcards(text: string): boolean {
  return text.includes("*") || text.includes("?");
}

function wildWords(text: string): { start: number; end: number }[] {
  return [...text.matchAll(WORD_WITH_WILDCARDS)].map((found) => ({
    start: found.index,
    end: found.index + found[0].length,
  }));
}

/**
 * Where no blanks stand between words every character is one, and is found whatever follows it: `東京*` is `東京`. The stars
 * become blanks, so that all else keeps its place.
 */
function withoutNeedlessStars(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (const { start, end } of wildWords(text)) {
    const word = text.slice(start, end);
    if (!STARRED_CHARACTER.test(word) || GOES_ON.test(text.slice(end, end + 2))) continue;
    const star = start + word.indexOf("*");
    parts.push(text.slice(copied, star), " ".repeat(end - star));
    copied = end;
  }
  return parts.join("") + text.slice(copied);
}

const STARRED_CHARACTER = new RegExp(`^[${UNSPACED}\\u30fc]\\p{M}*\\*+$`, "u");
const GOES_ON = /^[\p{L}\p{M}\p{N}_?]/u;

/** Only signs that touch the word belong to it. */
function glued(between: string, side: "before" | "after"): string {
  const touching = side === "before" ? /\S*$/.exec(between) : /^\S*/.exec(between);
  return significantSigns(touching?.[0] ?? "");
}

function checkWildcards(
  word: string,
  { between, lead }: { between: string; lead: string },
  span: Span,
  problems: Problems,
): void {
  if (!between.includes("*") && !hasWildcards(word)) return;
  const letters = word.replaceAll(/[*?]/g, "");
  if (/^[*?]/.test(word) && /[#@]$/.test(lead)) {
    problems.add(
      "warning",
      "wildcard-after-sign",
      span,
      `A wildcard right after ${lead.at(-1)} finds more than is wanted; write the beginning, such as ${lead.at(-1)}${letters}*.`,
    );
  } else if (word.startsWith("*") || between.includes("*")) leadingStar(span, problems);
  if (word.includes("*") && [...letters].length < 2) {
    problems.add(
      "error",
      "wildcard",
      span,
      "A * after a single letter finds too many words; write at least two letters, such as ab*.",
    );
  }
  if ((word.match(/\?/g)?.length ?? 0) > 3) {
    problems.add(
      "warning",
      "many-wildcards",
      span,
      "More than three ? in one word are slow; write * in place of some of them, or the spellings joined by OR.",
    );
  }
}

function leadingStar(span: Span, problems: Problems): void {
  problems.add("error", "wildcard", span, "A word cannot begin with *; write the beginning, such as compl*.");
}

/** Beyond this length the live service does not compare upper case. */
const LONGEST_CASED = 20;

function wordPattern(word: string, form: TextForm, span: Span, problems: Problems): WordPattern {
  if (form === "braces") {
    if ([...word].length <= LONGEST_CASED) return casedPattern(word);
    problems.add(
      "warning",
      "upper-case-length",
      span,
      `Upper case counts in words of up to ${LONGEST_CASED} letters; this one is found in any case.`,
    );
  }
  const isAccented = lowerWord(word) !== foldWord(word);
  if (hasWildcards(word)) return globPattern(word, isAccented ? "lower" : "folded");
  if (isAccented) return { kind: "accented", folded: foldWord(word), lower: lowerWord(word) };
  return { kind: "plain", folded: foldWord(word) };
}

function casedPattern(word: string): WordPattern {
  const spelled = normalized(word, "NFC");
  const accented = casedWord(word) !== spelled;
  if (hasWildcards(word)) return globPattern(word, "cased");
  return { kind: "cased", folded: foldWord(word), spelled, accented };
}

function globPattern(word: string, form: "folded" | "lower" | "cased"): WordPattern {
  const glob = form === "folded" ? foldWord(word) : form === "lower" ? lowerWord(word) : casedWord(word);
  const first = word.search(/[*?]/);
  // At its end a word may have the other sigma than in the middle.
  const folded = foldWord(word.slice(0, first)).replace(/[σς]{1,20}$/, "");
  return { kind: "glob", folded, glob: withOneSigma(glob), form };
}

/** `field:value`. Faults of the value are reported; the expression exists all the same. */
export function readFieldValue(
  field: Field,
  { text }: { readonly text: string },
  { start, end }: Span,
  problems: Problems,
): FieldExpression {
  const span = { start, end };
  const value = text.trim();
  if (value === "") {
    problems.add("error", "field-value", span, `${field.name}: needs a value; write ${field.name}:word.`);
  } else if (field.kind === "range") {
    const example = field.limits?.example ?? "[1 TO 5]";
    problems.add("error", "range", span, `${field.name}: takes a range; write ${field.name}:${example}.`);
  } else {
    const fault = field.check?.(value);
    if (fault !== undefined) problems.add(fault.severity, "field-value", span, fault.message);
    else checkText(field, value, span, problems);
  }
  return { kind: "field", test: { kind: "value", field, value }, ...span };
}

function checkText(field: Field, value: string, span: Span, problems: Problems): void {
  if (/[*]|\w\?/.test(value) && !/^(?:url|links|site)$/.test(field.name)) {
    problems.add(
      "warning",
      "field-wildcard",
      span,
      `Wildcards count in plain text only, so ${field.name}: looks for these very signs; write the whole value.`,
    );
  } else if (field.name === "publication") {
    problems.add(
      "warning",
      "field-place",
      span,
      "publication: works in rules and in searches, not in queries; write site: with the address of the publication.",
    );
  } else if (field.isUnknown) {
    problems.add(
      "note",
      "field-without-values",
      span,
      `No mention carries ${field.name}: here, so it never matches, and NOT ${field.name}: always does.`,
    );
  }
}

/** `field:[a TO b]`. */
export function readFieldRange(
  field: Field,
  { text }: { readonly text: string },
  { start, end }: Span,
  problems: Problems,
): FieldExpression {
  const span = { start, end };
  const [, from = "", to = ""] = /^\s*(\S+)\s+TO\s+(\S+)\s*$/.exec(text) ?? [];
  const fault = rangeFault(field, from, to);
  if (fault !== undefined) problems.add("error", "range", span, fault);
  return { kind: "field", test: { kind: "range", field, from: Number(from), to: Number(to) }, ...span };
}

function rangeFault({ name, limits }: Field, from: string, to: string): string | undefined {
  if (limits === undefined) return `${name}: takes a value, no range; write ${name}:word.`;
  const instead = `write ${name}:${limits.example}.`;
  if (from === "") return `A range has two numbers and an upper-case TO between them; ${instead}`;
  const number = limits.wholeNumbers ? /^-?\d+$/ : /^-?\d+(?:\.\d+)?$/;
  if (!number.test(from) || !number.test(to)) {
    return `${name}: takes ${limits.wholeNumbers ? "whole numbers" : "numbers"} on both sides of TO; ${instead}`;
  }
  if ([from, to].some((end) => Number(end) < limits.min || Number(end) > limits.max)) {
    return `${name}: takes numbers from ${limits.min} to ${limits.max}; ${instead}`;
  }
  if (Number(from) > Number(to)) return `The smaller number comes first; write ${name}:[${to} TO ${from}].`;
  return undefined;
}
