import { HOUR, type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import { type Author, someAuthor } from "./authors.ts";
import {
  BRANDS,
  type Brand,
  CRISIS_AFTERMATH,
  CRISIS_CLOSINGS,
  CRISIS_OPENINGS,
  CRISIS_REACTIONS,
  type CrisisStory,
  OUTLETS,
  type Outlet,
  type Sentiment,
  STORIES,
} from "./data.ts";
import { addressOf, type PageType, type Post, repostsOf } from "./post.ts";
import { createRandom, type Random } from "./random.ts";
import { fillSlots, typeAs } from "./writing.ts";

/** A storm that breaks over a brand at a moment: it grows for twenty minutes and fades over some hours. */
export interface Crisis {
  readonly brand: string;
  readonly at: Instant;
}

/** After this a crisis is over. */
export const CRISIS_LASTS_MS = 6 * HOUR;

/** When the company says something. */
const SPOKEN_AFTER_MS = 75 * MINUTE;

const GROWS_MS = 20 * MINUTE;
const FADES_MS = 50 * MINUTE;

/** From 0 to 1 over the first twenty minutes, then fading. */
function strength(afterMs: number): number {
  if (afterMs < 0) return 0;
  if (afterMs < GROWS_MS) return (afterMs / GROWS_MS) ** 1.3;
  return Math.exp(-(afterMs - GROWS_MS) / FADES_MS);
}

/** Everything that is published because of a crisis, in no particular order. Always the same for the same seed. */
export function crisisPosts(seed: string, crisis: Crisis): Post[] {
  const brand = BRANDS.find((candidate) => candidate.name === crisis.brand);
  const story = STORIES.find((candidate) => candidate.brand === crisis.brand);
  if (brand === undefined || story === undefined)
    throw new Error(`There is no story about ${JSON.stringify(crisis.brand)}.`);
  const scene = { brand, story, crisis, random: createRandom(seed, "crisis", crisis.brand, crisis.at) };
  const write = createWriter(seed, scene);
  const scripted = milestones(write, story);
  return [...scripted.map(({ post }) => post), ...crowd(seed, write, scripted, scene)];
}

interface Scene {
  readonly brand: Brand;
  readonly story: CrisisStory;
  readonly crisis: Crisis;
  readonly random: Random;
}

type Draft = {
  readonly afterMs: number;
  readonly author: Author;
  readonly text: string;
  readonly pageType?: PageType;
  readonly title?: string;
  readonly sentiment?: Sentiment;
  readonly outlet?: Outlet;
};

interface Writer {
  (draft: Draft): Post;
  somebody(): Author;
}

/** Makes posts of the story out of drafts, numbered in the order in which they are written. */
function createWriter(seed: string, { brand, story, crisis, random }: Scene): Writer {
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

interface Milestone {
  readonly post: Post;
  /** How often it is reposted, in addition to the others. */
  readonly pull: number;
}

/** The posts without which it is no crisis: of the witness, a journalist, newspapers, the company. */
function milestones(write: Writer, story: CrisisStory): Milestone[] {
  const witness: Author = { ...write.somebody(), followers: 412, verified: null };
  const journalist: Author = {
    ...write.somebody(),
    name: "Helena Brandt",
    handle: "helenabrandt",
    followers: 184_000,
    verified: "blue",
  };
  const company: Author = {
    ...write.somebody(),
    name: story.brand,
    handle: BRANDS.find(({ name }) => name === story.brand)?.handle ?? story.brand,
    followers: 61_000,
    verified: "business",
    isOrganisation: true,
  };
  const milestone = (author: Author, text: string, minutes: number, pull: number): Milestone => ({
    post: write({ author, text, afterMs: minutes * MINUTE }),
    pull,
  });
  return [
    milestone(witness, story.witness, 0, 10),
    ...story.follow.map((text, index) => milestone(witness, text, 6 + index * 13, 3)),
    ...story.journalist.map((text, index) => milestone(journalist, text, 17 + index * 24, 8)),
    ...story.headlines.map(({ title, snippet }, index) => ({
      pull: 0,
      post: write({ ...byOutlet(write, index), title, text: snippet, afterMs: (28 + index * 31) * MINUTE }),
    })),
    {
      pull: 4,
      post: write({ author: company, text: story.statement, afterMs: SPOKEN_AFTER_MS, sentiment: "neutral" }),
    },
  ];
}

function byOutlet(write: Writer, index: number): Pick<Draft, "author" | "pageType" | "outlet"> {
  const outlet = OUTLETS[index] ?? OUTLETS[0];
  const author = { ...write.somebody(), name: outlet.reporter, handle: outlet.name, isOrganisation: true };
  return { author, pageType: "news", outlet };
}

/** At the height of the storm. */
const POSTS_A_MINUTE = 13;

/** All others, minute by minute: some repost, some copy, most write something. */
function crowd(
  seed: string,
  write: Writer,
  scripted: readonly Milestone[],
  { brand, story, crisis, random }: Scene,
): Post[] {
  const posts: Post[] = [];
  const mood = { reaction: random.bag([...story.reactions, ...CRISIS_REACTIONS]), story };
  for (let afterMs = MINUTE; afterMs < CRISIS_LASTS_MS; afterMs += MINUTE) {
    for (let count = random.poisson(POSTS_A_MINUTE * strength(afterMs)); count > 0; count--) {
      const when = afterMs + random.whole(0, 59) * SECOND;
      const known = scripted.filter(({ post }) => post.publishedAt < crisis.at + when);
      posts.push(oneOfTheCrowd(seed, write, known, when, { brand, crisis, random, ...mood }));
    }
  }
  return posts.map((post, index) => ({ ...post, key: `${post.key}/${index}` }));
}

function oneOfTheCrowd(
  seed: string,
  write: Writer,
  known: readonly Milestone[],
  afterMs: number,
  { brand, story, crisis, random, reaction }: Scene & { reaction: () => string },
): Post {
  const shared = known.filter(({ pull }) => pull > 0);
  const how = random.next();
  if (shared.length > 0 && how < 0.38) {
    const { post } = random.weighted(shared.map((milestone) => [milestone, milestone.pull] as const));
    const [repost] = repostsOf(seed, brand, post, [crisis.at + afterMs], random);
    if (repost !== undefined) return repost;
  }
  const author = write.somebody();
  if (how < 0.46) return write({ author, afterMs, text: copyOf(story.witness, random) });
  if (afterMs > SPOKEN_AFTER_MS && random.chance(0.45))
    return write({ author, afterMs, ...random.pick(CRISIS_AFTERMATH) });
  const pageType: PageType = random.weighted([
    ["twitter", 78],
    ["reddit", 10],
    ["instagram", 7],
    ["forum", 5],
  ]);
  const post = write({ author, afterMs, pageType, text: withBreath(reaction(), random) });
  return { ...post, text: typeAs(pageType, post.text, brand, random) };
}

/** As people begin and end when they are upset. */
function withBreath(text: string, random: Random): string {
  const opening = random.chance(0.35) ? random.pick(CRISIS_OPENINGS) : "";
  const closing = random.chance(0.25) ? random.pick(CRISIS_CLOSINGS) : "";
  return opening + text + closing;
}

/** As people copy: something put before it, the end lost, a word changed. */
function copyOf(text: string, random: Random): string {
  const opening = random.pick([
    "",
    "omg. ",
    "READ THIS: ",
    "via a friend: ",
    "Please share. ",
    "not my post but: ",
  ]);
  const sentences = text.replace(" {hashtag}", "").split(/(?<=[.?!]) /);
  const kept = random.chance(0.5) ? sentences : sentences.slice(0, -1);
  return `${opening}${kept.join(" ")}${random.chance(0.6) ? " {hashtag}" : ""}`;
}
