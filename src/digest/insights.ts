import type { WatchedQuery } from "../model/query.ts";
import type { Period } from "./schedule.ts";

/** Somebody who spoke much in a period, under the name to show. */
export interface TalkingAuthor {
  readonly name: string;
  readonly mentions: number;
  /** Null where whoever counted did not say. */
  readonly negative: number | null;
}

export interface UsedHashtag {
  /** Without its sign. */
  readonly name: string;
  readonly mentions: number;
}

/** Who spoke most in a period, and under what signs; most first. */
export interface Insights {
  readonly authors: readonly TalkingAuthor[];
  readonly hashtags: readonly UsedHashtag[];
}

/** Asks the source, which has counted already; null where it cannot be asked or does not say. */
export type FetchInsights = (queries: readonly WatchedQuery[], period: Period) => Promise<Insights | null>;

/** What several projects said, as one: the same name is the same author, whatever its case. */
export function joinInsights(talks: readonly Insights[]): Insights {
  return {
    authors: summed(talks.flatMap(({ authors }) => authors)).map(({ name, mentions, negative }) => ({
      name,
      mentions,
      negative,
    })),
    hashtags: summed(
      talks.flatMap(({ hashtags }) => hashtags.map((one) => ({ ...one, negative: null }))),
    ).map(({ name, mentions }) => ({ name, mentions })),
  };
}

function summed(rows: readonly TalkingAuthor[]): readonly TalkingAuthor[] {
  const byName = new Map<string, TalkingAuthor>();
  for (const row of rows) {
    const key = row.name.toLowerCase();
    const known = byName.get(key);
    byName.set(
      key,
      known === undefined
        ? row
        : {
            name: known.name,
            mentions: known.mentions + row.mentions,
            negative: known.negative === null || row.negative === null ? null : known.negative + row.negative,
          },
    );
  }
  return [...byName.values()].sort((a, b) => b.mentions - a.mentions || (a.name < b.name ? -1 : 1));
}
