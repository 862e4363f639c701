/**
 * Korean words have their endings behind: 환불이 is 환불 as a subject. Of most the first two signs, two syllables, say what
 * they are about. Null: another script, or a single sign.
 */
export function koreanStem(word: string): string | null {
  return STEM.exec(word)?.[0] ?? null;
}

const STEM = /^\p{sc=Hangul}{2}/u;
