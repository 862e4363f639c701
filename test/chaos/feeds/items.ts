import { createRandom, type Random } from "../../../src/listening-api/simulate/random.ts";

export type FeedKind = "rss" | "hacker-news" | "bluesky" | "push" | "websub";

/** An item with all texts that it ever had; the last one is what it says now. */
export interface Item {
  readonly n: number;
  readonly feed: FeedKind;
  readonly author: string;
  readonly texts: string[];
  isGone: boolean;
}

/** What happened at a source. `born-deleted`: nobody could read it before its delete. */
export type Happening =
  | { readonly what: "created" | "edited" | "deleted" | "born-deleted"; readonly item: Item }
  | { readonly what: "account-removed"; readonly feed: FeedKind; readonly author: string };

export const QUERIES = { Acme: "acme", Rival: "rivalware" } as const;

/** Words that stand nowhere else, and show which item and which of its texts it is. */
export const TEXT_WORD = /zqt(\d+)v(\d+)x/g;
export const AUTHOR_WORD = /zqa\d+x/g;

const wordOf = (n: number, version: number): string => `zqt${n}v${version}x`;
const textOf = (n: number, version: number, words: readonly string[]): string =>
  `${words.join(" and ")} kettle ${wordOf(n, version)} with Käse, part ${n}`;

/** What somebody pushes who does not know the secret of a hub. */
export const FORGED = { n: 0, author: "zqa0x", texts: [textOf(0, 0, Object.values(QUERIES))] };

const CALM = ["tea"];
const WORDS = [[QUERIES.Acme], [QUERIES.Rival], [QUERIES.Acme, QUERIES.Rival], CALM] as const;

/** The sources' own truth, which grows step by step; the same for the same seed. */
export function createTruth(seed: number) {
  const random: Random = createRandom("chaos feeds", seed);
  const items: Item[] = [];
  const accounts: string[] = [];
  const touched = new Set<Item>();

  const create = (feed: FeedKind, account?: string): Item => {
    const n = items.length + 1;
    const item: Item = {
      ...{ n, feed, author: account ?? `zqa${n}x`, isGone: false },
      texts: [textOf(n, 0, WORDS[n % WORDS.length] ?? CALM)],
    };
    items.push(item);
    return item;
  };
  /** One that stands since a step before. */
  const some = (feed: FeedKind): Item | null => {
    const fit = items.filter(
      (one) => one.feed === feed && !one.isGone && !touched.has(one) && !accounts.includes(one.author),
    );
    const item = fit.length === 0 ? null : random.pick(fit);
    if (item !== null) touched.add(item);
    return item;
  };
  const edit = (feed: FeedKind): Happening[] => {
    const item = some(feed);
    // Of a stream, what matches nothing is not stored, and its edits are none.
    if (item === null || queriesOf(item).length === 0) return [];
    const words = random.chance(0.3) ? Object.values(QUERIES) : wordsOf(item);
    item.texts.push(textOf(item.n, item.texts.length, words));
    return [{ what: "edited", item }];
  };
  const remove = (feed: FeedKind): Happening[] => {
    const item = some(feed);
    if (item === null) return [];
    item.isGone = true;
    return [{ what: "deleted", item }];
  };
  const bornDeleted = (feed: FeedKind): Happening => {
    const item = create(feed);
    item.isGone = true;
    return { what: "born-deleted", item };
  };

  return {
    items,
    /** What happens between two kills. */
    step(): Happening[] {
      touched.clear();
      const happened: Happening[] = [];
      for (const feed of ["rss", "hacker-news", "bluesky", "push", "websub"] as const) {
        // RSS has no deletes.
        const isDocument = feed === "rss" || feed === "websub";
        const old = [...edit(feed), ...(isDocument || random.chance(0.3) ? [] : remove(feed))];
        const fresh = Array.from({ length: random.whole(1, 2) }, () => create(feed));
        for (const item of fresh) touched.add(item);
        happened.push(...old, ...fresh.map((item) => ({ what: "created" as const, item })));
        if (!isDocument && random.chance(0.4)) happened.push(bornDeleted(feed));
      }
      if (random.chance(0.3)) {
        const account = `zqa${items.length + 1}x`;
        accounts.push(account);
        for (let nth = 0; nth < 3; nth++)
          happened.push({ what: "created", item: create("bluesky", account) });
      } else if (accounts.length > 0 && random.chance(0.4)) {
        const [author = ""] = accounts.splice(random.whole(0, accounts.length - 1), 1);
        for (const one of items) if (one.author === author) one.isGone = true;
        happened.push({ what: "account-removed", feed: "bluesky", author });
      }
      return happened;
    },
  };
}

/** The queries that match what it says now. An edit only adds some. */
export function queriesOf({ texts }: Pick<Item, "texts">): (keyof typeof QUERIES)[] {
  const text = texts.at(-1) ?? "";
  return (["Acme", "Rival"] as const).filter((name) => text.includes(QUERIES[name]));
}

function wordsOf(item: Item): string[] {
  return queriesOf(item).map((name) => QUERIES[name]);
}

/** Words that must stand nowhere: texts that were edited away, all of the deleted and forged, and their authors. */
export function goneWords(items: readonly Item[]): string[] {
  const gone = items.flatMap(({ n, texts, author, isGone }) => {
    const words = texts.map((_, version) => wordOf(n, version));
    return isGone ? [...words, author] : words.slice(0, -1);
  });
  return [...gone, wordOf(FORGED.n, 0), FORGED.author];
}
