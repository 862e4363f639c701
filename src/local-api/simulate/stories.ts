import { z } from "zod";
import { readData } from "./read-data.ts";
import { SentimentName, TopicName } from "./topics.ts";

/** The posts of one crisis, stage by stage. */
export type Story = z.output<typeof Story>;
const Story = z.strictObject({
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
  stories: z.array(Story),
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
