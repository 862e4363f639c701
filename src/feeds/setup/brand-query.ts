import { compile } from "#listening-api";
import { UserError } from "../../lib/errors.ts";
import { foldText, normalized } from "../../lib/text.ts";
import { COMMON_WORDS } from "./common-words.ts";

/** The query of a brand, and what people should know before they use it. */
interface BrandQuery {
  /** In the language of queries. */
  readonly text: string;
  /** Sentences. */
  readonly warnings: readonly string[];
}

/**
 * The Boolean query for the spellings of a brand: a word as it is (it also finds @word and #word), several words as a
 * phrase and written together (acmecorp, which also finds #AcmeCorp and @acmecorp), @handles and #tags as they are.
 * Throws a UserError for a spelling that cannot be searched.
 */
export function brandQuery(spellings: readonly string[], not: readonly string[] = []): BrandQuery {
  const terms = unique(spellings.flatMap(termsOf));
  const without = unique(not.map(termOf));
  const found = terms.length === 1 ? terms.join() : `(${terms.join(" OR ")})`;
  const text =
    without.length === 0
      ? found
      : `${found} NOT ${without.length === 1 ? without.join() : `(${without.join(" OR ")})`}`;
  return { text, warnings: floods(spellings, not) };
}

/** `acme corp` → `"acme corp"`, `acmecorp`; `nestlé` → `nestlé`, `nestle`. */
function termsOf(spelling: string): string[] {
  const plain = normalized(spelling, "NFKD").replaceAll(/\p{M}/gu, "");
  const isLatin = /^[\p{Script=Latin}\p{Script=Common}]+$/u.test(plain);
  return [spelling, ...(isLatin ? [plain] : [])].flatMap(withJoined);
}

function withJoined(spelling: string): string[] {
  const words = tidy(spelling).split(/[\s-]+/);
  const joined = words.join("");
  const shortest = KOREAN.test(joined) ? SHORTEST_KOREAN : SHORTEST_JOINED;
  const isJoinable = words.length > 1 && words.length <= 4 && joined.length >= shortest && isWord(joined);
  return isJoinable ? [termOf(spelling), termOf(joined.toLowerCase())] : [termOf(spelling)];
}

const SHORTEST_JOINED = 6;
/** Each sign is a syllable. */
const SHORTEST_KOREAN = 3;

function termOf(spelling: string): string {
  const plain = tidy(spelling);
  const isSingle = /^[@#]?[\p{L}\p{N}_]+\*?$/u.test(plain) && !/^(?:AND|OR|NOT|NEAR\w*)$/.test(plain);
  const ended = `${plain}${KOREAN.test(plain) ? "*" : ""}`;
  const term = isSingle ? ended : `"${ended}"`;
  const compiled = compile(term);
  if (compiled.ok && /[\p{L}\p{N}]/u.test(plain)) return term;
  const problem = compiled.ok
    ? "it has no letter"
    : (compiled.problems[0]?.message ?? "it cannot be searched");
  throw new UserError(`"${plain}" cannot be searched: ${problem}`);
}

/** Korean words have their endings behind: 애플이 is 애플 as a subject. Handles and tags have none. */
const KOREAN = /^[^@#].*\p{sc=Hangul}$/u;

function tidy(text: string): string {
  return text
    .replaceAll(/["“”„«»\\]/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function isWord(text: string): boolean {
  return /^[\p{L}\p{N}]+$/u.test(text);
}

function unique(terms: readonly string[]): string[] {
  const seen = new Set<string>();
  return terms.filter((term) => {
    // An accent counts, the size of a letter does not.
    const key = term.toLowerCase();
    return !seen.has(key) && seen.add(key);
  });
}

/** Spellings that people use all day for other things. */
function floods(spellings: readonly string[], not: readonly string[]): string[] {
  return spellings.flatMap((spelling) => {
    const word = foldText(tidy(spelling)).trim();
    const isShort = /^[\p{Script=Latin}\p{N}]{1,3}$/u.test(word);
    if (!COMMON_WORDS.has(word) && !isShort) return [];
    const why = isShort ? "is very short" : "is an everyday word";
    const then =
      not.length > 0
        ? "Look at what comes, and add words to NOT in earshot.yaml."
        : "Leave those out with words that only they have (NOT river), or use a longer name only.";
    return [`${tidy(spelling)} ${why}: texts that mean something else will match, too. ${then}`];
  });
}
