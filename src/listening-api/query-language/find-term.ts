import { fitsGlob } from "../../lib/patterns.ts";
import { normalized } from "../../lib/text.ts";
import type { Term, WordPattern } from "./expression.ts";
import type { SearchText } from "./search-text.ts";
import { casedWord, lowerWord, significantSigns, withOneSigma } from "./split-words.ts";

/** An occurrence of a term. */
export interface Occurrence {
  /** Counts of the first and the last word, see `Word.place`. */
  readonly first: number;
  readonly last: number;
  /** In UTF-16 units of the text, or of the title. */
  readonly start: number;
  readonly end: number;
  readonly inTitle: boolean;
}

/** All occurrences of the term, in the order of the text. */
export function findTerm(term: Term, text: SearchText): Occurrence[] {
  return [...occurrencesOf(term, text)];
}

export function hasTerm(term: Term, text: SearchText): boolean {
  const only = term.pieces[0];
  if (only?.word.kind === "plain" && isBare(term)) return text.byWord.has(only.word.folded);
  return !occurrencesOf(term, text).next().done;
}

function isBare({ pieces, lead, trail, where }: Term): boolean {
  return pieces.length === 1 && lead === "" && trail === "" && where === "anywhere";
}

function* occurrencesOf(term: Term, text: SearchText): Generator<Occurrence, void> {
  if (term.pieces.length === 0) {
    yield* findSigns(term, text);
    return;
  }
  const { indexes, offset } = rarestPiece(term, text);
  const length = term.pieces.length;
  for (const index of indexes) {
    const from = index - offset;
    if (from < 0 || !standsAt(term, from, text)) continue;
    const [first, last] = [text.words[from], text.words[from + length - 1]];
    if (first === undefined || last === undefined) continue;
    const inTitle = from < text.textFrom;
    const start = first.start - term.lead.length;
    yield { first: first.place, last: last.place, start, end: last.end + term.trail.length, inTitle };
  }
}

/** The piece to search first: the one with the fewest occurrences. */
function rarestPiece(term: Term, text: SearchText): { indexes: readonly number[]; offset: number } {
  let best: { indexes: readonly number[]; offset: number } | undefined;
  for (const [offset, { word }] of term.pieces.entries()) {
    if (word.kind === "glob" && best !== undefined) continue;
    const indexes = candidates(word, text);
    if (best === undefined || indexes.length < best.indexes.length) best = { indexes, offset };
    if (indexes.length === 0) break;
  }
  return best ?? { indexes: [], offset: 0 };
}

/** Indexes of all words that the pattern may fit. */
function candidates(word: WordPattern, text: SearchText): readonly number[] {
  if (word.kind !== "glob") return text.byWord.get(word.folded) ?? [];
  const key = `${word.form} ${word.glob}`;
  const known = text.byGlob.get(key);
  if (known !== undefined) return known;
  const found: number[] = [];
  for (const [folded, indexes] of text.byWord) {
    if (!folded.startsWith(word.folded)) continue;
    for (const index of indexes) if (fits(word, index, text)) found.push(index);
  }
  found.sort((a, b) => a - b);
  text.byGlob.set(key, found);
  return found;
}

function standsAt(term: Term, from: number, text: SearchText): boolean {
  const { pieces } = term;
  const to = from + pieces.length;
  if (to > text.words.length || (from < text.textFrom && to > text.textFrom)) return false;
  if (term.where === "title" && from >= text.textFrom) return false;
  const source = from < text.textFrom ? text.title : text.text;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i];
    const word = text.words[from + i];
    if (piece === undefined || word === undefined || !fits(piece.word, from + i, text)) return false;
    if (piece.signs !== "") {
      const between = source.slice(text.words[from + i - 1]?.end ?? 0, word.start);
      if (significantSigns(between) !== piece.signs) return false;
    }
  }
  const first = text.words[from];
  const last = text.words[to - 1];
  if (first === undefined || last === undefined) return false;
  return hasLead(term.lead, first.start, source) && source.startsWith(term.trail, last.end);
}

/** `#tag` is no part of `a#tag`, and `@name` none of an email address. */
function hasLead(lead: string, wordStart: number, source: string): boolean {
  if (lead === "") return true;
  const start = wordStart - lead.length;
  if (start < 0 || !source.startsWith(lead, start)) return false;
  return !/^[#@]/.test(lead) || start === 0 || !/[\p{L}\p{N}_]/u.test(source[start - 1] ?? "");
}

function fits(pattern: WordPattern, index: number, text: SearchText): boolean {
  const word = text.words[index];
  if (word === undefined) return false;
  switch (pattern.kind) {
    case "plain":
      return word.folded === pattern.folded;
    case "accented":
      return word.folded === pattern.folded && lowerWord(spelling(index, text)) === pattern.lower;
    case "cased": {
      if (word.folded !== pattern.folded) return false;
      const spelled = spelling(index, text);
      return pattern.spelled === (pattern.accented ? normalized(spelled, "NFC") : casedWord(spelled));
    }
    case "glob": {
      if (pattern.form === "folded") return fitsGlob(pattern.glob, withOneSigma(word.folded));
      if (pattern.form === "lower")
        return fitsGlob(pattern.glob, withOneSigma(lowerWord(spelling(index, text))));
      return fitsCasedGlob(pattern.glob, withOneSigma(casedWord(spelling(index, text))));
    }
  }
}

/** `fitsGlob` has no regard for case, so every upper-case letter is marked as such. */
function fitsCasedGlob(glob: string, word: string): boolean {
  return fitsGlob(markCase(glob), markCase(word));
}

function markCase(text: string): string {
  return text.replaceAll(/\p{Lu}/gu, (letter) => `\u0001${letter}`);
}

function spelling(index: number, { words, title, text, textFrom }: SearchText): string {
  const word = words[index];
  return word === undefined ? "" : (index < textFrom ? title : text).slice(word.start, word.end);
}

/** A term of signs alone occurs where they do; its position is that of the word before it. */
function* findSigns(
  { lead, where }: Term,
  { title, text, words, textFrom }: SearchText,
): Generator<Occurrence, void> {
  for (const inTitle of [true, false]) {
    if (!inTitle && where === "title") return;
    const source = inTitle ? title : text;
    let index = inTitle ? 0 : textFrom;
    const end = inTitle ? textFrom : words.length;
    for (let at = source.indexOf(lead); at !== -1; at = source.indexOf(lead, at + lead.length)) {
      while (index + 1 < end && (words[index + 1]?.start ?? 0) < at) index++;
      const place = words[index]?.place ?? 0;
      yield { first: place, last: place, start: at, end: at + lead.length, inTitle };
    }
  }
}
