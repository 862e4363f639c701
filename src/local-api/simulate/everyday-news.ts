import type { Sentiment } from "./topics.ts";

/** News of ordinary days. */
export const EVERYDAY_NEWS: readonly { title: string; snippet: string; sentiment: Sentiment }[] = [
  {
    title: "{brand} opens new site in {city}",
    snippet: "{brand} creates around 120 jobs in {city}. The mayor spoke of a good day for the region.",
    sentiment: "positive",
  },
  {
    title: "{brand} reports steady quarter",
    snippet: "Sales at {brand} grew by {days} per cent, in line with what analysts had expected.",
    sentiment: "neutral",
  },
  {
    title: "Test: how good is {brand}?",
    snippet:
      "Our readers compared {brand} with four rivals for six weeks. It came second, with praise for its service and doubts about its prices.",
    sentiment: "neutral",
  },
  {
    title: "{brand} raises prices again",
    snippet:
      "Customers of {brand} pay {amount} more from next month. Consumer groups criticise the short notice.",
    sentiment: "negative",
  },
  {
    title: "{brand} wins design award",
    snippet: "The jury called the latest product of {brand} 'a quiet piece of common sense'.",
    sentiment: "positive",
  },
  {
    title: "Staff at {brand} vote on strike",
    snippet: "Talks about pay at {brand} have stalled. The union expects a clear result by Friday.",
    sentiment: "negative",
  },
  {
    title: "What {brand} does with your data",
    snippet:
      "We asked {brand} for everything it stores about one customer. It took {days} weeks and 41 pages.",
    sentiment: "neutral",
  },
];
