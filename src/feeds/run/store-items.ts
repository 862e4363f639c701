import { createHash } from "node:crypto";
import {
  type ArrivedItem,
  type Arriving,
  type Database,
  NOTHING,
  type QueryCache,
  type ReceiveResult,
  receiveItems,
  sumOf,
} from "#listening-api";
import type { Clock } from "../../lib/clock.ts";
import { yieldingLoop } from "../../lib/concurrency.ts";
import { canonicalUrl } from "../common/canonical-url.ts";
import type { FeedItem, FeedRead } from "../common/define-feed.ts";
import { countLanguages, type LanguageCount } from "./count-languages.ts";
import { FIRST_CHECK_MS } from "./decide-next.ts";
import type { PlannedFeed } from "./plan-feeds.ts";
import { type Enrich, toArrived, toDeleted } from "./to-arrived.ts";

/** Items of a transaction: pushes and other feeds of the project wait for no more. */
const BATCH = 500;

export interface FeedEnricher {
  readonly ofText: Enrich;
  /** Called in the transaction that stores the mentions, also with those whose text has changed. */
  readonly queue: Arriving["queue"];
}

/** What a fetch or a push has stored so far. */
export interface StoredPart {
  /** New and edited ones. */
  readonly items: number;
  readonly added: number;
  /** Of the new ones. */
  readonly matched: number;
  /** Items that were known before. */
  readonly known: number;
  /** Items that wait, and changes of stored items that do. */
  readonly left: number;
  readonly waiting: number;
  readonly isLast: boolean;
}

export type ItemStore = ReturnType<typeof createItemStore>;

/** Turns the items of feeds into mentions, and stores them in the local Listening API. */
export function createItemStore(parts: {
  readonly db: Database;
  readonly project: { readonly id: number; readonly timezone: string };
  /** Awaited when the first item comes. */
  readonly enricher: () => Promise<FeedEnricher>;
  readonly keepMs: number;
  readonly clock: Clock;
}) {
  const { db, project, enricher, keepMs, clock } = parts;
  const cache: QueryCache = new Map();

  /**
   * Stores up to `most` new and changed items, in as many transactions as it takes: other feeds and pushes of the project
   * wait for one of them. `commit` is called at the end of each.
   */
  async function storeMost(
    feed: PlannedFeed,
    arrived: readonly ArrivedItem[],
    deletes: FeedRead["deletes"],
    most: number,
    commit: (transaction: Database, stored: StoredPart) => Promise<void>,
  ): Promise<ReceiveResult> {
    let total = NOTHING;
    let knownItems = 0;
    let waitingChanges = 0;
    let rest = arrived;
    for (let [isFirst, isLast] = [true, false]; !isLast; isFirst = false) {
      const atOnce = Math.min(BATCH, most - total.added - total.edited);
      await db.transaction().execute(async (transaction) => {
        const part = { arrived: rest.slice(0, atOnce), deletes: isFirst ? deletes : [] };
        const { left, known, waiting, ...received } = await store(transaction, feed, part);
        knownItems += known;
        waitingChanges += waiting;
        rest = [...left, ...rest.slice(atOnce)];
        total = sumOf(total, received);
        const items = total.added + total.edited;
        isLast = rest.length === 0 || items >= most;
        const { added, matched } = total;
        await commit(transaction, {
          ...{ items, added, matched, isLast },
          ...{ known: knownItems, left: rest.length, waiting: waitingChanges },
        });
      });
    }
    return total;
  }

  /** Each item once, as the first of two in a document counts. Lets others run: languages and moods take time. */
  async function arrivedOf(
    feed: PlannedFeed,
    items: readonly FeedItem[],
  ): Promise<{ readonly arrived: readonly ArrivedItem[]; readonly languages: LanguageCount }> {
    const { ofText: enrich } = await enricher();
    const at = clock.now();
    const context = { kind: feed.definition, fetchedAt: at, keepFrom: at - keepMs, enrich };
    const arrived = new Map<string, ArrivedItem>();
    const languages = countLanguages();
    const links = feed.definition.findsByLink === true ? linkKeysOf(feed.key, items) : null;
    await yieldingLoop(
      (function* () {
        for (const found of items) {
          const { item } = toArrived(found, context);
          if (item !== null && !arrived.has(item.idKey)) {
            arrived.set(item.idKey, links === null ? item : { ...item, linkKey: links.get(found) ?? null });
            languages.add(found.language ?? null, item.line);
          }
          yield;
        }
      })(),
    );
    const all = [...arrived.values()];
    const sorted = all.length > BATCH ? all.sort((a, b) => (b.line.date ?? at) - (a.line.date ?? at)) : all;
    return { arrived: sorted, languages: languages.count };
  }

  async function store(
    transaction: Database,
    feed: PlannedFeed,
    { arrived, deletes }: { readonly arrived: readonly ArrivedItem[]; readonly deletes: FeedRead["deletes"] },
  ) {
    const { queue } = await enricher();
    const at = clock.now();
    const { definition } = feed;
    const from = {
      ...{ kind: definition.kind, feedKey: feed.key, host: feed.host },
      policyVersion: definition.policy.version,
      checkInMs: definition.recheck === undefined ? null : FIRST_CHECK_MS,
    };
    const deleted = deletes.map((one) => toDeleted(definition, one));
    return receiveItems(transaction, project, from, { arrived, deleted }, { at, cache, queue });
  }

  return { arrivedOf, storeMost, store };
}

/**
 * By which items of a document are known again when their feed moves to another host, or gives them new ids and titles: the
 * feed, the path of their page, and their date. Items that share theirs have none: a podcast may link to one page only.
 */
function linkKeysOf(feedKey: string, items: readonly FeedItem[]): ReadonlyMap<FeedItem, string> {
  const keys = new Map<FeedItem, string>();
  const times = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(feedKey, item);
    if (key === null) continue;
    keys.set(item, key);
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  for (const [item, key] of keys) if ((times.get(key) ?? 0) > 1) keys.delete(item);
  return keys;
}

function keyOf(feedKey: string, { url, publishedAt }: FeedItem): string | null {
  const address = canonicalUrl(url);
  if (address === null) return null;
  const { pathname, search, hash } = new URL(address);
  // The front page of a site is no page of an item.
  const path = `${pathname.replace(/\/$/, "")}${search}${hash}`;
  if (path === "") return null;
  return createHash("sha256").update(`${feedKey}\0${path}\0${publishedAt}`).digest("hex").slice(0, 32);
}
