/** Of how many texts of a feed the language is not what the feed declares. */
export interface LanguageCount {
  /** Texts that are long enough to be sure. */
  texts: number;
  /** By what is declared, and by what was found, such as `en de`. */
  readonly other: Map<string, number>;
}

const LONG_ENOUGH = 100;

/** Compares what a feed declares with what its texts are. */
export function countLanguages() {
  const count: LanguageCount = { texts: 0, other: new Map() };
  return {
    count,
    add(
      declared: string | null,
      { text, language = null }: { readonly text: string; readonly language?: string | null | undefined },
    ): void {
      if (declared === null || language === null || text.length < LONG_ENOUGH) return;
      count.texts++;
      if (language === declared) return;
      const pair = `${declared} ${language}`;
      count.other.set(pair, (count.other.get(pair) ?? 0) + 1);
    },
  };
}

const LEAST_TEXTS = 3;

/** For people; null: it declares what its texts are, or has too few of them. */
export function describeLanguages({ texts, other }: LanguageCount): string | null {
  if (texts < LEAST_TEXTS) return null;
  const [pair = "", n = 0] = [...other].sort((a, b) => b[1] - a[1])[0] ?? [];
  if (n <= texts / 2) return null;
  const [declared, found] = pair.split(" ");
  return `it declares the language ${declared}, and ${n} of ${texts} texts are ${found}: what the texts are counts`;
}
