import { z } from "zod";

/**
 * What was found out about an alert when people were told of it, kept with it. Shares are of 1; names and words are as
 * people wrote them, hostile. What could not be known is null, what is not worth telling is left out of the lists.
 */
export const Explanation = z.object({
  /** The alert's tellings when this was found out: it is found out anew when there are more. */
  notifyCount: z.number(),
  /** It was found out after the end of the alert. */
  isFinal: z.boolean().exactOptional(),
  /** When the counts left what is ordinary. */
  since: z.number().nullable(),
  /** The newest earlier window with as many, else since when the counts are known. */
  largest: z.object({ since: z.number().nullable(), knownFrom: z.number() }).nullable(),
  /** Mentions of the window that were looked at, and those of the same hours of the days before. */
  looked: z.object({ now: z.number(), before: z.number() }),
  authors: z.object({
    count: z.number(),
    /** Who wrote more than others, with how many mentions. */
    loudest: z.array(z.object({ name: z.string(), mentions: z.number() })),
  }),
  /** Stories told by several mentions, as a share of all mentions. */
  reposts: z.object({ now: z.number(), before: z.number().nullable() }),
  negative: z.object({ now: z.number(), before: z.number() }).nullable(),
  topics: z.array(z.object({ name: z.string(), now: z.number(), before: z.number() })),
  domains: z.array(z.object({ name: z.string(), now: z.number(), before: z.number() })),
  /** Words that many use now and few did before. */
  words: z.array(z.string()),
  completeUntil: z.number().nullable(),
  chart: z
    .object({
      counted: z.string(),
      columnMs: z.number(),
      /** The window over which `ordinary` is reckoned; that of a column where it is absent. */
      ordinaryMs: z.number().exactOptional(),
      columns: z.array(
        z.object({ at: z.number(), count: z.number(), expected: z.number(), ordinary: z.number() }),
      ),
    })
    .nullable(),
});
export type Explanation = z.output<typeof Explanation>;
