import { z } from "zod";
import { readData } from "./read-data.ts";
import { SENTIMENTS, SentimentName, TOPICS, TopicName } from "./topics.ts";

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
