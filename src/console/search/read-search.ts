import { compile } from "#listening-api";

type CompiledQuery = Extract<ReturnType<typeof compile>, { readonly ok: true }>["query"];

/** What somebody typed into the search. */
export type Search =
  | { readonly kind: "Everything" }
  /** Simple words: each of them is somewhere in the title or text, also as a part of a word. */
  | { readonly kind: "Words"; readonly words: readonly string[] }
  /** The query language, with the same meaning as in a query. */
  | { readonly kind: "Query"; readonly query: CompiledQuery }
  | { readonly kind: "Fault"; readonly because: readonly string[] };

const MOST_WORDS = 20;

/** Operators, quotes, brackets, or a field: nothing that somebody types who looks for simple words. */
const LANGUAGE =
  /(?:^|\s)(?:AND|OR|NOT)(?:\s|$)|["()]|(?:^|\s)\{|NEAR\/|(?:^|\s)[a-z][A-Za-z]{2,30}:(?!\/\/)\S/;

/** Reads what somebody typed. Words without operators, quotes, brackets and fields are simple words. */
export function readSearch(typed: string | null): Search {
  const text = (typed ?? "").trim();
  if (text === "") return { kind: "Everything" };
  if (!LANGUAGE.test(text)) {
    const words = text.split(/\s+/);
    return words.length <= MOST_WORDS
      ? { kind: "Words", words }
      : { kind: "Fault", because: [`At most ${MOST_WORDS} words are searched for at once.`] };
  }
  const compiled = compile(text);
  if (compiled.ok) return { kind: "Query", query: compiled.query };
  const errors = compiled.problems.filter(({ severity }) => severity === "error");
  return { kind: "Fault", because: errors.map(({ message }) => message).slice(0, 5) };
}
