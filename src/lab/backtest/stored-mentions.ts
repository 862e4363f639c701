import type { Mention, Query, Stores } from "#monitor";
import { DAY, type Instant } from "../../lib/instant.ts";
import { createDueQueue } from "./due-queue.ts";

/** Held of all queries together; at least LEAST of each. */
const MOST_HELD = 40_000;
const LEAST = 100;

/** The detector knows hours of the week: with so many weeks before the range, it starts as it would run. */
export const LEARN_MS = 28 * DAY;

/** The stored mentions of these queries that were added from `since` on, in the order in which they were added. */
export async function* storedMentions(
  { mentions }: Pick<Stores, "mentions">,
  queries: readonly Query[],
  since: Instant,
  /** Rows of one answer of the database, which are read at once: many block the process for long. */
  most = 5_000,
): AsyncGenerator<Mention> {
  const batch = Math.min(most, Math.max(LEAST, Math.floor(MOST_HELD / Math.max(1, queries.length))));
  const heads = createDueQueue<Head>(() => true);
  const addNext = async (rows: AsyncIterator<Mention>): Promise<void> => {
    const next = await rows.next();
    if (next.done !== true) heads.add(next.value.addedAt, { mention: next.value, rows });
  };
  for (const { projectId, queryId } of queries)
    await addNext(oneByOne(mentions.byArrival(projectId, queryId, batch, since)));
  for (let at = heads.nextAt(); at !== null; at = heads.nextAt())
    for (const { mention, rows } of heads.take(at)) {
      yield mention;
      await addNext(rows);
    }
}

/** The next mention of one query, and the others behind it. */
interface Head {
  readonly mention: Mention;
  readonly rows: AsyncIterator<Mention>;
}

async function* oneByOne(
  batches: AsyncIterable<readonly { readonly mention: Mention }[]>,
): AsyncGenerator<Mention> {
  for await (const batch of batches) for (const { mention } of batch) yield mention;
}
