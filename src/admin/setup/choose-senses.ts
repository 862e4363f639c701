import { aboutOf, type FeedTry, groupSenses, type Sense, type Senses } from "#feeds";
import { counted } from "../../lib/numbers.ts";

/** Groups what the feeds bring now under the name of the brand into the senses that the name may have. */
export function sensesIn(
  tried: readonly Pick<FeedTry, "items">[],
  { brand, spellings }: { readonly brand: string; readonly spellings: readonly string[] },
): Senses {
  const found = tried.flatMap(({ items }) => items).filter((item) => isOf(item, brand));
  return groupSenses(found, [brand, ...spellings]);
}

function isOf({ queries }: FeedTry["items"][number], brand: string): boolean {
  return queries.some(({ name }) => name === brand);
}

/** Why there is nothing to choose from: a sentence. Null: there is. */
export function whyNoSenses(senses: Senses, brand: string): string | null {
  switch (senses.outcome) {
    case "TooFew":
      return `The feeds bring ${counted(senses.texts, "text")} with ${brand} now: too few to tell whether the name has several meanings.`;
    case "One":
      return `The texts with ${brand} are about one thing, as far as their words show.`;
    case "Several":
      return null;
  }
}

/** What is left out, and what the query means in plain words, for the senses with these indices. All or none: nothing changes. */
export function leaveOut(
  brand: string,
  senses: readonly Pick<Sense, "words" | "not">[],
  meant: readonly number[],
): { readonly not: readonly string[]; readonly about: string | null } {
  const own = senses.filter((_, index) => meant.includes(index));
  const others = senses.filter((_, index) => !meant.includes(index));
  if (own.length === 0 || others.length === 0) return { not: [], about: null };
  const kept = new Set(own.flatMap(({ words, not }) => [...words, ...not]));
  const not = others.flatMap((sense) => sense.not).filter((word) => !kept.has(word));
  return { not: [...new Set(not)], about: aboutOf(brand, own, others) };
}
