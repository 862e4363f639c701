import type { StoryOfMention } from "../model/story.ts";
import type { KnownText } from "../store/stories.ts";
import { createStoryIndex, MOST_TEXTS, type StoryIndex } from "./story-index.ts";

/** Stored texts of a query. */
export interface StoryFacts {
  /**
   * What was appended after what is known, oldest first; no more than the newest `most` texts. All of it where the version
   * is another: it changes when texts were removed.
   */
  since(
    projectId: string,
    queryId: string,
    known: { readonly version: number; readonly seq: number },
    most: number,
  ): Promise<{ readonly version: number; readonly batches: readonly StoryBatch[] }>;
  /** Also deletes what no index of `most` texts needs any more. */
  append(
    projectId: string,
    queryId: string,
    seq: number,
    texts: readonly KnownText[],
    most: number,
  ): Promise<void>;
}

interface StoryBatch {
  readonly seq: number;
  readonly texts: readonly KnownText[];
}

/** Indexes of the queries that this process has worked on lately: a copy of the tables. */
export interface StoryCache {
  take(query: string): CachedIndex | undefined;
  put(query: string, indexed: CachedIndex): void;
}

interface CachedIndex {
  readonly index: StoryIndex;
  /** Up to this batch. */
  readonly seq: number;
  readonly version: number;
}

const MOST_CACHED = 64;

/** Holds `MOST_CACHED` queries; the least recently used is dropped first. A full index takes about 8 MB, most a few kB. */
export function createStoryCache(): StoryCache {
  const indexes = new Map<string, CachedIndex>();
  return {
    take: (query) => {
      const found = indexes.get(query);
      indexes.delete(query);
      return found;
    },
    put: (query, indexed) => {
      indexes.set(query, indexed);
      const [oldest] = indexes.keys();
      if (indexes.size > MOST_CACHED && oldest !== undefined) indexes.delete(oldest);
    },
  };
}

/**
 * The stories of a page's near-duplicates, by index in the page. The caller holds the query's lock, so no other process
 * appends meanwhile. `append` stores the new ones. The index is taken out of the cache during the work, and `done` puts it
 * back after the commit: a failed transaction leaves nothing in it.
 */
export async function foldStories(
  facts: StoryFacts,
  cache: StoryCache | undefined,
  { projectId, queryId }: { readonly projectId: string; readonly queryId: string },
  page: readonly StoryOfMention[],
): Promise<{
  readonly folded: ReadonlyMap<number, string>;
  readonly append: () => Promise<void>;
  readonly done: () => void;
}> {
  const name = `${projectId}\u0000${queryId}`;
  const cached = cache?.take(name);
  const { version, batches } = await facts.since(projectId, queryId, cached ?? NOTHING_KNOWN, MOST_TEXTS);
  const isCurrent = cached !== undefined && cached.version === version;
  const { index, seq } = isCurrent ? cached : { index: createStoryIndex(), seq: 0 };
  let last = seq;
  for (const batch of batches) {
    index.learn(batch.texts);
    last = batch.seq;
  }
  const folded = new Map<number, string>();
  for (const [place, itself] of page.entries()) {
    const story = index.find(itself);
    if (story !== itself.key) folded.set(place, story);
  }
  const news = index.news();
  if (news.length > 0) last += 1;
  return {
    folded,
    append: async () => {
      if (news.length > 0) await facts.append(projectId, queryId, last, news, MOST_TEXTS);
    },
    done: () => cache?.put(name, { index, seq: last, version }),
  };
}

const NOTHING_KNOWN = { version: -1, seq: 0 };
