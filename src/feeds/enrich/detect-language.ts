import { cutText, normalized } from "../../lib/text.ts";
import { indonesianOrMalay } from "./indonesian-or-malay.ts";

/**
 * How much of a text is needed. A query that is limited to languages leaves out mentions in others, so that a wrong answer
 * loses one: `usual` has none for short texts. `sure` may overrule what a document declares. `guess` may be wrong.
 */
type Certainty = "guess" | "usual" | "sure";

/** ISO 639-1, or null where the text does not show it. */
export interface LanguageDetector {
  detect(text: string, certainty?: Certainty): string | null;
  /** Can it detect this language? */
  knows(language: string): boolean;
}

/** More text makes the answer no better: a language shows in the first sentences. */
const ENOUGH = 1_000;
/** Fewer letters are a name, a laugh or an order number. */
const FEWEST_LETTERS = 8;
/**
 * Letters that are enough, Latin or of other scripts. Of 8 to 17 Latin letters 9 in 100 get a wrong language, of 20 to 24
 * fewer than one: docs/enrich.md.
 */
const ENOUGH_LETTERS: Readonly<Record<Certainty, { readonly latin: number; readonly other: number }>> = {
  guess: { latin: FEWEST_LETTERS, other: FEWEST_LETTERS },
  usual: { latin: 20, other: FEWEST_LETTERS },
  sure: { latin: 50, other: 20 },
};
/** They say nothing about the language, and addresses look English in every language. */
const ADDRESSES = /https?:\/\/\S+|[\w.+-]{0,64}@[\w.-]+/g;

/**
 * Loads the detector, which takes about as long as opening a database: do it once. docs/enrich.md has what was measured,
 * and docs/adr/language-by-eld.md why it is this library.
 */
export async function loadLanguageDetector(): Promise<LanguageDetector> {
  const { eld } = await import("eld/extrasmall");
  const known = new Set<string>(["id", ...Object.values(eld.info().Languages)]);
  return {
    detect(text, certainty = "usual") {
      // Accents as signs of their own make Vietnamese look like Yoruba.
      const prose = normalized(cutText(text, ENOUGH), "NFC").replaceAll(ADDRESSES, " ");
      if (!hasEnough(prose, certainty)) return null;
      const found = eld.detect(prose);
      if (found.language === "" || !found.isReliable()) return null;
      return found.language === "ms" ? indonesianOrMalay(prose) : found.language;
    },
    knows: (language) => known.has(language),
  };
}

function hasEnough(prose: string, certainty: Certainty): boolean {
  const letters = prose.match(/\p{L}/gu)?.length ?? 0;
  const latin = prose.match(/\p{Script=Latin}/gu)?.length ?? 0;
  const enough = ENOUGH_LETTERS[certainty];
  return letters >= FEWEST_LETTERS && (latin >= enough.latin || letters - latin >= enough.other);
}
