import { z } from "zod";
import { readData } from "./read-data.ts";
import { TOPICS } from "./topics.ts";

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
