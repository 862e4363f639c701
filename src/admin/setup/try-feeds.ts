import {
  createEnricher,
  EnrichConfig,
  type FeedConfig,
  type FeedTry,
  kindOf,
  ListenConfig,
  planFeeds,
  tryFeed,
  userAgent,
} from "#feeds";
import type { Clock } from "../../lib/clock.ts";
import { formatDuration } from "../../lib/duration.ts";
import { MINUTE } from "../../lib/instant.ts";
import type { SetupAnswers } from "./draft-setup.ts";

/** Feeds are tried for this long; those that have not answered then say so. */
const PATIENCE_MS = MINUTE / 2;

/** What the feeds of a configuration would bring now, each once. Stores nothing. */
export async function tryFeeds(
  listen: Pick<ListenConfig, "queries" | "keep" | "contact"> & { readonly feeds: readonly FeedConfig[] },
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly FeedTry[]> {
  const late = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  const fetched = planFeeds(listen).filter(({ part }) => part.url !== null);
  const agent = userAgent(listen);
  const { ofText: enrich } = await createEnricher(EnrichConfig.parse({}));
  return Promise.all(
    fetched.map((feed) =>
      tryFeed(feed, { listen, enrich, userAgent: agent, clock, signal: late }).catch(
        (error: unknown): FeedTry => {
          if (!late.aborted || signal.aborted) throw error;
          return tooSlow(feed.name);
        },
      ),
    ),
  );
}

function tooSlow(feed: string): FeedTry {
  const policy = { stored: "", sentOut: "", deletesLearntBy: "" };
  const nothing = { items: [], refused: [], deletes: 0, more: false, policy };
  return { ...nothing, feed, problem: `it has not answered within ${formatDuration(PATIENCE_MS)}` };
}

/** Of how many items a query matches so large a part that it floods people. */
export function floodingQueries(tried: readonly FeedTry[], queries: readonly string[]): readonly string[] {
  const items = tried.flatMap((one) => one.items);
  return queries.filter((name) => {
    const matched = items.filter((item) => item.queries.some((query) => query.name === name)).length;
    return matched >= FLOOD_FROM && matched > items.length * FLOOD_SHARE;
  });
}

const FLOOD_FROM = 20;
const FLOOD_SHARE = 0.2;

/** The part `listen` of the draft, as the file will be read. */
export function listenOf(
  { languages, feeds, contact }: SetupAnswers,
  queries: readonly { readonly name: string; readonly text: string }[],
): ListenConfig {
  const parsed = ListenConfig.parse({
    queries: queries.map((query) => ({ ...query, languages })),
    ...(contact === null ? {} : { contact }),
  });
  return {
    ...parsed,
    feeds: feeds.map(({ kind, keys }) => kindOf({ kind }).config.parse(keys) as FeedConfig),
  };
}
