import { z } from "zod";

/**
 * The explanation of an alert at the time of a notification, stored with it. Shares are of 1; names and words are as
 * people wrote them, hostile. Unknown values are null; the lists only hold remarkable entries.
 */
export const Explanation = z.object({
  /** The alert's `notifyCount` at that time: a higher one needs a new explanation. */
  notifyCount: z.number(),
  /** Made after the end of the alert. */
  isFinal: z.boolean().exactOptional(),
  /** When the counts left what is ordinary. */
  since: z.number().nullable(),
  /** The newest earlier window with as many, else the start of the known counts. */
  largest: z.object({ since: z.number().nullable(), knownFrom: z.number() }).nullable(),
  /** Examined mentions of the window, and of the same hours of the days before. */
  looked: z.object({ now: z.number(), before: z.number() }),
  authors: z.object({
    count: z.number(),
    /** Authors who wrote more than others, with their mentions. */
    loudest: z.array(z.object({ name: z.string(), mentions: z.number() })),
  }),
  /** Mentions that repeat a story, as a share of all mentions. */
  reposts: z.object({ now: z.number(), before: z.number().nullable() }),
  negative: z.object({ now: z.number(), before: z.number() }).nullable(),
  topics: z.array(z.object({ name: z.string(), now: z.number(), before: z.number() })),
  domains: z.array(z.object({ name: z.string(), now: z.number(), before: z.number() })),
  /** Words that many use now and few used before. */
  words: z.array(z.string()),
  completeUntil: z.number().nullable(),
  chart: z
    .object({
      counted: z.string(),
      columnMs: z.number(),
      /** The window of `ordinary`, in milliseconds; absent: the width of a column. */
      ordinaryMs: z.number().exactOptional(),
      columns: z.array(
        z.object({ at: z.number(), count: z.number(), expected: z.number(), ordinary: z.number() }),
      ),
    })
    .nullable(),
});
export type Explanation = z.output<typeof Explanation>;
