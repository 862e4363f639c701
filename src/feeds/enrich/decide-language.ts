import type { LanguageDetector } from "./detect-language.ts";

/** A detector takes one for the other, and their speakers read both. */
const RELATIVES: readonly (readonly string[])[] = [
  ["id", "ms"],
  ["da", "no", "nb", "nn"],
  ["bs", "hr", "sr", "sh"],
  ["cs", "sk"],
  ["bg", "mk"],
  ["hi", "mr", "ne"],
];

/**
 * The language of a text whose document may declare one. A long text knows better: many programs declare English
 * wherever they run. The declared one stays where the detector does not know it, or takes it for a relative.
 */
export function decideLanguage(
  text: string,
  declared: string | null,
  { detect, knows }: LanguageDetector,
): string | null {
  if (declared === null) return detect(text);
  const found = detect(text, "sure");
  const base = declared.toLowerCase().replace(/[-_].*$/, "");
  if (found === null || found === base || !knows(base)) return declared;
  return RELATIVES.some((all) => all.includes(base) && all.includes(found)) ? declared : found;
}
