/** Subcategories of the parent category "Topics" that generated mentions carry. */
export const TOPICS = ["Product safety", "Delivery", "Customer service", "Pricing", "App"] as const;
export type Topic = (typeof TOPICS)[number];

export const TOPICS_CATEGORY = "Topics";

export type Sentiment = "positive" | "neutral" | "negative";
