import { cutText } from "../lib/text.ts";

/** ISO 639-1, or null where the text does not show it. */
export type DetectLanguage = (text: string) => string | null;

/** More text makes the answer no better: a language shows in the first sentences. */
const ENOUGH = 1_000;
/** Fewer letters are a name, a laugh or an order number. */
const FEWEST_LETTERS = 8;
/** They say nothing about the language, and addresses look English in every language. */
const ADDRESSES = /https?:\/\/\S+|[\w.+-]{0,64}@[\w.-]+/g;

/**
 * Loads the detector, which takes about as long as opening a database: do it once. docs/enrich.md has what was measured,
 * and docs/adr/language-by-eld.md why it is this library.
 */
export async function loadLanguageDetector(): Promise<DetectLanguage> {
  const { eld } = await import("eld/extrasmall");
  return (text) => {
    const prose = cutText(text, ENOUGH).replaceAll(ADDRESSES, " ");
    if ((prose.match(/\p{L}/gu)?.length ?? 0) < FEWEST_LETTERS) return null;
    const found = eld.detect(prose);
    return found.language !== "" && found.isReliable() ? found.language : null;
  };
}
