import { z } from "zod";

/** Subcategories of the parent category "Topics" that generated mentions carry. */
export const TOPICS = ["Product safety", "Delivery", "Customer service", "Pricing", "App"] as const;
export type Topic = (typeof TOPICS)[number];

export const TOPICS_CATEGORY = "Topics";

export const SENTIMENTS = ["positive", "neutral", "negative"] as const;
export type Sentiment = (typeof SENTIMENTS)[number];

/** In data files. */
export const TopicName = z.enum(TOPICS);
export const SentimentName = z.enum(SENTIMENTS);
