import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { shippedFolder } from "../../lib/folders.ts";

/** A file of `data/`, which is read where the program lies. Throws where it does not have the shape. */
export function readData<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> {
  const path = join(shippedFolder("src/listening-api/simulate/data"), file);
  const read = schema.safeParse(parse(readFileSync(path, "utf8")));
  if (read.success) return read.data;
  throw new Error(`${path} has a fault: ${read.error.message}`);
}

/** Subcategories of the parent category "Topics" that generated mentions carry. */
export const TOPICS = ["Product safety", "Delivery", "Customer service", "Pricing", "App"] as const;
export type Topic = (typeof TOPICS)[number];

export const TOPICS_CATEGORY = "Topics";

const SENTIMENTS = ["positive", "neutral", "negative"] as const;
export type Sentiment = (typeof SENTIMENTS)[number];

/** In data files. */
const TopicName = z.enum(TOPICS);
const SentimentName = z.enum(SENTIMENTS);

/** An invented company, and the words of which posts about it are made. */
export type Brand = z.output<typeof Brand>;
const Brand = z.strictObject({
  name: z.string(),
  handle: z.string(),
  /** The Boolean text of its query. */
  query: z.string(),
  /** Mentions in an hour of average liveliness. */
  perHour: z.number(),
  /** When people speak of it: peaks over the day, in hours UTC, and how lively a weekend is compared with a workday. */
  rhythm: z.strictObject({
    bumps: z.array(z.strictObject({ at: z.number(), width: z.number(), height: z.number() })),
    weekend: z.number(),
  }),
  products: z.array(z.string()),
  /** Its products are other people's things, so no post praises or prices them. */
  isCarrier: z.boolean(),
  /** "… found {hazard}", "worried about {hazard}". */
  hazards: z.array(z.string()),
  /** By weight. */
  topics: z.array(z.tuple([z.enum([...TOPICS, "General"]), z.number()])),
  subreddit: z.string(),
});

export const BRANDS: readonly Brand[] = readData("brands.yaml", z.array(Brand));

/** An invented newspaper. */
export type Outlet = z.output<typeof Outlet>;
const Outlet = z.strictObject({
  name: z.string(),
  site: z.string(),
  monthlyVisitors: z.number(),
  reporter: z.string(),
});

export const OUTLETS = readData("outlets.yaml", z.tuple([Outlet]).rest(Outlet));

const Country = z.strictObject({
  country: z.string(),
  countryCode: z.string(),
  continent: z.string(),
  continentCode: z.string(),
  currency: z.string(),
  /** Spoken besides English. */
  language: z.enum(["en", "de", "fr", "es"]),
});
const Cities = Country.extend({ weight: z.number(), cities: z.array(z.string()) });

/** Where an author lives, with the words and codes that a mention shows. */
export interface HomePlace extends z.output<typeof Country> {
  readonly city: string;
}

/** By weight. */
export const PLACES: readonly (readonly [HomePlace, number])[] = readData(
  "places.yaml",
  z.array(Cities),
).flatMap(({ cities, weight, ...country }) =>
  cities.map((city): readonly [HomePlace, number] => [{ city, ...country }, weight]),
);

const Foreign = z.record(
  z.enum(SENTIMENTS),
  z.array(z.strictObject({ text: z.string(), topic: TopicName.nullable() })),
);
const Phrases = z.strictObject({
  everyday: z.record(z.enum([...TOPICS, "General"]), z.record(z.enum(SENTIMENTS), z.array(z.string()))),
  foreign: z.strictObject({ de: Foreign, fr: Foreign, es: Foreign }),
  news: z.array(z.strictObject({ title: z.string(), snippet: z.string(), sentiment: SentimentName })),
  openings: z.array(z.string()),
  signs: z.array(z.string()),
  agents: z.array(z.string()),
});

export const {
  /** What people write, by what it is about and how they feel. */
  everyday: PHRASES,
  /** What people write in other languages, by language (ISO 639-1) and feeling. */
  foreign: FOREIGN_PHRASES,
  /** News of ordinary days. */
  news: EVERYDAY_NEWS,
  /** A few words that say nothing. */
  openings: OPENINGS,
  /** Of emotion. */
  signs: SIGNS,
  /** Of the support of companies. */
  agents: AGENTS,
} = readData("phrases.yaml", Phrases);

/** The posts of one crisis, stage by stage. */
export type CrisisStory = z.output<typeof CrisisStory>;
const CrisisStory = z.strictObject({
  brand: z.string(),
  topic: TopicName,
  hashtag: z.string(),
  /** What it is, in the middle of a sentence. */
  subject: z.string(),
  /** The post that starts it, by an unknown author. */
  witness: z.string(),
  follow: z.array(z.string()),
  reactions: z.array(z.string()),
  journalist: z.array(z.string()),
  headlines: z.array(z.strictObject({ title: z.string(), snippet: z.string() })),
  statement: z.string(),
});

const Stories = z.strictObject({
  stories: z.array(CrisisStory),
  reactions: z.array(z.string()),
  aftermath: z.array(z.strictObject({ text: z.string(), sentiment: SentimentName })),
  openings: z.array(z.string()),
  closings: z.array(z.string()),
});

export const {
  stories: STORIES,
  /** Said in any crisis, once it is known. */
  reactions: CRISIS_REACTIONS,
  /** Said once the company has spoken. */
  aftermath: CRISIS_AFTERMATH,
  /** As people begin and end when they are upset. */
  openings: CRISIS_OPENINGS,
  closings: CRISIS_CLOSINGS,
} = readData("stories.yaml", Stories);
