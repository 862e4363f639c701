import {
  categorizeMention,
  createDatabase,
  type DatabasePool,
  editMention,
  findProject,
  listCategories,
  listQueries,
} from "#listening-api";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { atMost, cached } from "../../lib/concurrency.ts";
import { BusyError, UserError } from "../../lib/errors.ts";
import { type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import { stableHash } from "../../lib/json.ts";
import type { EnrichConfig } from "../enrich/enrich-config.ts";
import type { ReadJudged } from "../enrich/learners.ts";
import { describeLearned, learns, nameLearned, readLearned } from "../enrich/read-learned.ts";
import type { SENTIMENTS } from "../enrich/sentiment/model-file.ts";
import type { ReadJudgedMentions } from "../enrich/start-enrichment.ts";
import { isStream } from "../kinds/all-kinds.ts";
import { type FeedRow, listFeeds } from "../store/feeds.ts";
import { feedStatus } from "./feed-status.ts";
import type { ListenConfig } from "./listen-config.ts";
import type { PlannedFeed } from "./plan-feeds.ts";
import type { FeedEnricher } from "./store-items.ts";
import { tryFeed } from "./try-feed.ts";
import { userAgent } from "./user-agent.ts";

/** How long an answer is shown again, so that readers do not ask a server more often than its feed is fetched. */
const TRY_LIVES_MS = MINUTE;
const TRIES_AT_ONCE = 2;
/** Pages ask every second, and feeds are fetched every minute at most. */
const VERSION_LIVES_MS = 3 * SECOND;
const MOST_ITEMS = 50;

/** A feed as the console shows it. Names, addresses and problems are of strangers. */
export interface ShownFeed {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  /** In one word, such as `ok` or `failing`. */
  readonly state: string;
  /** Why it is silent, and what to do; null: it is not. */
  readonly why: string | null;
  readonly receivedAt: Instant | null;
  /** When the newest item came. */
  readonly itemAt: Instant | null;
  /** Expected between two fetches, in milliseconds; 0: others push to it. */
  readonly everyMs: number;
  readonly nextAt: Instant | null;
  /** What people should know of it, in sentences. */
  readonly notes: readonly string[];
  readonly itemsToday: number;
  readonly matchedToday: number;
}

/** What a feed would bring now. */
export interface ShownTry {
  readonly feed: string;
  /** Why it cannot be read, or not wholly. */
  readonly problem: string | null;
  readonly items: readonly {
    readonly id: string;
    readonly title: string | null;
    readonly text: string;
    readonly url: string | null;
    readonly date: Instant;
    readonly queries: readonly { readonly name: string; readonly words: readonly string[] }[];
    readonly misses: readonly { readonly query: string; readonly message: string }[];
  }[];
  readonly refused: readonly { readonly reason: string; readonly n: number }[];
}

/** What a person says of a mention of a query, as the monitor names them. */
type Correction = { readonly queryId: string; readonly resourceId: string } & (
  | { readonly sentiment: (typeof SENTIMENTS)[number] }
  | { readonly category: number; readonly isIn: boolean }
);

/** The public feeds of the monitor. */
export interface FeedView {
  list(): Promise<{ readonly at: Instant; readonly feeds: readonly ShownFeed[] }>;
  /** Changes when the list changes. */
  version(): Promise<string>;
  /** What people have taught of each query, in sentences; of a minute ago at most. Empty: nothing is learnt. */
  learned(): Promise<readonly { readonly query: string; readonly what: string; readonly how: string }[]>;
  /**
   * A person says the sentiment of a mention, or whether it is in a subcategory. Returns what is so now: "neutral", "Delivery: Late", "not Delivery: Late". Null: it is none of ours, or gone. The monitor
   * reads it with the next changes.
   */
  correct(correction: Correction): Promise<string | null>;
  /** The subcategories that a mention of the feeds may have, with their parents; of a minute ago at most. */
  categories(): Promise<readonly { readonly id: number; readonly name: string }[]>;
  /** A person says in which subcategories a mention is, and in which it is not any more. False: see `correct`; or they exclude each other. */
  categorize(which: {
    readonly queryId: string;
    readonly resourceId: string;
    readonly added: readonly number[];
    readonly removed: readonly number[];
  }): Promise<boolean>;
  /** Fetches a feed once and stores nothing; null if there is no such feed, "Busy" if others are being tried. */
  attempt(key: string, signal: AbortSignal): Promise<ShownTry | "Busy" | null>;
}

/** The feeds of this process for the console, from the tables that all processes share. */
export function openFeedView(parts: {
  readonly pool: DatabasePool;
  readonly feeds: readonly PlannedFeed[];
  readonly listen: ListenConfig;
  /** Where its mentions are. */
  readonly account: { readonly client: string; readonly project: string };
  readonly enricher: () => Promise<FeedEnricher>;
  readonly clock: Clock;
  readonly enrich: EnrichConfig;
  /** Texts that people judged; see `startEnrichment`. */
  readonly judged: ReadJudgedMentions;
  /** The id of a query here, by its name in the monitor; null: it is another source's. */
  readonly ownIdOf: (queryId: string) => number | null;
}): FeedView {
  const { pool, feeds, listen, account, enricher, clock, enrich: config, ownIdOf } = parts;
  const judged: ReadJudged = (query, most) => parts.judged(query, { most });
  const db = createDatabase(pool);
  const turns = atMost(TRIES_AT_ONCE, 0);
  const tried = new Map<string, { readonly at: number; readonly result: Promise<ShownTry> }>();
  let projectId: number | null = null;
  const projectIdOf = async () => {
    projectId ??= (await findProject(db, account)).id;
    return projectId;
  };
  const read = async () => listFeeds(db, await projectIdOf());
  const learned = async () => {
    if (!learns(config)) return [];
    const rows = await readLearned(db, await projectIdOf(), { config, judged, now: clock.now() });
    return rows.map((row) => ({ query: row.query, what: nameLearned(row), how: describeLearned(row) }));
  };
  /** False: the query is none of ours, or what it names is not there. */
  const ofOurs = async (
    queryId: string,
    edit: (projectId: number, own: number) => Promise<unknown>,
  ): Promise<boolean> => {
    const own = ownIdOf(queryId);
    const projectId = await projectIdOf();
    const isOurs = (await listQueries(db, projectId)).some(({ id }) => id === own);
    if (own === null || !isOurs) return false;
    return edit(projectId, own).then(
      () => true,
      (error: unknown) => {
        if (error instanceof UserError) return false;
        throw error;
      },
    );
  };
  const categories = async () => {
    const parents = await listCategories(db, await projectIdOf());
    return parents.flatMap((parent) =>
      parent.children.map(({ id, name }) => ({ id, name: `${parent.name}: ${name}` })),
    );
  };
  /** Of subcategories that exclude each other it takes the place of the one before. */
  const putIn = async (correction: Extract<Correction, { category: number }>): Promise<string | null> => {
    const { queryId, resourceId, category, isIn } = correction;
    const parents = await listCategories(db, await projectIdOf());
    const parent = parents.find(({ children }) => children.some(({ id }) => id === category));
    if (parent === undefined) return null;
    const others = isIn && !parent.multiple ? parent.children.map(({ id }) => id) : [category];
    const change = (has: readonly number[]) => [
      ...has.filter((id) => !others.includes(id)),
      ...(isIn ? [category] : []),
    ];
    const isDone = await ofOurs(queryId, (projectId, own) =>
      categorizeMention(db, { projectId, queryId: own, resourceId }, change, clock.now),
    );
    const name = `${parent.name}: ${parent.children.find(({ id }) => id === category)?.name}`;
    if (!isDone) return null;
    return isIn ? name : `not ${name}`;
  };
  const fetchOnce = async (feed: PlannedFeed, signal: AbortSignal): Promise<ShownTry> => {
    const { ofText: enrich } = await enricher();
    const agent = userAgent(listen);
    const result = await tryFeed(feed, { listen, enrich, userAgent: agent, clock, signal });
    return { ...result, items: result.items.slice(0, MOST_ITEMS) };
  };
  return {
    list: async () => {
      const { at, feeds } = await read();
      return { at, feeds: feeds.filter(({ isConfigured }) => isConfigured).map((feed) => shown(feed, at)) };
    },
    learned: cached(learned, MINUTE, systemClock).ask,
    correct: async (correction) => {
      const { queryId, resourceId } = correction;
      if ("category" in correction) return putIn(correction);
      const { sentiment } = correction;
      const isDone = await ofOurs(queryId, (projectId, own) => {
        const which = { projectId, queryIds: [own], resourceId };
        return editMention(db, which, { ...NO_OTHER_CHANGES, sentiment }, clock.now);
      });
      return isDone ? sentiment : null;
    },
    categories: cached(categories, MINUTE, systemClock).ask,
    categorize: ({ queryId, resourceId, added, removed }) => {
      const change = (has: readonly number[]) => [...has.filter((id) => !removed.includes(id)), ...added];
      return ofOurs(queryId, (projectId, own) =>
        categorizeMention(db, { projectId, queryId: own, resourceId }, change, clock.now),
      );
    },
    version: cached(
      async () => {
        const { feeds } = await read();
        return stableHash(
          feeds.map((feed) => [
            feed.key,
            feed.isFetchedNow,
            feed.triedAt,
            feed.receivedAt,
            feed.itemAt,
            feed.itemsToday,
            feed.matchedToday,
            feed.problem,
            feed.notes,
          ]),
        );
      },
      VERSION_LIVES_MS,
      systemClock,
    ).ask,
    attempt: async (key, signal) => {
      const feed = feeds.find((one) => one.key === key);
      if (feed === undefined) return null;
      const known = tried.get(key);
      if (known !== undefined && clock.now() - known.at < TRY_LIVES_MS) return known.result;
      const result = turns(() => fetchOnce(feed, signal));
      tried.set(key, { at: clock.now(), result });
      try {
        return await result;
      } catch (error) {
        tried.delete(key);
        if (error instanceof BusyError) return "Busy";
        throw error;
      }
    },
  };
}

const NO_OTHER_CHANGES = { addCategories: [], removeCategories: [], addTags: [], removeTags: [], fields: {} };

function shown(feed: FeedRow, at: number): ShownFeed {
  const { key, name, kind, receivedAt, itemAt, everyMs, nextAt, itemsToday, matchedToday, notes } = feed;
  const { state, why } = feedStatus(feed, at);
  return {
    key,
    name,
    kind,
    state,
    why,
    receivedAt,
    itemAt,
    everyMs,
    nextAt,
    itemsToday,
    matchedToday,
    notes,
  };
}

/** A feed, as the health checks of the monitor know it. */
export function feedHealth(feed: FeedRow, now: Instant) {
  const { key, name, receivedAt, gap } = feed;
  const { state, why, silentSince: since } = feedStatus(feed, now);
  return {
    ...{ key, name, state, why },
    everyMs: isStream(feed) ? null : feed.everyMs,
    receivedAgoMs: receivedAt === null ? null : now - receivedAt,
    silentForMs: since === null ? null : now - since,
    gap: gap === null ? null : { ...gap, noticedAgoMs: now - gap.noticedAt },
  };
}
