import { setMaxListeners } from "node:events";
import { type ArrivedItem, compile, explainMiss, searchableMention } from "#listening-api";
import { type Clock, monotonicMs } from "../../lib/clock.ts";
import { formatDuration } from "../../lib/duration.ts";
import { type Instant, SECOND } from "../../lib/instant.ts";
import type { FeedRead } from "../common/define-feed.ts";
import { FeedError } from "../common/feed-error.ts";
import { createFetchFeed, type FetchLimits } from "./fetch-feed.ts";
import type { ListenConfig } from "./listen-config.ts";
import { openReader } from "./open-reader.ts";
import { openStream, STREAM_LIMITS } from "./open-stream.ts";
import type { PlannedFeed } from "./plan-feeds.ts";
import { type ReadParts, readPart } from "./read-part.ts";
import { type Enrich, toArrived } from "./to-arrived.ts";

/** What a feed would bring now. */
export interface FeedTry {
  readonly feed: string;
  /** Why it cannot be read, or not wholly. */
  readonly problem: string | null;
  readonly items: readonly TriedItem[];
  /** Items that would be left out, by reason. */
  readonly refused: readonly { readonly reason: string; readonly n: number }[];
  readonly deletes: number;
  readonly more: boolean;
  readonly policy: { readonly stored: string; readonly sentOut: string; readonly deletesLearntBy: string };
}

interface TriedItem {
  readonly id: string;
  readonly url: string | null;
  readonly title: string | null;
  readonly text: string;
  readonly date: Instant;
  readonly doubt: string;
  readonly author: string | null;
  readonly pageType: string;
  /** The queries that match, with the words for which they do. */
  readonly queries: readonly { readonly name: string; readonly words: readonly string[] }[];
  /** Why the other queries do not. */
  readonly misses: readonly { readonly query: string; readonly message: string }[];
}

/** Fetches a feed once, from its beginning, or listens to a stream, and says what would come in. Stores nothing. */
export async function tryFeed(
  feed: PlannedFeed,
  options: {
    readonly listen: Pick<ListenConfig, "queries" | "keep">;
    readonly enrich: Enrich;
    readonly userAgent: string;
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly limits?: FetchLimits;
    /** How long a stream is listened to. */
    readonly listenMs?: number;
  },
): Promise<FeedTry> {
  const { listen, clock, signal } = options;
  // A dozen requests wait for it at a time.
  setMaxListeners(0, signal);
  const { definition } = feed;
  const { policy } = definition;
  const outcome = await read(feed, options).catch((error: unknown): FeedRead => {
    if (!(error instanceof FeedError)) throw error;
    return { items: [], deletes: [], cursor: null, problem: error.message };
  });
  const fetchedAt = clock.now();
  const kind = definition;
  const context = { kind, fetchedAt, keepFrom: fetchedAt - listen.keep, enrich: options.enrich };
  /** By id: two searches may find one item. */
  const items = new Map<string, TriedItem>();
  const reasons = new Map<string, number>();
  for (const found of signal.aborted ? [] : outcome.items) {
    const arrival = toArrived(found, context);
    if (arrival.item === null) reasons.set(arrival.reason, (reasons.get(arrival.reason) ?? 0) + 1);
    else if (!items.has(arrival.item.idKey))
      items.set(arrival.item.idKey, toTried(arrival.item, arrival.doubt, listen.queries));
  }
  return {
    feed: feed.name,
    problem: outcome.problem ?? null,
    items: [...items.values()],
    refused: [...reasons].map(([reason, n]) => ({ reason, n })),
    deletes: outcome.deletes.length,
    more: outcome.more === true,
    policy: {
      stored:
        policy.storedCharacters === null
          ? "the whole text"
          : `title, link and ${policy.storedCharacters} characters of text`,
      sentOut: policy.sentOut,
      deletesLearntBy: policy.deletesLearntBy,
    },
  };
}

async function read(feed: PlannedFeed, options: Parameters<typeof tryFeed>[1]): Promise<FeedRead> {
  const { userAgent, clock, signal, limits } = options;
  if (feed.definition.stream !== undefined) return await listen(feed, options);
  if (feed.definition.read === undefined && feed.definition.collect === undefined)
    throw new FeedError("nothing is fetched here: other programs POST to /feeds/push of the console");
  const fetcher = createFetchFeed({ userAgent, clock, ...limits });
  const reader = openReader();
  try {
    const alone = { reserve: paceAlone(), hold: async () => {}, beginReading: async () => 1 };
    return (await readPart(feed, {}, clock.now(), { ...alone, fetch: fetcher.fetch, reader, signal })).read;
  } finally {
    await Promise.all([fetcher.close(), reader.close()]);
  }
}

/** Its own requests keep the pace of their host; those of the processes that fetch are not known here. */
function paceAlone(): ReadParts["reserve"] {
  const freeAt = new Map<string, number>();
  return async (host, { count, paceMs }) => {
    const now = monotonicMs();
    const at = Math.max(now, freeAt.get(host) ?? 0);
    freeAt.set(host, at + count * paceMs);
    return at - now;
  };
}

const MOST_FRAMES = 5_000;

/** From now on, for some seconds. The time is over, or so much came that nobody reads it all. */
async function listen(
  { definition, settings }: PlannedFeed,
  { userAgent, clock, signal, listenMs = 10 * SECOND }: Parameters<typeof tryFeed>[1],
): Promise<FeedRead> {
  const { stream } = definition;
  const [host = ""] = stream?.hosts(settings) ?? [];
  if (stream === undefined) throw new FeedError("it is no stream");
  const open = openStream(stream.address(host, null, STREAM_LIMITS), {
    ...{ userAgent, allowPrivateAddress: settings.allowPrivateAddress },
    ...{ isCompressed: stream.isCompressed(settings), limits: STREAM_LIMITS },
  });
  const until = AbortSignal.any([signal, AbortSignal.timeout(listenMs)]);
  until.addEventListener("abort", open.close);
  const frames: string[] = [];
  let problem: string | null = null;
  while (frames.length < MOST_FRAMES && !until.aborted) {
    const taken = await open.take();
    frames.push(...taken.frames);
    if (taken.end === null) continue;
    if (!until.aborted) problem = taken.end.problem;
    break;
  }
  open.close();
  const read = stream.read(frames, clock.now());
  if (problem === null && frames.length === 0) problem = `nothing came in ${formatDuration(listenMs)}`;
  return { ...read, cursor: null, ...(problem === null ? {} : { problem }) };
}

function toTried({ line }: ArrivedItem, doubt: string, queries: ListenConfig["queries"]): TriedItem {
  const { text, title = null, url = null, author = null, language = null } = line;
  const pageType = line.pageType ?? "general";
  const mention = searchableMention({ title, snippet: text, url, author, language, pageType }, text);
  const found: { name: string; words: readonly string[] }[] = [];
  const misses: { query: string; message: string }[] = [];
  for (const { name, text: wanted, languages } of queries) {
    const compiled = compile(wanted);
    if (!compiled.ok) continue;
    const miss = explainMiss(compiled.query, mention);
    if (miss !== undefined) misses.push({ query: name, message: miss.message });
    else if (languages.length > 0 && language !== null && !languages.includes(language))
      misses.push({
        query: name,
        message: `Its language is ${language}, and the query is limited to ${languages.join(", ")}.`,
      });
    else {
      const words = compiled.query.positions(mention).map((position) => position.text);
      found.push({ name, words: [...new Set(words)].slice(0, 5) });
    }
  }
  return { id: line.id, url, title, text, date: line.date, doubt, author, pageType, queries: found, misses };
}
