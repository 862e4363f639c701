import { conditionsOf, type Expression, type Term } from "#listening-api";

/** Words in a row, as they are written in a search; any text that matches has one of these. */
type Alternatives = readonly string[];

/**
 * Words and phrases of which any matching text has at least one, for a source that searches for us. Never narrower than
 * the query: wildcards, NOT, distances and fields are left out, and the query is matched exactly when the items are here.
 * Of several conditions the first counts, which is the name that is looked for as people write it. Null: nothing can be
 * searched for.
 */
export function searchOfQuery(expression: Expression): Alternatives | null {
  return conditionsOf<Alternatives>(expression, { ofTerm, either })[0] ?? null;
}

function ofTerm(term: Term): Alternatives[] {
  return phrasesOf(term).map((phrase) => [phrase]);
}

/** Without one of the alternatives the search would be narrower. */
function either(parts: readonly Alternatives[][]): Alternatives[] {
  const firsts = parts.map(([first]) => first);
  return firsts.every((first) => first !== undefined) ? [[...new Set(firsts.flat())]] : [];
}

/** Shorter words are refused by search engines. */
const SHORTEST = 3;

/** A Korean word with any ending: search engines know it by what stands before. */
const ANY_ENDING = /^\p{sc=Hangul}+\*$/u;

/** The parts of a phrase between its wildcards. */
function phrasesOf({ pieces }: Term): string[] {
  const phrases: string[] = [];
  let phrase = "";
  const end = () => {
    if (phrase.length >= SHORTEST) phrases.push(phrase);
    phrase = "";
  };
  for (const { word, signs } of pieces) {
    if (word.kind === "glob" && !ANY_ENDING.test(word.glob)) {
      end();
      continue;
    }
    // A sign that a search engine could take for an operator parts words, as a blank does.
    const between = /^[-.&'’]$/.test(signs) ? signs : " ";
    const spelled = word.kind === "accented" ? word.lower : word.folded;
    if (spelled === "") end();
    else phrase += phrase === "" ? spelled : `${between}${spelled}`;
  }
  end();
  return phrases;
}
