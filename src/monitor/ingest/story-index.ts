import { agreement, BINS, packSketch, WORDS } from "../model/sketch.ts";
import type { StoryOfMention } from "../model/story.ts";
import type { KnownText } from "../store/stories.ts";

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

/** How many different texts of one query are held: a week or more of most brands. */
export const MOST_TEXTS = 16_384;
const BANDS = 8;
const ROWS = 3;
/** Of 32 bins: a similarity of about 0.55. */
const ENOUGH = 18;

/** `most`: how many texts it holds. */
export function createStoryIndex(most = MOST_TEXTS): StoryIndex {
  const known = new Map<string, KnownText>();
  // A ring: the first key of a map that is shortened at its head is slow to find. A text is known by its slot in it.
  const order: KnownText[] = [];
  let oldest = 0;
  const bands = createSlotTable();
  /** The sketches of the texts in the ring, side by side: comparing them is most of the work. */
  let sketches = new Int32Array(WORDS * 64);
  let news: KnownText[] = [];

  /** The text that each band of a sketch leads to; its slots stand in `found` until the next look-up. */
  const lookUp = (sketch: Uint8Array): void => {
    for (let band = 0; band < BANDS; band++) found[band] = bands.get(bandKey(sketch, band));
  };

  /** After a look-up of its sketch. */
  const remember = (text: KnownText): void => {
    known.set(text.key, text);
    const slot = order.length < most ? order.length : oldest;
    if (slot < order.length) {
      forget(order[slot] ?? text, slot);
      oldest = (oldest + 1) % most;
    }
    order[slot] = text;
    if (text.sketch === null) return;
    // The first one stays in its band: later ones of other stories were compared with it already.
    for (let band = 0; band < BANDS; band++)
      if (found[band] === NONE) bands.set(bandKey(text.sketch, band), slot);
    if (WORDS * (slot + 1) > sketches.length) {
      const larger = new Int32Array(2 * sketches.length);
      larger.set(sketches);
      sketches = larger;
    }
    packSketch(text.sketch, sketches, slot);
  };

  const forget = (text: KnownText, slot: number): void => {
    known.delete(text.key);
    if (text.sketch === null) return;
    for (let band = 0; band < BANDS; band++) bands.delete(bandKey(text.sketch, band), slot);
  };

  /** After a look-up of the sketch. */
  const nearest = (sketch: Uint8Array): KnownText | null => {
    packSketch(sketch, wanted, 0);
    let best = NONE;
    let last = NONE;
    let highest = ENOUGH - 1;
    for (let band = 0; band < BANDS; band++) {
      const candidate = found[band] as number;
      // Near-duplicates meet in most bands.
      if (candidate === NONE || candidate === last) continue;
      last = candidate;
      const equal = agreement(wanted, 0, sketches, candidate);
      if (equal <= highest) continue;
      best = candidate;
      highest = equal;
    }
    return order[best] ?? null;
  };

  return {
    find: ({ key, sketch }) => {
      const text = known.get(key);
      if (text !== undefined) return text.story;
      if (sketch === null) return key;
      lookUp(sketch);
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
      for (const text of texts) {
        if (text.sketch !== null) lookUp(text.sketch);
        remember(text);
      }
    },
  };
}

const found = new Int32Array(BANDS);
const wanted = new Int32Array(WORDS);

/** 24 bits of the sketch and three of the band. */
function bandKey(sketch: Uint8Array, band: number): number {
  const at = (band * ROWS) % BINS;
  return (band << 24) | ((sketch[at] ?? 0) << 16) | ((sketch[at + 1] ?? 0) << 8) | (sketch[at + 2] ?? 0);
}

/** No slot. */
const NONE = -1;

/**
 * Slots by band key. A `Map` of a hundred thousand numbers does the same, and takes three times as long: every look-up
 * of it follows pointers to memory that is in no cache. Open addressing with linear probing; at most half full. A key
 * and its slot stand side by side.
 */
function createSlotTable() {
  let bits = 7;
  let size = 0;
  let table = new Int32Array(2 << bits).fill(NONE);

  /** Where the key is, or the free place where it belongs. */
  const placeOf = (key: number): number => {
    const mask = table.length - 1;
    let place = homeOf(key);
    for (let at = table[place]; at !== key && at !== NONE; at = table[place]) place = (place + 2) & mask;
    return place;
  };
  const homeOf = (key: number): number => (Math.imul(key, 0x9e3779b1) >>> (32 - bits)) << 1;
  const put = (place: number, key: number, slot: number): void => {
    table[place] = key;
    table[place + 1] = slot;
  };
  const grow = (): void => {
    const old = table;
    bits++;
    table = new Int32Array(2 << bits).fill(NONE);
    for (let from = 0; from < old.length; from += 2) {
      const key = old[from] as number;
      if (key !== NONE) put(placeOf(key), key, old[from + 1] as number);
    }
  };

  return {
    get: (key: number): number => {
      const place = placeOf(key);
      return table[place] === key ? (table[place + 1] as number) : NONE;
    },
    /** The key must not be there. */
    set: (key: number, slot: number): void => {
      size++;
      if (4 * size > table.length) grow();
      put(placeOf(key), key, slot);
    },
    /** Deletes the key if it leads to this slot. */
    delete: (key: number, slot: number): void => {
      let hole = placeOf(key);
      if (table[hole] !== key || table[hole + 1] !== slot) return;
      size--;
      const mask = table.length - 1;
      // Keys behind the hole move up, unless they would get before their home.
      for (let place = (hole + 2) & mask; table[place] !== NONE; place = (place + 2) & mask) {
        const moved = table[place] as number;
        if (((place - homeOf(moved)) & mask) < ((place - hole) & mask)) continue;
        put(hole, moved, table[place + 1] as number);
        hole = place;
      }
      put(hole, NONE, NONE);
    },
  };
}
