import { spellNumber } from "../lib/spell-number.ts";

/** A small probability in words: `about 1 in 4,300`. Below one in a billion nothing is claimed that was not tested. */
export function spellChance(lnP: number): string {
  if (lnP < Math.log(1e-9)) return "less than 1 in a billion";
  // A hair more, so that 1e-3 is 1 in 1,000 although its logarithm is not exact.
  const odds = Math.exp(-lnP) * (1 + 1e-9);
  if (odds < 10) return `about 1 in ${Math.max(1, Math.round(odds))}`;
  const scale = 10 ** (Math.floor(Math.log10(odds)) - 1);
  return `about 1 in ${spellNumber(Math.floor(odds / scale) * scale)}`;
}
