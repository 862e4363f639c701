import { DAY, HOUR, type Instant, SECOND } from "../../lib/instant.ts";
import { type Author, someAuthor } from "./authors.ts";
import {
  type Brand,
  EVERYDAY_NEWS,
  FOREIGN_PHRASES,
  OUTLETS,
  PHRASES,
  type Sentiment,
  type Topic,
} from "./data.ts";
import { addressOf, type PageType, type Post, repostsOf } from "./post.ts";
import { createRandom, type Random } from "./random.ts";
import { fillSlots, typeAs, withLink, withOpening, withSign } from "./writing.ts";

/** What is published about a brand in an hour when nothing happens. The same seed and hour, the same posts. */
export function everydayPosts(seed: string, brand: Brand, hourStart: Instant): Post[] {
  const random = createRandom(seed, "everyday", brand.name, hourStart);
  const expected = brand.perHour * liveliness(brand, hourStart + HOUR / 2);
  const posts: Post[] = [];
  for (let number = random.poisson(expected); number > 0; number--) {
    const post = everydayPost(seed, brand, hourStart, number, random);
    posts.push(post, ...everydayReposts(seed, brand, post, hourStart, random));
  }
  return posts;
}

const PAGE_TYPES: readonly (readonly [PageType, number])[] = [
  ["twitter", 62],
  ["reddit", 11],
  ["instagram", 9],
  ["forum", 8],
  ["review", 7],
  ["news", 3],
];

function everydayPost(seed: string, brand: Brand, hourStart: Instant, number: number, random: Random): Post {
  const pageType = random.weighted(PAGE_TYPES);
  const author = pageType === "news" ? reporter(seed, random) : someAuthor(seed, random);
  const words = writing(pageType, brand, author, random);
  const key = `${brand.name}/${hourStart}/${number}`;
  // Random numbers of its own: whether a post has a link changes nothing else about any post.
  const text = withLink(pageType, words.text, brand, createRandom(seed, "link", key));
  const site = pageType === "news" ? OUTLETS.find(({ reporter }) => reporter === author.name) : undefined;
  return {
    key,
    brand: brand.name,
    pageType,
    author,
    ...words,
    text,
    ...addressOf(pageType, key, { ...brand, brand: brand.name, handle: author.handle, ...(site ?? {}) }),
    publishedAt: hourStart + random.whole(0, 3_599) * SECOND,
    reposts: pageType === "twitter" ? random.poisson(Math.min(40, author.followers / 4_000)) : 0,
    repostOf: null,
    rating: pageType === "review" ? RATINGS[words.sentiment] - (random.chance(0.4) ? 1 : 0) : null,
    monthlyVisitors: site?.monthlyVisitors ?? null,
  };
}

const RATINGS: Readonly<Record<Sentiment, number>> = { positive: 5, neutral: 4, negative: 2 };

type Writing = Pick<Post, "title" | "text" | "language" | "sentiment" | "topic">;

function writing(pageType: PageType, brand: Brand, author: Author, random: Random): Writing {
  const words = { brand, place: author.place };
  const language = author.place.language;
  if (pageType === "news") {
    const { title, snippet, sentiment } = random.pick(EVERYDAY_NEWS);
    const filled = { title: fillSlots(title, words, random), text: fillSlots(snippet, words, random) };
    return { ...filled, language: "en", sentiment, topic: null };
  }
  const sentiment = random.weighted(SENTIMENTS);
  if (language !== "en" && random.chance(0.4)) {
    const { text, topic } = random.pick(FOREIGN_PHRASES[language][sentiment]);
    const filled = fillSlots(text, words, random);
    return { title: null, text: withSign(filled, random), language, sentiment, topic };
  }
  const about = random.weighted(brand.topics);
  const topic: Topic | null = about === "General" ? null : about;
  const patterns = patternsFor(brand, about, sentiment);
  const pattern = random.pick(patterns);
  const first = fillSlots(pattern, words, random);
  const isLong = pageType === "forum" || pageType === "reddit" || pageType === "review";
  if (!isLong)
    return {
      title: null,
      text: typeAs(pageType, withOpening(first, random), brand, random),
      language: "en",
      sentiment,
      topic,
    };
  const others = patterns.filter((other) => other !== pattern);
  const second = others.length === 0 ? [] : [fillSlots(random.pick(others), words, random)];
  const text = [first, ...second].map(asSentence).join(" ");
  return { title: first.slice(0, 90), text, language: "en", sentiment, topic };
}

function patternsFor(brand: Brand, about: Topic | "General", sentiment: Sentiment): readonly string[] {
  const patterns = PHRASES[about][sentiment];
  const isAboutParcels = about === "Delivery" || about === "Customer service";
  if (!brand.isCarrier || isAboutParcels) return patterns;
  return patterns.filter((pattern) => !pattern.includes("{product}"));
}

function asSentence(text: string): string {
  return /[.?!…)]$/.test(text) ? text : `${text}.`;
}

const SENTIMENTS: readonly (readonly [Sentiment, number])[] = [
  ["neutral", 45],
  ["positive", 32],
  ["negative", 23],
];

function reporter(seed: string, random: Random): Author {
  const outlet = random.pick(OUTLETS);
  const somebody = someAuthor(seed, random);
  return {
    ...somebody,
    name: outlet.reporter,
    handle: outlet.site.split(".")[0] ?? "news",
    isOrganisation: true,
  };
}

/** A few posts are passed on at once, those of people with many followers more often. */
function everydayReposts(seed: string, brand: Brand, post: Post, hourStart: Instant, random: Random): Post[] {
  if (post.pageType !== "twitter" || post.reposts === 0) return [];
  const times = Array.from(
    { length: Math.min(6, post.reposts) },
    () => post.publishedAt + random.exponential(600_000),
  )
    .map((at) => Math.floor(at / SECOND) * SECOND)
    .filter((at) => at < hourStart + HOUR);
  return repostsOf(seed, brand, post, times, random);
}

/** How lively a moment is for a brand: about 1 over a workday, far less at night. */
function liveliness(brand: Brand, at: Instant): number {
  const hour = (at % DAY) / HOUR;
  const bumps = brand.rhythm.bumps.map(({ at: peak, width, height }) => {
    const distance = Math.min(Math.abs(hour - peak), 24 - Math.abs(hour - peak));
    return height * Math.exp(-((distance / width) ** 2) / 2);
  });
  const awake = 0.12 + 0.5 * Math.exp(-(((hour - 14) / 5) ** 2) / 2);
  const quiet = bumps.reduce((sum, bump) => sum + bump, awake);
  return quiet * (isWeekend(at) ? brand.rhythm.weekend : 1);
}

/** Day 0 of the epoch was a Thursday. */
function isWeekend(at: Instant): boolean {
  const weekday = (Math.floor(at / DAY) + 4) % 7;
  return weekday === 0 || weekday === 6;
}
