import { agreement, BINS } from "../model/sketch.ts";
import type { StoryOfMention } from "../model/story.ts";

/**
 * The recent stories of a query, to find the one that a near-duplicate belongs to. Sketches are cut into BANDS bands of
 * ROWS bins; texts that agree in one band are compared in all bins. Texts of similarity 0.77 (two words changed of a
 * post) meet in a band with a chance of 0.99, of 0.5 with 0.66, of 0.2 with 0.06. O(BANDS) look-ups for each mention,
 * and as many comparisons at most.
 *
 * The order of arrival decides which text begins a story; the same order gives the same stories, however it is cut into
 * pages. It holds the newest MOST texts. A changed text of a story that is older begins a new story; an exact copy is
 * always recognised by its key.
 */
export interface StoryIndex {
  /** The story of a mention: a known one, or a new one, which is known from now on. */
  find(itself: StoryOfMention): string;
  /** What it learned since the last call, oldest first. */
  news(): readonly KnownText[];
  /** Adds what another process learned, or this one before; `learned` does not return it. */
  learn(texts: readonly KnownText[]): void;
}

/** A text by its key, and the story that it belongs to; its sketch if it began that story. */
export interface KnownText {
  readonly key: string;
  readonly story: string;
  readonly sketch: Uint8Array | null;
}

/** How many different texts of one query are held: a week or more of most brands. */
export const MOST_TEXTS = 16_384;
const BANDS = 8;
const ROWS = 3;
/** Of 32 bins: a similarity of about 0.55. */
const ENOUGH = 18;

export function createStoryIndex(): StoryIndex {
  const known = new Map<string, KnownText>();
  const bands = new Map<number, KnownText>();
  // A ring: the first key of a map that is shortened at its head is slow to find.
  const order: KnownText[] = [];
  let oldest = 0;
  let news: KnownText[] = [];

  const remember = (text: KnownText): void => {
    known.set(text.key, text);
    // The first one stays in its band: later ones of other stories were compared with it already.
    if (text.sketch !== null)
      for (let band = 0; band < BANDS; band++) {
        const key = bandKey(text.sketch, band);
        if (!bands.has(key)) bands.set(key, text);
      }
    if (order.length < MOST_TEXTS) {
      order.push(text);
      return;
    }
    forget(order[oldest] ?? text);
    order[oldest] = text;
    oldest = (oldest + 1) % MOST_TEXTS;
  };

  const forget = (text: KnownText): void => {
    known.delete(text.key);
    if (text.sketch === null) return;
    for (let band = 0; band < BANDS; band++) {
      const key = bandKey(text.sketch, band);
      if (bands.get(key) === text) bands.delete(key);
    }
  };

  const nearest = (sketch: Uint8Array): KnownText | null => {
    let best: KnownText | null = null;
    let last: KnownText | undefined;
    let most = ENOUGH - 1;
    for (let band = 0; band < BANDS; band++) {
      const candidate = bands.get(bandKey(sketch, band));
      // Near-duplicates meet in most bands.
      if (candidate === undefined || candidate === last || candidate.sketch === null) continue;
      last = candidate;
      const equal = agreement(sketch, candidate.sketch);
      if (equal <= most) continue;
      best = candidate;
      most = equal;
    }
    return best;
  };

  return {
    find: ({ key, sketch }) => {
      const text = known.get(key);
      if (text !== undefined) return text.story;
      if (sketch === null) return key;
      const near = nearest(sketch);
      const learned = near === null ? { key, story: key, sketch } : { key, story: near.story, sketch: null };
      remember(learned);
      news.push(learned);
      return learned.story;
    },
    news: () => {
      const itself = news;
      news = [];
      return itself;
    },
    learn: (texts) => {
      for (const text of texts) remember(text);
    },
  };
}

/** 24 bits of the sketch and three of the band. */
function bandKey(sketch: Uint8Array, band: number): number {
  const at = (band * ROWS) % BINS;
  return (band << 24) | ((sketch[at] ?? 0) << 16) | ((sketch[at + 1] ?? 0) << 8) | (sketch[at + 2] ?? 0);
}
