import { SECOND } from "../../lib/instant.ts";
import { addressOf } from "./addresses.ts";
import { type Author, someAuthor } from "./authors.ts";
import type { Brand } from "./brands.ts";
import type { Crisis } from "./crisis.ts";
import { fillSlots } from "./fill-slots.ts";
import type { Outlet } from "./outlets.ts";
import type { PageType, Post } from "./post.ts";
import type { Random } from "./random.ts";
import type { Story } from "./stories.ts";
import type { Sentiment } from "./topics.ts";

export interface Scene {
  readonly brand: Brand;
  readonly story: Story;
  readonly crisis: Crisis;
  readonly random: Random;
}

export type Draft = {
  readonly afterMs: number;
  readonly author: Author;
  readonly text: string;
  readonly pageType?: PageType;
  readonly title?: string;
  readonly sentiment?: Sentiment;
  readonly outlet?: Outlet;
};

export interface Writer {
  (draft: Draft): Post;
  somebody(): Author;
}

/** Makes posts of the story out of drafts, numbered in the order in which they are written. */
export function createWriter(seed: string, { brand, story, crisis, random }: Scene): Writer {
  let number = 0;
  const more = { hashtag: story.hashtag, subject: story.subject };
  const write = (draft: Draft): Post => {
    number++;
    const key = `${crisis.brand}/crisis/${crisis.at}/${number}`;
    const pageType = draft.pageType ?? "twitter";
    const words = { brand, place: draft.author.place, more };
    const site = draft.outlet === undefined ? {} : { site: draft.outlet.site };
    return {
      key,
      brand: brand.name,
      pageType,
      author: draft.author,
      title: draft.title ?? null,
      text: fillSlots(draft.text, words, random),
      language: "en",
      ...addressOf(pageType, key, { ...brand, brand: brand.name, handle: draft.author.handle, ...site }),
      publishedAt: Math.floor((crisis.at + draft.afterMs) / SECOND) * SECOND,
      sentiment: draft.sentiment ?? "negative",
      topic: story.topic,
      reposts: 0,
      repostOf: null,
      rating: null,
      monthlyVisitors: draft.outlet?.monthlyVisitors ?? null,
    };
  };
  return Object.assign(write, { somebody: () => someAuthor(seed, random) });
}
