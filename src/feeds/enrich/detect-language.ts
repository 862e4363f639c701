import { cutText } from "../../lib/text.ts";

/**
 * ISO 639-1, or null where the text does not show it. A query that is limited to languages leaves out mentions in others,
 * so that a wrong answer loses one: short texts have none. `isGuess`: for what may be wrong now and then.
 */
export type DetectLanguage = (text: string, isGuess?: boolean) => string | null;

/** More text makes the answer no better: a language shows in the first sentences. */
const ENOUGH = 1_000;
/** Fewer letters are a name, a laugh or an order number. */
const FEWEST_LETTERS = 8;
/** Of 8 to 17 Latin letters 9 in 100 get a wrong language, of 20 to 24 fewer than one: docs/enrich.md. */
const FEWEST_LATIN_LETTERS = 20;
/** They say nothing about the language, and addresses look English in every language. */
const ADDRESSES = /https?:\/\/\S+|[\w.+-]{0,64}@[\w.-]+/g;

/**
 * Loads the detector, which takes about as long as opening a database: do it once. docs/enrich.md has what was measured,
 * and docs/adr/language-by-eld.md why it is this library.
 */
export async function loadLanguageDetector(): Promise<DetectLanguage> {
  const { eld } = await import("eld/extrasmall");
  return (text, isGuess = false) => {
    const prose = cutText(text, ENOUGH).replaceAll(ADDRESSES, " ");
    const letters = prose.match(/\p{L}/gu)?.length ?? 0;
    const latin = prose.match(/\p{Script=Latin}/gu)?.length ?? 0;
    const isEnough = isGuess || latin >= FEWEST_LATIN_LETTERS || letters - latin >= FEWEST_LETTERS;
    if (letters < FEWEST_LETTERS || !isEnough) return null;
    const found = eld.detect(prose);
    return found.language !== "" && found.isReliable() ? found.language : null;
  };
}
